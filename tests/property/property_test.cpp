// R-LAW-1, and all laws after every step: random histories through the engine and the oracle, side by
// side.
#include <gtest/gtest.h>

#include <iostream>

#include "coverage.h"
#include "generator.h"
#include "lockstep.h"
#include "shrink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 2000;  // about 30 s in a release build on an idle core
constexpr int kFailuresShown = 3;

std::string shrunk(const History& history, const Difference& difference) {
    const History small = shrink(
        history, [](const History& candidate) { return first_difference(candidate).has_value(); },
        Suite::shrink_trials());
    const auto remaining = first_difference(small);
    return "at event " + std::to_string(difference.event) + " of " + std::to_string(history.events.size()) + ": " +
           difference.what + "\nThe smallest history found:\n" + to_text(small) +
           "and there: " + (remaining ? remaining->what : "no difference when run again");
}

TEST(Property, EngineEqualsOracleAfterEveryStep) {
    const Suite suite = Suite::from_environment(kHistories);
    Coverage coverage;
    EngineCounters sums;
    std::uint64_t wakes_compared = 0;
    int failures = 0;
    for (std::uint64_t i = 0; i < suite.histories && failures < kFailuresShown; ++i) {
        const std::uint64_t seed = suite.first_seed + i;
        const SeedInCrashes note(seed);
        History history{seed, options_of(seed, suite.with_tbb), {}};
        Generator generator(seed, history.options);
        Lockstep lockstep(history.options, history.wakes_in_slices());
        std::string what;
        while (what.empty() && history.events.size() < generator.length()) {
            history.events.push_back(generator.next(lockstep.oracle()));
            what = lockstep.step(history.events.back());
        }
        what = what.empty() ? lockstep.finish() : what;
        if (!what.empty()) {
            ADD_FAILURE() << "seed " << seed << " " << shrunk(history, {what, history.events.size() - 1});
            ++failures;
        }
        coverage.add(history.options);
        coverage.add(history.events);
        coverage.add(lockstep.oracle());
        wakes_compared += lockstep.wakes_compared();
        const EngineCounters counters = lockstep.counters();
        sums.batches_inline += counters.batches_inline;
        sums.batches_graph += counters.batches_graph;
        sums.batches_overlapped += counters.batches_overlapped;
        sums.batches_cut += counters.batches_cut;
        sums.blocks_rechecked += counters.blocks_rechecked;
        sums.resolved_at_commit += counters.resolved_at_commit;
    }
    std::cout << coverage.summary() << "  batches: " << sums.batches_inline << " inline, " << sums.batches_graph
              << " by the graph, " << sums.batches_overlapped << " overlapped, " << sums.batches_cut << " cut; "
              << sums.blocks_rechecked << " blocks looked at again, " << sums.resolved_at_commit
              << " asks resolved at commit; " << wakes_compared << " events wake as explanations say\n";
    if (suite.complete && failures == 0) {
        EXPECT_EQ(coverage.never_seen(), std::vector<std::string>{});
        EXPECT_GT(sums.batches_inline, 0u);
        EXPECT_GT(sums.batches_graph, 0u);
        EXPECT_GT(sums.batches_overlapped, 0u);
        EXPECT_GT(sums.batches_cut, 0u);
        EXPECT_GT(sums.blocks_rechecked, 0u);
        EXPECT_GT(wakes_compared, 0u);
    }
}

}  // namespace
}  // namespace bayplan::property
