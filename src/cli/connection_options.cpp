// See connection_options.h.
#include "cli/connection_options.h"

#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

constexpr const char* kConnectVariable = "BAYPLAN_CONNECT";

CLI::Validator between(int min, int max) { return CLI::Range(min, max).description(fmt::format("{}..{}", min, max)); }

void add_link_options(CLI::App& app, ClientOptions& client, const std::string& group) {
    app.add_option("--address", client.address, "own IPv4 address; with --port dpdk")->group(group);
    app.add_option("--address6", client.address6, "own IPv6 address; with --port dpdk")->group(group);
    app.add_option("--prefix-length", client.prefix_length,
                   "how much of --address names the link (0: everybody is on it)")
        ->check(between(0, 32))
        ->group(group);
    app.add_option("--gateway", client.gateway, "router to a daemon outside that prefix")->group(group);
    app.add_option("--prefix-length6", client.prefix_length6, "the same for --address6")
        ->check(between(0, 128))
        ->group(group);
    app.add_option("--gateway6", client.gateway6, "the same for --address6")->group(group);
    app.add_option("--vlan", client.vlan, "VLAN whose tag frames carry; with --port dpdk")
        ->check(between(1, 4094))
        ->group(group);
}

}  // namespace

void add_daemon_argument(CLI::App& app, std::string& daemon) {
    app.add_option("daemon", daemon, "the daemon, in place of --connect")->type_name("HOST:PORT");
}

std::string parse_daemon(const std::string& daemon, const std::string& connect, ClientOptions& client) {
    const char* const preset = std::getenv(kConnectVariable);
    if (!daemon.empty() && !connect.empty() && connect != daemon && (preset == nullptr || connect != preset)) {
        return fmt::format("two daemons are named: {} and --connect {}", daemon, connect);
    }
    return parse_connect(daemon.empty() ? connect : daemon, client);
}

std::string parse_connect(const std::string& text, ClientOptions& client) {
    if (text.empty()) {
        return fmt::format("HOST:PORT of the daemon is needed: --connect, {} or `connect:` in ~/.config/bayplan",
                           kConnectVariable);
    }
    const std::string fault =
        fmt::format("`{}`, of --connect or in its place, is not HOST:PORT (10.0.0.7:4433, [fd99::2]:4433)", text);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) {
        return fault;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data() + colon + 1, end, client.udp_port);
    client.host = text.substr(0, colon);
    // [fd99::2]:4433, as an IPv6 address has colons of its own.
    if (client.host.size() > 2 && client.host.front() == '[' && client.host.back() == ']') {
        client.host = client.host.substr(1, client.host.size() - 2);
    }
    return code == std::errc() && rest == end && client.udp_port != 0 ? "" : fault;
}

void add_identity_options(CLI::App& app, std::string& connect, ClientOptions& client, const std::string& group) {
    app.add_option("--connect", connect, "the daemon")->type_name("HOST:PORT")->envname(kConnectVariable)->group(group);
    app.add_option("--ca", client.authority, "PEM file of the authority that signed the daemon")
        ->type_name("FILE")
        ->envname("BAYPLAN_CA")
        ->group(group);
    app.add_option("--cert", client.certificate,
                   "PEM file of the shim's certificate; a daemon refuses shims without one")
        ->type_name("FILE")
        ->envname("BAYPLAN_CERT")
        ->group(group);
    app.add_option("--server-name", client.server_name,
                   "name or address that the daemon's certificate must have; as --connect if not given")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--key", client.key, "PEM file of the shim's key")
        ->type_name("FILE")
        ->envname("BAYPLAN_KEY")
        ->group(group);
    app.add_option("--payload-bytes-max", client.payload_bytes_max,
                   "UDP payload of one packet: bytes that the path takes, less 28, over IPv6 less 48")
        ->check(CLI::Range(1'200, 8'900))
        ->capture_default_str()
        ->group(group);
}

void add_dpdk_options(CLI::App& app, ClientOptions& client, const std::string& group) {
    app.add_option("--eal", client.eal_arguments, "an EAL argument (repeat); with --port dpdk")
        ->type_name("ARG")
        ->group(group);
    app.add_option("--device", client.device, "ethdev to use; with --port dpdk")->group(group);
    add_link_options(app, client, group);
}

std::string choose_port(const std::string& port, ClientOptions& client) {
    client.port = port == "dpdk" ? ClientPort::dpdk : ClientPort::kernel;
    if (client.port == ClientPort::dpdk) {
        return {};
    }
    const std::pair<const char*, bool> given[] = {
        {"--eal", !client.eal_arguments.empty()},
        {"--device", !client.device.empty()},
        {"--address", !client.address.empty()},
        {"--address6", !client.address6.empty()},
        {"--prefix-length", client.prefix_length != 0},
        {"--prefix-length6", client.prefix_length6 != 0},
        {"--gateway", !client.gateway.empty()},
        {"--gateway6", !client.gateway6.empty()},
        {"--vlan", client.vlan != 0},
    };
    for (const auto& [name, is_given] : given) {
        if (is_given) {
            return fmt::format("{} is for --port dpdk", name);
        }
    }
    return {};
}

}  // namespace bayplan::cli
