// See check_command.h.
#include "cli/check_command.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/exit_status.h"
#include "config/profile.h"
#include "host/checks.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace bayplan::cli {

namespace json = boost::json;
using host::Finding;
using host::Severity;

namespace {

int exit_code_of(Severity worst) { return worst >= Severity::unknown ? kExitUnwell : 0; }

std::size_t count_of(const std::vector<Finding>& findings, Severity severity) {
    return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

std::string table(const std::vector<Finding>& findings, std::size_t columns) {
    terminal::Table rows({{"severity"}, {"check"}, {"current"}, {"required"}, {"why", false, false, true}});
    for (const Finding& finding : findings) {
        rows.row({std::string(host::to_string(finding.severity)), finding.check, finding.current, finding.required,
                  finding.why});
    }
    return rows.text(columns);
}

std::string totals(const std::vector<Finding>& findings) {
    return fmt::format("{} errors, {} warnings, {} could not be read, {} notes, {} ok\n",
                       count_of(findings, Severity::error), count_of(findings, Severity::warning),
                       count_of(findings, Severity::unknown), count_of(findings, Severity::note),
                       count_of(findings, Severity::ok));
}

std::string as_json(const CheckArguments& arguments, const std::vector<Finding>& findings) {
    json::array rows;
    for (const Finding& finding : findings) {
        rows.push_back(json::object{{"check", finding.check},
                                    {"severity", host::to_string(finding.severity)},
                                    {"current", finding.current},
                                    {"required", finding.required},
                                    {"why", finding.why}});
    }
    json::object counts;
    for (const Severity severity :
         {Severity::error, Severity::warning, Severity::unknown, Severity::note, Severity::ok}) {
        counts[std::string(host::to_string(severity))] = count_of(findings, severity);
    }
    const Severity worst = host::worst(findings);
    return json::serialize(json::object{{"profile", arguments.profile},
                                        {"root", arguments.root},
                                        {"worst", host::to_string(worst)},
                                        {"counts", counts},
                                        {"findings", rows}}) +
           "\n";
}

}  // namespace

int check_host_against(const CheckArguments& arguments, std::string& out, std::string& error) {
    config::ProfileConfig profile;
    config::Faults faults;
    if (!config::load_profile(arguments.profile, profile, faults)) {
        for (const config::Fault& fault : faults) error += fault.to_string() + "\n";
        return kExitInput;
    }
    const host::HostFiles files(arguments.root);
    if (!files.exists("/proc") && !files.exists("/sys")) {
        error = fmt::format("{}: has neither proc nor sys\n", arguments.root);
        return kExitInput;
    }
    std::vector<host::Nic> nics;
    for (const std::string& name : profile.host.nics) nics.push_back(host::read_nic(files, name));
    const auto findings = host::check_host(host::read_host_facts(files), nics, profile);
    out = arguments.output == "json" ? as_json(arguments, findings)
                                     : table(findings, arguments.columns) + "\n" + totals(findings);
    return exit_code_of(host::worst(findings));
}

void add_check_command(CLI::App& app, int& exit_code) {
    CLI::App* const command = app.add_subcommand("check", "what of this host does not fit a profile");
    const auto arguments = std::make_shared<CheckArguments>();
    command->add_option("--profile", arguments->profile, "the profile (see tuning/profiles)")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--root", arguments->root,
                     "a directory that stands for / (a copy of another host's /proc and /sys)")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory.description(""))
        ->capture_default_str();
    command->add_option("-o,--output", arguments->output, "table, or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->footer(
        "Exit status: 0 as the profile asks; 1 errors (the daemon would not start), warnings or things that could not "
        "be read: the\n"
        "worst is named by the table and by `-o json`; 2 wrong input. Needs no privileges; in a container it sees what "
        "the\n"
        "container shows.");
    command->callback([arguments, &exit_code] {
        std::string out;
        std::string error;
        arguments->columns = terminal::size_of(STDOUT_FILENO).columns;
        exit_code = check_host_against(*arguments, out, error);
        fmt::print("{}", out);
        if (!error.empty()) fmt::print(stderr, "bayplan check: {}", error);
    });
}

}  // namespace bayplan::cli
