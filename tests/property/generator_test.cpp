// The generator alone, with the oracle: does it reach everything that src/engine/rules names, is the oracle
// sound on its way, and does the shrinker keep what matters?
#include <gtest/gtest.h>

#include <algorithm>

#include "coverage.h"
#include "crowd.h"
#include "feed.h"
#include "shrink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 500;
constexpr std::uint64_t kCrowdsMax = 20000;

// Goes through a history with an oracle alone.
oracle::Oracle played(const History& history) {
    oracle::Oracle oracle(history.options);
    oracle.count_what_decides();
    Connections connections;
    for (const Event& event : history.events) {
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, resolve(event, oracle, connections), history.options);
        }
    }
    return oracle;
}

oracle::Oracle crowd_played(std::uint64_t seed) {
    Random random(seed);
    const EngineOptions options = crowd_options(random, false);
    oracle::Oracle oracle(options);
    oracle.count_what_decides();
    Connections connections;
    Crowd crowd(seed, options, 1);
    for (std::size_t steps = 0; steps < crowd.length(); ++steps) {
        const Event event = crowd.next(oracle);
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, resolve(event, oracle, connections), options);
        }
    }
    return oracle;
}

TEST(Generator, ReachesEveryInputAndEveryRejection) {
    Coverage coverage(true);
    for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
        const History history = history_of(seed, true);
        const oracle::Oracle oracle = played(history);
        coverage.add(history.options);
        coverage.add(history.events);
        coverage.add(oracle);
        ASSERT_EQ(oracle.audit(), std::vector<std::string>{}) << to_text(history);
    }
    // Real scheduling dominates.
    EXPECT_GT(coverage.counts().at("place lines"), kHistories * 19);
    EXPECT_GT(coverage.counts().at("fail lines"), kHistories * 5);
    // A few things are met once in some hundreds of histories: as many more as it takes, to a bound.
    for (std::uint64_t seed = kHistories + 1; seed <= 2 * kHistories && !coverage.never_seen().empty(); ++seed) {
        const History history = history_of(seed, true);
        coverage.add(history.options);
        coverage.add(history.events);
        coverage.add(played(history));
    }
    // Crowds are for the finer points of the choice of victims, of which one decides in a crowd of five hundred.
    for (std::uint64_t seed = 1; seed <= kCrowdsMax && !coverage.never_seen().empty(); ++seed) {
        coverage.add(crowd_played(seed));
    }
    EXPECT_EQ(coverage.never_seen(), std::vector<std::string>{}) << coverage.summary();
}

TEST(Generator, ASeedIsAHistory) {
    EXPECT_EQ(to_text(history_of(11, true)), to_text(history_of(11, true)));
    EXPECT_NE(to_text(history_of(11, true)), to_text(history_of(12, true)));
}

TEST(Shrink, KeepsOnlyWhatTheFailureNeeds) {
    const auto places = [](const History& candidate) {
        const auto log = played(candidate).log();
        return std::any_of(log.begin(), log.end(),
                           [](const std::string& line) { return line.find(" place ") != std::string::npos; });
    };
    std::uint64_t seed = 5;
    while (!places(history_of(seed, true))) {  // most do
        ASSERT_LT(++seed, 20u);
    }
    const History history = history_of(seed, true);
    const History small = shrink(history, places, 3000);
    ASSERT_TRUE(places(small));
    EXPECT_LE(small.events.size(), 14u) << to_text(small);
    for (std::size_t i = 0; i < small.events.size(); ++i) {
        History without = small;
        without.events.erase(without.events.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(places(without)) << "event " << i << " is not needed\n" << to_text(small);
    }
}

}  // namespace
}  // namespace bayplan::property
