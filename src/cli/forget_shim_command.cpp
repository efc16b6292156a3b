// See forget_shim_command.h.
#include "cli/forget_shim_command.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "bayplan/client.h"
#include "cli/connection_options.h"
#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/output_option.h"

namespace bayplan::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenTurns{1};

struct ForgetArguments {
    std::string daemon;   // HOST:PORT as an argument
    std::string connect;  // and as an option
    ClientOptions client;
    std::int64_t timeout_ns = 0;
    std::string output = "table";
};

// A shim without anything: no source, so its statement is empty.
class Empty final : public ClientHandler {
public:
    void on_connected(HelloOutcome) override { stated = true; }
    void on_disconnected(std::string_view text) override { why = text; }
    void on_refused(std::string_view text) override {
        refused = true;
        why = text;
    }
    bool stated = false;
    bool refused = false;
    std::string why;  // the latest of what went wrong
};

std::string fault_of(ForgetArguments& arguments) {
    if (std::string fault = parse_daemon(arguments.daemon, arguments.connect, arguments.client); !fault.empty()) {
        return fault;
    }
    if (arguments.client.authority.empty()) {
        return "--ca is needed: without it anybody could pose as the daemon";
    }
    if (arguments.client.certificate.empty() || arguments.client.key.empty()) {
        return "--cert and --key are needed: they say which shim";
    }
    return {};
}

int run(ForgetArguments& arguments) {
    std::string error = fault_of(arguments);
    if (!error.empty()) {
        return fail("forget-shim", error, kExitInput);
    }
    arguments.client.version = "bayplan forget-shim";
    Empty handler;
    const std::unique_ptr<Client> client = Client::open(arguments.client, handler, nullptr, error);
    if (client == nullptr) {
        return fail("forget-shim", error, kExitInput);
    }
    const Clock::time_point deadline = Clock::now() + std::chrono::nanoseconds(arguments.timeout_ns);
    while (!(handler.stated && client->settled())) {
        if (handler.refused) {
            return fail("forget-shim", "refused: " + handler.why, kExitNoDaemon);
        }
        if (Clock::now() >= deadline) {
            const ClientOptions& to = arguments.client;
            return fail(
                "forget-shim",
                handler.why.empty() ? fmt::format("no answer from {}:{} in time", to.host, to.udp_port) : handler.why,
                kExitNoDaemon);
        }
        if (client->turn() == 0) {
            std::this_thread::sleep_for(kBetweenTurns);
        }
    }
    client->request_stop();
    client->run();  // a graceful close
    if (arguments.output == "json") {
        fmt::print("{}\n", boost::json::serialize(boost::json::object{{"partition", arguments.client.partition},
                                                                      {"certificate", arguments.client.certificate},
                                                                      {"forgotten", true}}));
        return 0;
    }
    fmt::print("partition {}: the shim of {} has nothing any more\n", arguments.client.partition,
               arguments.client.certificate);
    return 0;
}

}  // namespace

void add_forget_shim_command(CLI::App& app, int& exit_code) {
    CLI::App* const command = app.add_subcommand(
        "forget-shim", "end the wait for a shim that will not come back: its nodes, asks and allocations go");
    const auto arguments = std::make_shared<ForgetArguments>();
    const std::string group = "Connection";
    add_daemon_argument(*command, arguments->daemon);
    add_identity_options(*command, arguments->connect, arguments->client, group);
    command->add_option("--partition", arguments->client.partition, "where the shim is to be forgotten")->required();
    add_duration(*command, "--timeout", arguments->timeout_ns, "10s", "for all of it");
    add_output_option(*command, arguments->output);
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
