// The explanation of a pod group: members that its next attempt would place, and why others would not be. Counters of groups.

#include <gtest/gtest.h>

#include "tests/engine/harness.h"

namespace bayplan::testing {
namespace {

class GroupExplained : public ::testing::TestWithParam<Coscheduling> {
protected:
    static EngineOptions options() {
        EngineOptions options;
        options.coscheduling.mode = GetParam();
        return options;
    }

    void member(const std::string& key, std::int64_t cpu, std::uint32_t minimum, std::int32_t priority = 0) {
        const Amount amount{shim_.id("cpu"), cpu};
        AskItem record;
        record.key = key;
        record.application = shim_.id("job");
        record.group = shim_.id("workers");
        record.group_min_available = minimum;
        record.priority = priority;
        record.requests = std::span(&amount, 1);
        shim_.send(AsksMessage{std::span(&record, 1)});
    }

    GroupExplanation explained(const std::string& key) {
        const std::optional<Explanation> told = engine_.explain("shim", key, false);
        EXPECT_TRUE(told && told->group);
        return told && told->group ? *told->group : GroupExplanation{};
    }

    void SetUp() override {
        shim_.application("job");
        shim_.node("n1", {{"cpu", 2'000}, {"pods", 10}});
    }

    KeepingSink sink_;
    Engine engine_{options(), sink_};
    TestShim shim_{engine_, "shim"};
};

TEST_P(GroupExplained, each_member_is_tried_as_if_those_before_it_ran) {
    member("a", 1'000, 3);
    member("b", 1'000, 3);
    member("c", 1'000, 3);
    const std::string before = engine_.digest();
    const GroupExplanation group = explained("a");
    EXPECT_EQ(engine_.digest(), before);
    EXPECT_EQ(group.name, "job/workers");
    EXPECT_EQ(group.minimum, 3u);
    EXPECT_EQ(group.counted, 3u);
    EXPECT_EQ(group.assigned, 0u);
    EXPECT_EQ(group.found, 2u);
    ASSERT_EQ(group.members.size(), 3u);
    EXPECT_EQ(group.members[0].node, "n1");
    EXPECT_EQ(group.members[0].stands, MemberStands::found);
    EXPECT_EQ(group.members[1].node, "n1");
    EXPECT_EQ(group.members[2].node, "");
    EXPECT_EQ(group.members[2].why.substr(0, 50), "0/1 nodes are available: 1 Insufficient cpu.");
    std::vector<std::string> broken;
    engine_.audit(broken);
    EXPECT_TRUE(broken.empty());
}

TEST_P(GroupExplained, what_would_be_placed_is_placed) {
    for (const char* const key : {"a", "b"}) member(key, 1'000, 2);
    const GroupExplanation before = explained("b");
    EXPECT_EQ(before.found, 2u);
    engine_.run(10);
    const GroupExplanation after = explained("b");
    EXPECT_EQ(after.found, 0u);
    EXPECT_EQ(after.assigned, 2u);
    ASSERT_EQ(after.members.size(), 2u);
    for (std::size_t at = 0; at < 2; ++at) {
        EXPECT_EQ(after.members[at].stands, MemberStands::runs);
        EXPECT_EQ(after.members[at].node, before.members[at].node);
    }
}

TEST_P(GroupExplained, without_a_quorum_it_is_said_who_does_not_count) {
    member("a", 1'000, 3);
    member("b", 1'000, 2);
    member("c", 1'000, 3, 7);
    const GroupExplanation group = explained("a");
    EXPECT_EQ(group.counted, 1u);
    ASSERT_EQ(group.members.size(), 3u);
    EXPECT_EQ(group.members[1].why, "refused: min-available differs: 2, pod group job/workers has 3");
    EXPECT_EQ(group.members[2].why, "refused: priority differs: 7, pod group job/workers has 0");
}

TEST_P(GroupExplained, a_topology_names_the_domain_in_which_its_members_look_first) {
    const Amount capacity[] = {{shim_.id("cpu"), 2'000}, {shim_.id("pods"), 10}};
    const Attribute rack{shim_.id("rack"), shim_.id("r1")};
    const NodeItem node{.node = shim_.id("n2"), .capacity = capacity, .attributes = std::span(&rack, 1)};
    shim_.send(NodesMessage{std::span(&node, 1)});
    const Amount amount{shim_.id("cpu"), 1'500};
    for (const char* const key : {"a", "b"}) {
        AskItem record;
        record.key = key;
        record.application = shim_.id("job");
        record.group = shim_.id("workers");
        record.group_min_available = 2;
        record.group_topology_key = shim_.id("rack");
        record.requests = std::span(&amount, 1);
        shim_.send(AsksMessage{std::span(&record, 1)});
    }
    const std::string before = engine_.digest();
    const GroupExplanation group = explained("a");
    EXPECT_EQ(engine_.digest(), before);
    EXPECT_EQ(group.topology, "rack (required)");
    EXPECT_EQ(group.domain, "rack=r1");
    EXPECT_EQ(group.found, 1u);
    ASSERT_EQ(group.members.size(), 2u);
    EXPECT_EQ(group.members[0].node, "n2");
    EXPECT_EQ(group.members[1].why,
              "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector.");
}

TEST_P(GroupExplained, the_deadline_is_that_of_held_nodes_or_of_those_that_would_be_held_now) {
    constexpr std::int64_t kSecond_ns = 1'000'000'000;
    const auto until = [](std::int64_t ns) { return GetParam() == Coscheduling::permit ? ns : INT64_MAX; };
    const CoschedulingOptions groups = options().coscheduling;
    const std::int64_t timeout_ns = groups.permit_timeout_ns + 3 * groups.permit_timeout_per_member_ns;
    engine_.apply(Tick{1 * kSecond_ns});
    for (const char* const key : {"a", "b", "c"}) member(key, 1'000, 3);
    EXPECT_EQ(explained("a").deadline_ns, until(1 * kSecond_ns + timeout_ns));
    engine_.apply(Tick{3 * kSecond_ns});
    EXPECT_EQ(explained("a").deadline_ns, until(3 * kSecond_ns + timeout_ns));
    engine_.run(10);
    engine_.apply(Tick{5 * kSecond_ns});
    for (const char* const key : {"a", "c"}) EXPECT_EQ(explained(key).deadline_ns, until(3 * kSecond_ns + timeout_ns));
    engine_.apply(Tick{3 * kSecond_ns + timeout_ns});  // rejected
    EXPECT_EQ(explained("a").deadline_ns, until(3 * kSecond_ns + 2 * timeout_ns));
}

TEST_P(GroupExplained, counters_say_how_many_groups_wait_and_how_long_they_took) {
    constexpr std::int64_t kSecond_ns = 1'000'000'000;
    const auto states = [&] {
        const EngineCounters now = engine_.counters();
        return std::vector<std::uint64_t>{now.groups_pending, now.groups_partial, now.groups_complete};
    };
    using Groups = std::vector<std::uint64_t>;
    engine_.apply(Tick{1 * kSecond_ns});
    member("a", 1'000, 2);
    EXPECT_EQ(states(), (Groups{1, 0, 0}));
    EXPECT_EQ(engine_.counters().groups_quorums, 0u);
    engine_.apply(Tick{4 * kSecond_ns});
    member("b", 1'000, 2);
    EXPECT_EQ(engine_.counters().groups_quorums, 1u);
    EXPECT_EQ(engine_.counters().groups_quorum_ms, 3'000u);
    engine_.apply(Tick{6 * kSecond_ns});
    while (engine_.has_work()) {
        engine_.run(100);
    }
    EXPECT_EQ(states(), (Groups{0, 0, 1}));
    EXPECT_EQ(engine_.counters().groups_placed, 1u);
    EXPECT_EQ(engine_.counters().groups_placement_ms, 2'000u);
    shim_.release("a");
    EXPECT_EQ(states(), (Groups{0, 1, 0}));
    shim_.release("b");
    EXPECT_EQ(states(), (Groups{0, 0, 0}));
    EXPECT_EQ(engine_.counters().groups_placed, 1u);
}

INSTANTIATE_TEST_SUITE_P(Modes, GroupExplained, ::testing::Values(Coscheduling::unit, Coscheduling::permit),
                         [](const auto& mode) { return mode.param == Coscheduling::unit ? "unit" : "permit"; });

}  // namespace
}  // namespace bayplan::testing
