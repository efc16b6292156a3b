// The victims for a DaemonSet pod, by numbers alone: the classes, the sort order and each strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "preemption/daemonset_victims.h"

namespace bayplan {
namespace {

constexpr std::int64_t kMinute = 60'000;

struct TestPod {
    std::string name;
    std::vector<std::int64_t> has;
    std::int32_t priority = 0;
    std::int64_t started_ms = kMinute;
    VictimClass victim_class = VictimClass::regular;
};

VictimQuestion question(std::vector<NeededResource> needed, const std::vector<TestPod>& pods) {
    VictimQuestion made;
    made.priority = 10;
    made.needed = std::move(needed);
    for (const TestPod& pod : pods) {
        NodePod one;
        one.priority = pod.priority;
        one.started_ms = pod.started_ms;
        one.key = pod.name;
        one.sequence = made.pods.size();
        one.victim_class = pod.victim_class;
        made.pods.push_back(one);
        made.amounts.insert(made.amounts.end(), pod.has.begin(), pod.has.end());
    }
    return made;
}

std::string names(const VictimQuestion& asked, const std::vector<std::uint32_t>& pods) {
    std::string text;
    for (const std::uint32_t pod : pods) {
        text += (text.empty() ? "" : " ") + asked.pods[pod].key;
    }
    return text;
}

std::string chosen(const VictimQuestion& asked, const DaemonsetOptions& options = {}) {
    const VictimAnswer answer = choose_daemonset_victims(asked, options);
    if (!answer.chosen) {
        return "nobody";
    }
    std::vector<std::uint32_t> victims = answer.chosen->victims;
    std::sort(victims.begin(), victims.end());
    const bool single = answer.chosen->strategy == VictimStrategy::single;
    return (single ? "single: " : "multiple: ") + names(asked, victims);
}

NeededResource cpu(std::int64_t asked, std::int64_t need) { return {asked, need, true}; }

TEST(DaemonsetVictims, FiltersByTheFirstReasonThatHolds) {
    VictimQuestion asked = question(
        {cpu(1000, 1000)},
        {{"a", {500}}, {"b", {500}}, {"c", {500}}, {"d", {500}}, {"e", {500}, 11}, {"f", {0}}, {"g", {500}, 10}});
    asked.pods[0].daemonset = asked.pods[0].terminating = true;
    asked.pods[1].terminating = asked.pods[1].is_static = true;
    asked.pods[2].is_static = asked.pods[2].foreign = true;
    asked.pods[3].foreign = true;
    const auto reasons = [&](bool foreign_victims) {
        DaemonsetOptions options;
        options.foreign_victims = foreign_victims;
        std::string text;
        for (const VictimFilter filter : choose_daemonset_victims(asked, options).filtered) {
            text += (text.empty() ? "" : " ") + std::string(filter == VictimFilter::none ? "-" : to_string(filter));
        }
        return text;
    };
    EXPECT_EQ(reasons(false), "daemonset terminating static foreign priority useless -");
    EXPECT_EQ(reasons(true), "daemonset terminating static - priority useless -");
}

// The table of the document: four pods of priority 1, three of them of one age, and two of priority 2.
TEST(DaemonsetVictims, SortsByPriorityThenAgeThenSizeThenName) {
    const VictimQuestion asked = question({cpu(1000, 5000)}, {{"p2-old", {100}, 2, kMinute},
                                                              {"p2-young", {900}, 2, 2 * kMinute},
                                                              {"p1-large", {300}, 1, kMinute},
                                                              {"p1-small-b", {100}, 1, kMinute},
                                                              {"p1-small-a", {100}, 1, kMinute},
                                                              {"p1-young", {900}, 1, 2 * kMinute},
                                                              {"p1-unknown", {900}, 1, 0}});
    const VictimAnswer answer = choose_daemonset_victims(asked, {});
    EXPECT_EQ(names(asked, answer.classes[0]), "p1-unknown p1-young p1-small-a p1-small-b p1-large p2-young p2-old");
}

TEST(DaemonsetVictims, SingleTakesTheClosestWithinTheLimit) {
    const VictimQuestion asked = question({cpu(1000, 1000)}, {{"a", {1100}}, {"b", {1050}}, {"c", {999}}});
    DaemonsetOptions options;
    options.strategies = VictimStrategies::single;
    EXPECT_EQ(chosen(asked, options), "single: b");
    options.single_deviation = 5 * kPercent;
    EXPECT_EQ(chosen(asked, options), "single: b");
    options.single_deviation = 5 * kPercent - 1;
    EXPECT_EQ(chosen(asked, options), "nobody");
}

TEST(DaemonsetVictims, EqualDeviationsAreDecidedByTheSortOrder) {
    const VictimQuestion asked = question({cpu(1000, 600)}, {{"a", {600}, 3}, {"b", {600}, 2}});
    EXPECT_EQ(chosen(asked), "single: b");
}

TEST(DaemonsetVictims, DeviationIsOfTheAskAndOfItsLargestKind) {
    // A remainder of 100 is needed: 150 is 5 % of the ask too much, though not of the remainder.
    EXPECT_EQ(chosen(question({cpu(1000, 100)}, {{"a", {150}}})), "single: a");
    const NeededResource memory{1000, 1000, true};
    EXPECT_EQ(chosen(question({cpu(1000, 1000), memory}, {{"a", {1000, 1090}}, {"b", {1080, 1080}}})), "single: b");
}

TEST(DaemonsetVictims, SlotsHaveNoSize) {
    const VictimQuestion asked = question({{1, 1, false}}, {{"b", {1}}, {"a", {1}}});
    EXPECT_EQ(chosen(asked), "single: a");
}

TEST(DaemonsetVictims, MultipleTakesTheLargestUntilTheySuffice) {
    const VictimQuestion asked = question({cpu(1000, 1000)}, {{"a", {300}}, {"b", {700}}, {"c", {600}}, {"d", {200}}});
    EXPECT_EQ(chosen(asked), "multiple: b c");
}

TEST(DaemonsetVictims, WhoIsNotNeededAfterAllIsSpared) {
    const NeededResource memory{1000, 1000, true};
    const VictimQuestion asked =
        question({cpu(1000, 1000), memory}, {{"a", {600, 0}}, {"b", {500, 500}}, {"c", {500, 500}}});
    EXPECT_EQ(chosen(asked), "multiple: b c");
    const VictimAnswer answer = choose_daemonset_victims(asked, {});
    EXPECT_EQ(names(asked, answer.chosen->spared), "a");
}

TEST(DaemonsetVictims, TheMaximumCountsWhoIsLeft) {
    const NeededResource memory{1000, 1000, true};
    const VictimQuestion asked =
        question({cpu(1000, 1000), memory}, {{"a", {600, 0}}, {"b", {500, 500}}, {"c", {500, 500}}});
    DaemonsetOptions options;
    options.multiple_max = 2;
    EXPECT_EQ(chosen(asked, options), "multiple: b c");
    options.multiple_max = 1;
    EXPECT_EQ(chosen(asked, options), "nobody");
}

TEST(DaemonsetVictims, TheOtherStrategyIsTheFallBack) {
    const VictimQuestion large = question({cpu(1000, 1000)}, {{"a", {2000}}});
    const VictimQuestion exact = question({cpu(1000, 1000)}, {{"a", {1000}}, {"b", {1500}}});
    DaemonsetOptions options;
    EXPECT_EQ(chosen(large, options), "multiple: a");
    EXPECT_EQ(chosen(exact, options), "single: a");
    options.strategies = VictimStrategies::multiple_single;
    EXPECT_EQ(chosen(exact, options), "multiple: b");
    options.strategies = VictimStrategies::multiple;
    EXPECT_EQ(chosen(exact, options), "multiple: b");
    options.strategies = VictimStrategies::single;
    EXPECT_EQ(chosen(large, options), "nobody");
}

TEST(DaemonsetVictims, ClassesAreLetInOneAfterTheOther) {
    const auto owner = VictimClass::owner;
    const auto optout = VictimClass::optout;
    EXPECT_EQ(chosen(question({cpu(1000, 1000)}, {{"out", {1000}, 0, kMinute, optout}, {"r", {500}}, {"s", {500}}})),
              "multiple: r s");
    EXPECT_EQ(chosen(question({cpu(1000, 1000)},
                              {{"out", {1000}, 0, kMinute, optout}, {"own", {1000}, 0, kMinute, owner}, {"r", {500}}})),
              "single: own");
    EXPECT_EQ(chosen(question({cpu(1000, 1000)},
                              {{"out", {400}, 0, kMinute, optout}, {"own", {400}, 0, kMinute, owner}, {"r", {400}}})),
              "multiple: out own r");
}

}  // namespace
}  // namespace bayplan
