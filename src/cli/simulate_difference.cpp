// See simulate_difference.h.
#include "cli/simulate_difference.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "cli/dump_notes.h"
#include "cli/dump_reading.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "sim/difference.h"
#include "sim/markup.h"
#include "sim/simulation.h"
#include "terminal/text.h"

namespace bayplan::cli {

namespace {

// One of the dumps: its name, and what is decided of it.
struct Side {
    std::string name;
    const kube::ClusterDump* dump;
    sim::Outcomes outcomes;
    bool broken = false;
};

// False: interrupted, which is told.
bool decide(Side& side, const SimulateArguments& arguments, const sim::SimulationOptions& options,
            terminal::Progress& progress) {
    sim::Simulation simulation(*side.dump, options);
    const std::size_t total = side.dump->counts().pending;
    std::size_t done = 0;
    const bool whole = simulation.run(
        [&](const sim::SimulatedDecision& decision) {
            side.outcomes.add(decision);
            done += decision.attempt <= 1 ? 1 : 0;
            if (progress.due(now_ns())) {
                progress.draw(done, total, "pods", fmt::format("{}: {} of {} pods", side.name, done, total));
            }
        },
        [] { return !Interrupt::came(); });
    progress.finish();
    if (!whole) {
        fail("simulate",
             fmt::format("interrupted after {} of {} pods of {}: nothing was compared", done, total, side.name), 1);
        return false;
    }
    if (!arguments.quiet) {
        tell_unused(*side.dump, side.name);
    }
    side.broken = tell_faults(*side.dump, simulation.refused());
    return true;
}

bool print(const SimulateArguments& arguments, const Side& one, const Side& other) {
    const sim::Difference difference(one.outcomes, other.outcomes);
    if (arguments.format == sim::Format::json || arguments.format == sim::Format::yaml) {
        const auto out = arguments.format == sim::Format::json ? sim::make_json(stdout) : sim::make_yaml(stdout);
        difference.write(*out, one.name, other.name);
    } else {
        difference.print(stdout, one.name, other.name, terminal::size_of(STDOUT_FILENO).columns);
    }
    return std::fflush(stdout) == 0;
}

}  // namespace

int simulate_difference(const SimulateArguments& arguments, const kube::ClusterDump& dump,
                        const sim::SimulationOptions& options, terminal::Progress& progress) {
    kube::ClusterDump other(arguments.dump);
    if (!read_files({arguments.diff}, other, progress)) {
        tell_faults(other, {});
        return 2;
    }
    if (!other.what_if_faults().empty()) {
        return fail("simulate", fmt::format("{}: {}", arguments.diff, fmt::join(other.what_if_faults(), "; ")), 2);
    }
    Side sides[2] = {{fmt::format("{}", fmt::join(arguments.files, " ")), &dump, {}, false},
                     {arguments.diff, &other, {}, false}};
    for (Side& side : sides) {
        if (!decide(side, arguments, options, progress)) {
            return 1;
        }
    }
    if (!print(arguments, sides[0], sides[1])) {
        return fail("simulate", "standard output cannot be written", 2);
    }
    return sides[0].broken || sides[1].broken ? 1 : 0;
}

}  // namespace bayplan::cli
