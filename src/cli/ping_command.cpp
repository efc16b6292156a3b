// See ping_command.h.
#include "cli/ping_command.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/connection_options.h"
#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/output_option.h"
#include "cli/ping.h"
#include "client/port.h"

namespace bayplan::cli {

namespace {

struct PingArguments {
    std::string daemon;   // HOST:PORT as an argument
    std::string connect;  // and as an option
    ClientOptions client;
    std::string port = "kernel";
    std::uint32_t count = 4;
    std::int64_t interval_ns = 0;
    std::int64_t timeout_ns = 0;
    bool all = false;
    std::string output = "table";
};

std::string day_of(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts);
    return text;
}

void print_daemon(const PingResult& result) {
    if (result.connect_ms < 0) {
        return;
    }
    const dataplane::TlsDetails& tls = result.daemon.tls;
    fmt::print("connected    {} in {:.3f} ms\n", result.daemon.address, result.connect_ms);
    fmt::print("certificate  subject {}\n", tls.subject);
    fmt::print("             issuer  {}\n", tls.issuer);
    fmt::print("             valid   {} to {}\n", day_of(tls.valid_from_s), day_of(tls.valid_until_s));
    fmt::print("cipher       {} {}\n", tls.version, tls.cipher);
}

void print_round_trips(const std::vector<double>& all) {
    if (all.empty()) {
        return;
    }
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    fmt::print("round trips  {}: min/avg/max {:.3f}/{:.3f}/{:.3f} ms\n", all.size(), *least,
               sum / static_cast<double>(all.size()), *most);
}

// "   3 4": of lcore 0, 1, ...; nothing if there is one lcore.
std::string shares(const PingResult& result, const std::string& name) {
    std::string text;
    for (const auto& lcore : result.lcores) {
        const auto found = lcore.find(name);
        text += fmt::format("{}{}", text.empty() ? "   " : " ", found == lcore.end() ? 0 : found->second);
    }
    return text;
}

void print_counters(const PingResult& result, bool all) {
    if (result.round_trips_ms.empty()) {
        return;
    }
    fmt::print("daemon       bayplan {}, up {:.1f} s\n", result.version, static_cast<double>(result.uptime_ms) / 1e3);
    if (!result.lcores.empty()) {
        fmt::print("lcores       {}: all together, and each\n", result.lcores.size());
    }
    for (const auto& [name, value] : result.counters) {
        if (all || value != 0) {
            fmt::print("  {:<28} {}{}\n", name, value, shares(result, name));
        }
    }
}

// All counters, zeros too: a program looks for names.
std::string as_json(const PingResult& result) {
    boost::json::object all;
    if (result.connect_ms >= 0) {
        const dataplane::TlsDetails& tls = result.daemon.tls;
        all["address"] = result.daemon.address;
        all["connectMs"] = result.connect_ms;
        all["certificate"] = boost::json::object{{"subject", tls.subject},
                                                 {"issuer", tls.issuer},
                                                 {"validFrom", day_of(tls.valid_from_s)},
                                                 {"validUntil", day_of(tls.valid_until_s)}};
        all["cipher"] = tls.version + " " + tls.cipher;
    }
    boost::json::array round_trips;
    for (const double ms : result.round_trips_ms) round_trips.push_back(ms);
    all["roundTripsMs"] = round_trips;
    if (!result.round_trips_ms.empty()) {
        all["version"] = result.version;
        all["uptimeMs"] = result.uptime_ms;
        boost::json::object counters;
        for (const auto& [name, value] : result.counters) counters[name] = value;
        all["counters"] = counters;
    }
    if (!result.fault.empty()) all["fault"] = result.fault;
    return boost::json::serialize(all) + "\n";
}

int run(PingArguments& arguments) {
    ClientOptions& client = arguments.client;
    std::string error = parse_daemon(arguments.daemon, arguments.connect, client);
    if (!error.empty()) {
        // told below
    } else if (client.authority.empty()) {
        error = "--ca is needed: without it anybody could pose as the daemon";
    } else if (client.certificate.empty() != client.key.empty()) {
        error = "--cert and --key go together";
    } else {
        error = choose_port(arguments.port, client);
    }
    if (!error.empty()) {
        fmt::print(stderr, "bayplan ping: {}\n", error);
        return kExitInput;
    }
    Ping ping({arguments.count, std::chrono::nanoseconds(arguments.interval_ns),
               std::chrono::nanoseconds(arguments.timeout_ns)});
    std::string address;
    std::unique_ptr<dataplane::DataPlane> plane;
    if (client::resolve(client, address, error)) {
        plane = client::open_port(client, address, ping, error);
    }
    if (plane == nullptr) {
        fmt::print(stderr, "bayplan ping: {}\n", error);
        return kExitInput;
    }
    const PingResult result = ping.run(*plane, address, client.udp_port);
    if (arguments.output == "json") {
        fmt::print("{}", as_json(result));
    } else {
        print_daemon(result);
        print_round_trips(result.round_trips_ms);
        print_counters(result, arguments.all);
    }
    if (!result.fault.empty()) {
        fmt::print(stderr, "bayplan ping: {}:{}: {}\n", client.host, client.udp_port, result.fault);
        return kExitNoDaemon;
    }
    return 0;
}

}  // namespace

void add_ping_command(CLI::App& app, int& exit_code) {
    CLI::App* const command =
        app.add_subcommand("ping", "connect to a daemon; its certificate, round trips, and what its data plane counts");
    const auto arguments = std::make_shared<PingArguments>();
    const std::string group = "Connection";
    add_daemon_argument(*command, arguments->daemon);
    add_identity_options(*command, arguments->connect, arguments->client, group);
    command->add_option("--port", arguments->port, "how to send: kernel sockets or a DPDK port")
        ->check(CLI::IsMember({"kernel", "dpdk"}))
        ->capture_default_str()
        ->group(group);
    add_dpdk_options(*command, arguments->client, group);
    command->add_option("--count", arguments->count, "round trips")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->capture_default_str();
    add_duration(*command, "--interval", arguments->interval_ns, "200ms", "between two questions");
    add_duration(*command, "--timeout", arguments->timeout_ns, "5s", "for the connection, and for each answer");
    command->add_flag("--all", arguments->all, "counters that are zero, too");
    add_output_option(*command, arguments->output);
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
