// See port.h.
#include "client/port.h"

#include <netdb.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace bayplan::client {

namespace {

// Numbers of a host in one IP version; empty: it has none.
std::string look_up(const std::string& host, int family, int& code) {
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (code != 0) {
        return {};
    }
    char text[NI_MAXHOST] = {};
    code = getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    return text;
}

}  // namespace

bool resolve(const ClientOptions& options, std::string& address, std::string& error) {
    const bool only_ipv6 = options.port == ClientPort::dpdk && options.address.empty();
    int first_fault = 0;
    int code = 0;
    address = only_ipv6 ? std::string() : look_up(options.host, AF_INET, first_fault);
    if (address.empty()) {
        address = look_up(options.host, AF_INET6, code);
    }
    if (address.empty()) {
        error = fmt::format("{}: {}", options.host, gai_strerror(first_fault != 0 ? first_fault : code));
    }
    return !address.empty();
}

std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions& options, const std::string& daemon_address,
                                                dataplane::FrameHandler& handler, std::string& error) {
    if (options.open_port) {
        return options.open_port(handler, error);
    }
    dataplane::DataPlaneOptions plane;
    plane.server = false;
    plane.idle = options.poll ? dataplane::IdlePolicy::poll : dataplane::IdlePolicy::adaptive;
    plane.transport.tls = {options.certificate, options.key, options.authority};
    plane.transport.idle_timeout_ms = options.idle_timeout_ms;
    plane.transport.payload_bytes_max = options.payload_bytes_max;
    plane.transport.server_name = options.server_name.empty() ? options.host : options.server_name;
    if (options.port == ClientPort::dpdk) {
        plane.port = dataplane::PortKind::dpdk;
        plane.dpdk.eal_arguments = options.eal_arguments;
        plane.dpdk.device = options.device;
        plane.dpdk.address = options.address;
        plane.dpdk.udp_port = 0;
        plane.dpdk.address6 = options.address6;
        plane.dpdk.prefix_length = options.prefix_length;
        plane.dpdk.prefix_length6 = options.prefix_length6;
        plane.dpdk.gateway = options.gateway;
        plane.dpdk.gateway6 = options.gateway6;
        plane.dpdk.vlan = options.vlan;
    } else if (daemon_address.find(':') != std::string::npos) {
        plane.kernel.address = "::";
    }
    return dataplane::open_data_plane(plane, handler, error);
}

}  // namespace bayplan::client
