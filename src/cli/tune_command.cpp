// See tune_command.h.
#include "cli/tune_command.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/exit_status.h"
#include "cli/output_option.h"
#include "config/profile.h"
#include "host/proposal.h"
#include "host/tune_state.h"

namespace bayplan::cli {

namespace json = boost::json;

namespace {

constexpr int kExitNotAll = 1;

std::string line_of(const host::Change& change, std::string_view end) {
    const std::string& before = change.before;
    return fmt::format("{:<44} {} -> {}{}\n", change.what, before.empty() ? "(nothing)" : before, change.after, end);
}

// Changes that were made, or would be.
struct Report {
    std::vector<host::Outcome> outcomes;
    std::vector<std::string> by_hand;
    bool dry = false;

    void plan(const std::vector<host::Change>& changes) {
        dry = true;
        for (const host::Change& change : changes) outcomes.push_back({change, {}});
    }
    auto teller() {
        return [this](const host::Outcome& outcome) { outcomes.push_back(outcome); };
    }
    std::size_t failed() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(outcomes, [](const host::Outcome& one) { return !one.error.empty(); }));
    }

    std::string text() const {
        std::string text;
        for (const host::Outcome& one : outcomes) {
            text += line_of(one.change, one.error.empty() ? "" : "   FAILED: " + one.error);
        }
        return text;
    }
    std::string as_json() const {
        json::array changes;
        for (const host::Outcome& one : outcomes) {
            json::object change{{"what", one.change.what},
                                {"path", one.change.path},
                                {"before", one.change.before},
                                {"after", one.change.after},
                                {"done", !dry && one.error.empty()}};
            if (!one.error.empty()) change["error"] = one.error;
            changes.push_back(std::move(change));
        }
        return json::serialize(json::object{{"changes", std::move(changes)}, {"by_hand", json::value_from(by_hand)}}) +
               "\n";
    }
};

int undo(const TuneArguments& arguments, const host::HostFiles& files, const std::string& state, std::string& out,
         std::string& error) {
    Report report;
    bool done = true;
    if (arguments.dry_run) {
        std::vector<host::Change> changes;
        done = host::read_undo(files, state, changes, error);
        report.plan(changes);
    } else {
        done = host::undo_changes(files, state, report.teller(), error);
    }
    out = arguments.output == "json" ? report.as_json() : report.text();
    if (!done) error += "\n";
    if (report.failed() > 0) {
        error += fmt::format("{} settings could not be restored; they stay in {} for another --undo\n", report.failed(),
                             state);
    }
    return done && report.failed() == 0 ? 0 : kExitNotAll;
}

int apply(const TuneArguments& arguments, const host::HostFiles& files, const host::Plan& plan,
          const std::string& state, std::string& out, std::string& error) {
    Report report;
    report.by_hand = plan.by_hand;
    if (arguments.dry_run) {
        report.plan(plan.changes);
    } else if (!host::apply_changes(files, plan.changes, state, report.teller(), error)) {
        out = report.text();
        error += "; nothing was changed\n";
        return kExitNotAll;
    }
    if (arguments.output == "json") {
        out = report.as_json();
    } else {
        out = report.text();
        if (plan.changes.empty()) out += "Nothing to change: what can be set at run time is as the profile asks.\n";
        if (!plan.by_hand.empty()) out += "\nBy hand:\n";
        for (const std::string& text : plan.by_hand) out += "  " + text + "\n";
    }
    if (report.failed() > 0) {
        error += fmt::format("{} of {} settings could not be changed\n", report.failed(), plan.changes.size());
        return kExitNotAll;
    }
    return 0;
}

std::string proposal_json(const host::ProposedProfile& proposal) {
    return json::serialize(json::object{{"profile", config::profile_text(proposal.profile)},
                                        {"remarks", json::value_from(proposal.remarks)}}) +
           "\n";
}

}  // namespace

int tune_host(const TuneArguments& arguments, std::string& out, std::string& error) {
    if (!arguments.apply && !arguments.undo && (arguments.dry_run || !arguments.state.empty())) {
        error = fmt::format("{} goes with --apply or --undo\n", arguments.dry_run ? "--dry-run" : "--state");
        return kExitInput;
    }
    const host::HostFiles files(arguments.root);
    const std::string state = arguments.state.empty() ? files.full(host::kStateFile) : arguments.state;
    if (arguments.undo) return undo(arguments, files, state, out, error);
    const host::HostFacts facts = host::read_host_facts(files);
    std::vector<host::Nic> nics;
    for (const std::string& name : arguments.nics) {
        nics.push_back(host::read_nic(files, name));
        if (!nics.back().found) {
            error = fmt::format("{}: there is no such interface or PCI address\n", name);
            return kExitInput;
        }
    }
    host::ProposedProfile proposal;
    config::Faults faults;
    if (arguments.profile.empty()) {
        auto proposed = host::propose_profile(facts, nics, error);
        if (!proposed) {
            error += "\n";
            return kExitInput;
        }
        proposal = std::move(*proposed);
    } else if (!config::load_profile(arguments.profile, proposal.profile, faults)) {
        for (const config::Fault& fault : faults) error += fault.to_string() + "\n";
        return kExitInput;
    }
    if (!arguments.apply) {
        out = arguments.output == "json" ? proposal_json(proposal) : host::proposal_text(proposal);
        return 0;
    }
    return apply(arguments, files, host::plan_changes(files, facts, proposal.profile), state, out, error);
}

void add_tune_command(CLI::App& app, int& exit_code) {
    CLI::App* const command =
        app.add_subcommand("tune", "propose a profile for this host; set what it asks for, and undo that");
    const auto arguments = std::make_shared<TuneArguments>();
    CLI::Option* const profile =
        command->add_option("--profile", arguments->profile, "apply this one in place of the proposed one")
            ->type_name("FILE");
    command
        ->add_option("--nic", arguments->nics, "a port of the data plane, for the proposal: interface or PCI address")
        ->type_name("NAME")
        ->excludes(profile);
    CLI::Option* const apply = command->add_flag(
        "--apply", arguments->apply,
        "change what can be changed at run time: hugepages, governor, interrupts, kernel work, clock");
    CLI::Option* const undo =
        command->add_flag("--undo", arguments->undo, "restore what was there before --apply")->excludes(apply);
    profile->needs(apply);
    undo->excludes(profile);
    command->add_flag("--dry-run", arguments->dry_run,
                      "with --apply or --undo: say what would be done, and do nothing");
    command
        ->add_option("--state", arguments->state,
                     std::string("where the former values are kept; default ") + host::kStateFile)
        ->type_name("FILE");
    command->add_option("--root", arguments->root, "a directory that stands for /")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory.description(""))
        ->capture_default_str();
    add_output_option(*command, arguments->output);
    command->footer(
        "Without --apply and --undo the proposed profile is printed: `bayplan tune > profile.yaml`.\n\n"
        "Exit status: 0 done, 1 something could not be changed or restored, 2 wrong input.");
    command->callback([arguments, &exit_code] {
        std::string out;
        std::string error;
        exit_code = tune_host(*arguments, out, error);
        fmt::print("{}", out);
        if (!error.empty()) fmt::print(stderr, "bayplan tune: {}", error);
    });
}

}  // namespace bayplan::cli
