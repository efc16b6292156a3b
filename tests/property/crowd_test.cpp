// Preemption in small crowded clusters: the engine equals the oracle after every step, and after every attempt the
// laws hold that need no scheduler to be checked.
#include <gtest/gtest.h>

#include <iostream>

#include "crowd.h"
#include "lockstep.h"
#include "oracle_guarantees.h"
#include "preemption_laws.h"
#include "shrink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 1000;
constexpr std::uint64_t kPerLargeOne = 1000;  // small ones for each large one
constexpr std::int64_t kLargeScale = 4;
constexpr int kFailuresShown = 3;
constexpr std::uint64_t kCrowdSalt = 0xc405d;

// The comparison, and the laws after each attempt that was made alone.
class Judged {
public:
    explicit Judged(const EngineOptions& options) : lockstep_(options) {}

    std::string step(const Event& event) {
        const std::size_t log_begin = lockstep_.oracle().log().size();
        const std::string difference = lockstep_.step(event);
        const auto* run = std::get_if<RunEvent>(&event);
        if (!difference.empty() || run == nullptr) {
            return difference;
        }
        std::string broken = run->attempts_max == 1 ? broken_law(oracle(), log_begin) : "";
        broken = broken.empty() && !oracle().has_work() ? broken_sleep(oracle()) : broken;
        return broken.empty() && !oracle().has_work() ? oracle::GuaranteeRules(oracle()).sleeper() : broken;
    }
    std::string finish() { return lockstep_.finish(); }
    const oracle::Oracle& oracle() const { return lockstep_.oracle(); }

private:
    Lockstep lockstep_;
};

std::optional<Difference> first_fault(const History& history) {
    Judged judged(history.options);
    for (std::size_t i = 0; i < history.events.size(); ++i) {
        const std::string what = judged.step(history.events[i]);
        if (!what.empty()) {
            return Difference{what, i};
        }
    }
    const std::string what = judged.finish();
    return what.empty() ? std::nullopt : std::optional(Difference{what, history.events.size()});
}

std::string shrunk(const History& history) {
    const History small = shrink(
        history, [](const History& candidate) { return first_fault(candidate).has_value(); }, Suite::shrink_trials());
    const auto remaining = first_fault(small);
    return "\nThe smallest history found:\n" + to_text(small) +
           "and there: " + (remaining ? remaining->what : "no difference when run again");
}

// Each must have been met, or the histories show less than they seem to.
const std::vector<std::string> kRules = {"victim told",
                                         "victim terminates already",
                                         "victim of another shim",
                                         "taken from a budget",
                                         "lower nomination cleared",
                                         "lower nomination fits no longer",
                                         "lower nomination fits still",
                                         "nomination ends as no node is found",
                                         "nomination to another node",
                                         "victim told again",
                                         "victim became stuck",
                                         "victim stuck already",
                                         "placed on the nominated node",
                                         "placed elsewhere",
                                         "early from backoff",
                                         "daemon pod placed at once",
                                         "daemon pod placed on its reserved node",
                                         "daemon pod by the ordinary rules",
                                         "too many have the node reserved",
                                         "nominated daemon pod reserves",
                                         "nomination gives way to a daemon pod",
                                         "nomination stays beside a daemon pod",
                                         "reservation: coming at once",
                                         "reservation: never at once",
                                         "reservation: nothing-found at once",
                                         "reservation: chosen at once",
                                         "reservation: chosen",
                                         "reservation: clear",
                                         "reservation: expire",
                                         "reserved, and stated again",
                                         "reserved node gone",
                                         "a gang goes whole",
                                         "a gang goes whole for a daemon pod",
                                         "gang waits for its victims",
                                         "gang may not preempt",
                                         "gang finds nobody to preempt",
                                         "member nominated",
                                         "explained whom a pod group preempts",
                                         "member nominated where there is room",
                                         "member placed on its nominated node",
                                         "member placed elsewhere",
                                         "left over nomination",
                                         "nominations of a gang end together",
                                         "victim of a gang stuck already",
                                         "a nominated member is another one now",
                                         "nodes reserved",
                                         "reserved anew",
                                         "nothing to reserve",
                                         "a reservation stands",
                                         "a reservation ends",
                                         "a reservation is over",
                                         "a reservation is taken over",
                                         "a preemption replaces a reservation",
                                         "a domain without room",
                                         "a gang in the first domain",
                                         "a gang in a later domain",
                                         "a gang preempts in a domain",
                                         "a member fixes the domain",
                                         "a member beyond the minimum looks outside of the domain",
                                         "no domain has its minimum, and it was only preferred",
                                         "the domain of a nomination comes first",
                                         "holds a node for its gang",
                                         "a held node is approved",
                                         "a held node is lost",
                                         "members left beside holders",
                                         "fails past gangs behind it",
                                         "rejected: timed",
                                         "rejected: yields"};

struct Played {
    std::map<std::string, std::uint64_t> met;  // rules, and how often
    int failures = 0;
};

// Where queues decide who may preempt whom.
const std::vector<std::string> kRulesOfQueues = {
    "a guaranteed ask may preempt",
    "a guaranteed ask waits for its delay",
    "a guaranteed pod group fails",
    "a pod group preempts for its guarantee",
    "explained whom a pod group preempts for its guarantee",
    "a pod group finds nobody for its guarantee",
    "a member of a pod group is beyond the guarantee",
    "woken as the delay of a guarantee is over",
    "a guarantee finds nobody to preempt",
    "a guarantee preempts",
    "a guarantee preempts a pod of no lower priority",
    "a guarantee preempts the opted-out",
    "a guarantee waits for pods that go anyway",
    "a guarantee waits for its victims",
    "a pod that its queue cannot spare stays",
    "a pod that its gang cannot spare stays",
    "a pod beyond a fence stays",
    "a pod of a queue that is not preempted stays",
    "a queue is over its maximum",
    "a queue shrinks",
    "a gang goes whole for a maximum",
    "a gang that was to go whole for a maximum stays",
    "a queue over its maximum finds nobody",
    "a queue is still over its maximum",
    "a maximum goes before a budget",
    "an opted-out pod, or an owner of others, goes for a maximum",
    "a pod stays as its queue is not preempted, whatever its maximum",
    "a pod stays as its gang cannot spare it, whatever its queue's maximum",
    "a pod stays as its queue is guaranteed it, whatever the maximum above",
    "room is made below a maximum",
    "room is made below a maximum and on a node",
    "room below a maximum takes more than its node does",
    "room below a maximum, for a node where nobody need go",
    "room below a maximum, and no node",
    "a leaf claims room",
    "a leaf waits before it claims room",
    "a leaf claims room for several asks at once",
    "an application rests",
    "an application has rested",
    "a row of failures ends",
    "too few may go for room below a maximum",
    "room below a maximum goes before a budget",
    "a pod stays as its queue cannot spare it, whatever room is lacking above",
    "a pod stays as its gang cannot spare it, whatever room is lacking"};

void play(std::uint64_t seed, bool with_tbb, std::int64_t scale, Played& sum, bool queues = false) {
    const SeedInCrashes note(seed);
    Random random(seed ^ kCrowdSalt);
    History history{seed, crowd_options(random, with_tbb), {}};
    history.options.queues = queues;
    Crowd crowd(seed, history.options, scale);
    Judged judged(history.options);
    std::string what;
    while (what.empty() && history.events.size() < crowd.length()) {
        history.events.push_back(crowd.next(judged.oracle()));
        what = judged.step(history.events.back());
    }
    what = what.empty() ? judged.finish() : what;
    if (!what.empty()) {
        ADD_FAILURE() << "seed " << seed << " at event " << history.events.size() - 1 << ": " << what
                      << shrunk(history);
        ++sum.failures;
    }
    for (const auto& [rule, times] : judged.oracle().decided_by()) {
        sum.met[rule] += times;
    }
    sum.met["nominations"] += judged.oracle().counters().nominated;
    sum.met["placements"] += judged.oracle().counters().placed;
    sum.met["failures"] += judged.oracle().counters().failed;
}

bool all_met(Played& sum) {
    return std::ranges::all_of(kRules, [&](const std::string& rule) { return sum.met["rule: " + rule] > 0; });
}

// Named so that the filter of the mutants takes it in.
TEST(Property, EngineEqualsOracleInCrowds) {
    const Suite suite = Suite::from_environment(kHistories, "BAYPLAN_CROWDS");
    Played sum;
    for (std::uint64_t i = 0; i < suite.histories && sum.failures < kFailuresShown; ++i) {
        play(suite.first_seed + i, suite.with_tbb, 1, sum);
    }
    // Some rules are met once in thousands of crowds: as many more as it takes, to a bound.
    for (std::uint64_t i = suite.histories;
         suite.complete && i < 10 * suite.histories && sum.failures == 0 && !all_met(sum); ++i) {
        play(suite.first_seed + i, suite.with_tbb, 1, sum);
    }
    for (const auto& [rule, times] : sum.met) {
        std::cout << "  " << times << "  " << rule << "\n";
    }
    if (suite.complete && sum.failures == 0) {
        EXPECT_GT(sum.met["nominations"], suite.histories * 3 / 2);
        for (const std::string& rule : kRules) {
            EXPECT_GT(sum.met["rule: " + rule], 0u) << rule;
        }
    }
}

// Far beyond the default number each of these differed once.
TEST(Property, EngineEqualsOracleInCrowdsThatOnceDiffered) {
    const bool with_tbb = Suite::from_environment(kHistories, "BAYPLAN_CROWDS").with_tbb;
    Played sum;
    for (const std::uint64_t seed : {11'168, 107'355, 110'990, 203'925}) play(seed, with_tbb, 1, sum);
    for (const std::uint64_t seed : {2'334, 5'798, 8'808, 10'889, 23'802}) play(seed, with_tbb, 1, sum, true);
}

// Queues under their guarantees take from those over theirs, and nobody else does.
TEST(Property, EngineEqualsOracleInCrowdsOfQueues) {
    const Suite suite = Suite::from_environment(kHistories, "BAYPLAN_CROWDS");
    Played sum;
    for (std::uint64_t i = 0; i < suite.histories && sum.failures < kFailuresShown; ++i) {
        play(suite.first_seed + i, suite.with_tbb, 1, sum, true);
    }
    for (const std::string& rule : kRulesOfQueues) {
        std::cout << "  " << sum.met["rule: " + rule] << "  " << rule << "\n";
        if (suite.complete && sum.failures == 0) {
            EXPECT_GT(sum.met["rule: " + rule], 0u) << rule;
        }
    }
}

// Hundreds of preemptors one behind the other.
TEST(Property, EngineEqualsOracleInLargeCrowds) {
    const Suite suite = Suite::from_environment(kHistories, "BAYPLAN_CROWDS");
    Played sum;
    for (std::uint64_t i = 0; i < suite.histories / kPerLargeOne + 1 && sum.failures < kFailuresShown; ++i) {
        play(suite.first_seed + i, suite.with_tbb, kLargeScale, sum);
    }
    std::cout << "  " << sum.met["nominations"] << " nominations\n";
    EXPECT_GT(sum.met["nominations"], 0u);
}

}  // namespace
}  // namespace bayplan::property
