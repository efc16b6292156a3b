// baypland: reads its arguments and its configuration, then runs the daemon.
//
// Thread: main. Exit status: 0 done, 1 it cannot start, 2 wrong arguments or configuration, as everywhere.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/closest_name.h"
#include "config/load.h"
#include "config/predicate_lists.h"
#include "daemon/daemon.h"
#include "daemon/scheduler_files.h"
#include "daemon/start_report.h"
#include "daemon/start_trial.h"
#include "terminal/help.h"
#include "threads/host_cpus.h"

namespace {

using namespace bayplan;

struct Arguments {
    std::string config;
    std::string record;
    std::string status;
    config::PredicateOverrides predicates;
    bool check = false;
    std::string output = "table";  // of the check
    bool help_config = false;
};

// "A,B"; an empty name between commas is kept, to be refused.
void add_predicates(CLI::App& app, const std::string& option, std::optional<std::vector<std::string>>& names,
                    const std::string& help) {
    app.add_option_function<std::string>(
           option, [&names](const std::string& text) { names = CLI::detail::split(text, ','); }, help)
        ->type_name("A,B,...");
}

std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
    return names;
}

// On failure or when all has been said already: the exit status.
bool parse(int argc, char** argv, Arguments& arguments, int& status) {
    CLI::App app(
        "baypland, the scheduling appliance: takes asks from shims over QUIC and places them "
        "exactly.");
    app.formatter(std::make_shared<terminal::WrappedHelp>());
    app.set_version_flag("--version", std::string("baypland ") + BAYPLAN_VERSION);
    app.add_option("--config", arguments.config, "The configuration, a YAML file")->type_name("FILE");
    app.add_flag("--check", arguments.check, "Try what a start would, report every fault, and exit");
    app.add_option("-o,--output", arguments.output, "Form of the answer to --check: table, or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    app.add_flag("--help-config", arguments.help_config, "Print the manual of the configuration, and exit");
    app.add_option("--record", arguments.record,
                   "Record every input here for replay (instead of 'record' of the configuration)")
        ->type_name("FILE");
    add_predicates(app, "--predicates", arguments.predicates.predicates,
                   "The only predicates that a node must pass (instead of every partition's "
                   "'predicates')");
    add_predicates(app, "--reservation-predicates", arguments.predicates.reservation_predicates,
                   "The same for reservations (instead of 'reservation_predicates')");
    app.add_option("--status", arguments.status, "Write the state as JSON here, every second")->type_name("FILE");
    app.footer(
        "Exit status: 0 well (ended as told; with --check: it would start, what should be known has been printed), 1 "
        "it cannot start, 2 wrong arguments or "
        "configuration.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& told) {
        status = app.exit(told);
        return false;
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "baypland: %s%s; see --help\n", error.what(),
                     did_you_mean_option(argc, argv, long_options(app)).c_str());
        status = 2;
        return false;
    }
    if (!arguments.help_config && arguments.config.empty()) {
        std::fprintf(stderr, "baypland: --config FILE is missing; see --help and --help-config\n");
        status = 2;
        return false;
    }
    return true;
}

// False: it has faults, which are told.
bool load(const Arguments& arguments, const threads::HostCpus& host, config::Config& config) {
    config::Faults faults;
    daemon::load_config(arguments.config, host, config, faults);
    config::override_predicates(arguments.predicates, "baypland", config, faults);
    if (arguments.check && arguments.output == "json" && !faults.empty()) {
        daemon::StartReport report{arguments.config, {}, {}};
        for (const config::Fault& fault : faults) report.faults.push_back(fault.to_string());
        std::fputs(daemon::as_json(report).c_str(), stdout);
    } else {
        for (const config::Fault& fault : faults) std::fprintf(stderr, "%s\n", fault.to_string().c_str());
    }
    if (!arguments.record.empty()) config.record = arguments.record;
    return faults.empty();
}

// The exit status.
int check(const Arguments& arguments, const config::Config& config) {
    daemon::StartReport report{arguments.config, {}, {}};
    const bool polling = config.data_plane.idle == dataplane::IdlePolicy::poll;
    for (const std::string& warning : threads::plan_warnings(config.profile.plan, polling)) {
        report.warnings.push_back("profile: " + warning);
    }
    report.warnings.insert(report.warnings.end(), config.remarks.begin(), config.remarks.end());
    for (const auto& [fault, what] : daemon::try_start(config, arguments.status)) {
        (fault ? report.faults : report.warnings).push_back(what);
    }
    std::fputs((arguments.output == "json" ? as_json(report) : as_lines(report)).c_str(), stdout);
    return report.faults.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    // First of all: everything later may be pinned.
    const threads::HostCpus host = threads::read_host_cpus();
    Arguments arguments;
    int status = 0;
    if (!parse(argc, argv, arguments, status)) return status;
    if (arguments.help_config) {
        std::fputs(config::config_manual().c_str(), stdout);
        return 0;
    }
    config::Config config;
    if (!load(arguments, host, config)) return 2;
    if (arguments.check) return check(arguments, config);
    return daemon::Daemon(std::move(config), host, arguments.status).run();
}
