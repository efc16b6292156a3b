// See tune_command.h.
#include "cli/tune_command.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "config/profile.h"
#include "host/proposal.h"
#include "host/tune_state.h"

namespace bayplan::cli {

namespace {

constexpr int kExitNotAll = 1;
constexpr int kExitInput = 2;

std::string line_of(const host::Change& change, std::string_view end) {
    const std::string& before = change.before;
    return fmt::format("{:<44} {} -> {}{}\n", change.what, before.empty() ? "(nothing)" : before, change.after, end);
}

// Counts what failed while it goes.
struct Teller {
    std::string& out;
    std::size_t failed = 0;

    void operator()(const host::Outcome& outcome) {
        const bool done = outcome.error.empty();
        out += line_of(outcome.change, done ? "" : "   FAILED: " + outcome.error);
        failed += done ? 0 : 1;
    }
};

int undo(const TuneArguments& arguments, const host::HostFiles& files, const std::string& state, std::string& out,
         std::string& error) {
    Teller teller{out};
    bool done = true;
    if (arguments.dry_run) {
        std::vector<host::Change> changes;
        done = host::read_undo(files, state, changes, error);
        for (const host::Change& change : changes) out += line_of(change, "");
    } else {
        done = host::undo_changes(files, state, std::ref(teller), error);
    }
    if (!done) error += "\n";
    if (teller.failed > 0) {
        error += fmt::format("{} settings could not be restored; they stay in {} for another --undo\n", teller.failed,
                             state);
    }
    return done && teller.failed == 0 ? 0 : kExitNotAll;
}

int apply(const TuneArguments& arguments, const host::HostFiles& files, const host::Plan& plan,
          const std::string& state, std::string& out, std::string& error) {
    Teller teller{out};
    if (arguments.dry_run) {
        for (const host::Change& change : plan.changes) out += line_of(change, "");
    } else if (!host::apply_changes(files, plan.changes, state, std::ref(teller), error)) {
        error += "; nothing was changed\n";
        return kExitNotAll;
    }
    if (plan.changes.empty()) out += "Nothing to change: what can be set at run time is as the profile asks.\n";
    if (!plan.by_hand.empty()) out += "\nBy hand:\n";
    for (const std::string& text : plan.by_hand) out += "  " + text + "\n";
    if (teller.failed > 0) {
        error += fmt::format("{} of {} settings could not be changed\n", teller.failed, plan.changes.size());
        return kExitNotAll;
    }
    return 0;
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
        out = host::proposal_text(proposal);
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
    command->footer(
        "Without --apply and --undo the proposed profile is printed: `bayplan tune > profile.yaml`.\n"
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
