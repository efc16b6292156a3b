// Random histories in trees of a hundred queues on three levels, with users, limits, rules and new files in between, through
// the engine and the oracle, side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "generator.h"
#include "lockstep.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 60;
constexpr std::uint64_t kFirstSeed = 5'000'000;

struct Seen {
    std::uint64_t files = 0;  // that were taken
    std::size_t queues = 0;   // the most at once; likewise the next
    std::size_t in_use = 0;
    std::size_t waiting = 0;  // more is asked for there than they have room for
    std::uint64_t placed = 0;

    void look(const Engine& engine) {
        std::size_t used = 0;
        std::size_t wait = 0;
        const std::vector<QueueReport> reports = engine.queues();
        for (const QueueReport& report : reports) {
            used += report.leaf && !report.used.empty() ? 1 : 0;
            wait += report.leaf && !report.used.empty() && !report.pending.empty() ? 1 : 0;
        }
        queues = std::max(queues, reports.size());
        in_use = std::max(in_use, used);
        waiting = std::max(waiting, wait);
    }
};

std::string play(std::uint64_t seed, bool with_tbb, Seen& seen) {
    History history{seed, options_of(seed, with_tbb), {}};
    history.options.queues = true;
    Generator generator(seed, history.options, QueueCount::hundred);
    Lockstep lockstep(history.options);
    for (std::uint64_t at = 0; at < generator.length(); ++at) {
        const Event event = generator.next(lockstep.oracle());
        const std::string what = lockstep.step(event);
        if (!what.empty()) {
            return "event " + std::to_string(at) + ": " + what;
        }
        const bool is_file = std::holds_alternative<QueuesEvent>(event);
        seen.files += is_file && lockstep.engine().queues_fault().empty() ? 1 : 0;
        if (std::holds_alternative<RunEvent>(event)) {
            seen.look(lockstep.engine());
        }
    }
    seen.placed += lockstep.counters().placed;
    return lockstep.finish();
}

TEST(WideTrees, EngineEqualsOracleAfterEveryStep) {
    const Suite suite = Suite::from_environment(kHistories, "BAYPLAN_WIDE_TREES");
    Seen seen;
    for (std::uint64_t i = 0; i < suite.histories && !HasFailure(); ++i) {
        const std::uint64_t seed = kFirstSeed + suite.first_seed + i;
        const SeedInCrashes note(seed);
        EXPECT_EQ(play(seed, suite.with_tbb, seen), "") << "seed " << seed;
    }
    std::cout << "  " << seen.files << " files; at once " << seen.queues << " queues, " << seen.in_use << " in use, "
              << seen.waiting << " that want more; " << seen.placed << " pods placed\n";
    if (suite.histories >= kHistories) {
        EXPECT_GE(seen.queues, 100u);
        EXPECT_GE(seen.in_use, 15u);
        EXPECT_GE(seen.waiting, 5u);
        EXPECT_GT(seen.files, suite.histories);
        EXPECT_GT(seen.placed, 10 * suite.histories);
    }
}

}  // namespace
}  // namespace bayplan::property
