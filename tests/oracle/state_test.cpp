// rules/world.md, sessions.md, nodes.md: slots, sequence and group numbers, ticks, connections, the state
// stream. Every expectation is computed by hand from the page.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace bayplan::oracle {
namespace {

std::uint64_t slot(const SmallCluster& cluster, const std::string& node) {
    return cluster.oracle.nodes().at(node).slot;
}

// R-WORLD-8, R-WORLD-13, R-WORLD-14.
TEST(OracleSlots, GroupsGetTheirOwnBlocksAndFreedSlotsAreTakenAgain) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}}, "s", {{kZone, kEast}});
    cluster.node(kNode2, {{kCpu, 1000}}, "s", {{kZone, kWest}});
    cluster.node(kNode3, {{kCpu, 1023}}, "s", {{kZone, kEast}});
    EXPECT_EQ(slot(cluster, "n1"), 0u);
    EXPECT_EQ(slot(cluster, "n2"), 64u);
    EXPECT_EQ(slot(cluster, "n3"), 1u);
    cluster.node_action(kNode1, NodeAction::decommission);
    cluster.node(kNode4, {{kCpu, 513}}, "s", {{kZone, kEast}});
    EXPECT_EQ(slot(cluster, "n4"), 0u);
}

// R-WORLD-14, R-WORLD-15.
TEST(OracleSlots, AnEmptyBlockGoesToTheNextGroup) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}}, "s", {{kType, kBig}});
    cluster.node(kNode2, {{kCpu, 1000}});
    cluster.node_action(kNode1, NodeAction::decommission);
    cluster.node(kNode3, {{kCpu, 1024}});  // one bit more: another group
    EXPECT_EQ(slot(cluster, "n3"), 0u);
    cluster.node(kNode4, {{kCpu, 1000}, {kGpu, 0}});  // a kind of value 0 does not count
    EXPECT_EQ(slot(cluster, "n4"), 65u);
}

// R-WORLD-10.
TEST(OracleSlots, AnUpdateKeepsTheSlot) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}});
    cluster.node_action(kNode1, NodeAction::update, {{kCpu, 5}});
    cluster.node(kNode2, {{kCpu, 1000}});
    EXPECT_EQ(slot(cluster, "n1"), 0u);
    EXPECT_EQ(slot(cluster, "n2"), 1u);
}

// R-WORLD-23 to R-WORLD-25.
TEST(OracleAsks, AGroupHasTheNumberOfItsFirstAskUntilItsLastAskGoes) {
    SmallCluster cluster;
    cluster.ready();
    cluster.ask({.key = "x", .application = kAppA});
    cluster.ask({.key = "g1", .application = kAppA, .group = kGroupG});
    cluster.ask({.key = "y", .application = kAppA});
    cluster.ask({.key = "g2", .application = kAppA, .group = kGroupG});
    cluster.ask({.key = "b", .application = kAppB, .group = kGroupG});
    EXPECT_EQ(cluster.oracle.find_ask("s", "g2")->group_number, 2u);
    EXPECT_EQ(cluster.oracle.find_ask("s", "b")->group_number, 5u);
    cluster.release("g1");
    cluster.ask({.key = "g3", .application = kAppA, .group = kGroupG});
    EXPECT_EQ(cluster.oracle.find_ask("s", "g3")->group_number, 2u);
    cluster.release("g2");
    cluster.release("g3");
    cluster.ask({.key = "g4", .application = kAppA, .group = kGroupG});
    EXPECT_EQ(cluster.oracle.find_ask("s", "g4")->group_number, 7u);
}

// R-WORLD-26.
TEST(OracleAsks, RequestsOfZeroAreDropped) {
    SmallCluster cluster;
    cluster.ready();
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 0}, {kGpu, 1}}});
    EXPECT_EQ(cluster.oracle.find_ask("s", "x")->requests, (Amounts{{"gpu", 1}}));
}

// R-SESSION-15, R-SESSION-36, R-SESSION-38, R-ATTEMPT-1.
TEST(OracleConnect, AShimMustStateAllAndOnceItHasAnythingNothingIsDecidedBefore) {
    SmallCluster cluster;
    cluster.ready();
    cluster.ask({.key = "x", .application = kAppA});
    const ConnectionId other = cluster.connect("t");
    EXPECT_EQ(cluster.oracle.connections().at(other).outcome, HelloOutcome::resync);
    EXPECT_TRUE(cluster.oracle.has_work());
    cluster.send(OwnedNodes{}, "t");
    EXPECT_EQ(cluster.last("t"), "1 message_rejected state//a resync must begin first");
    cluster.define("t");
    cluster.send(OwnedResyncEnd{}, "t");
    EXPECT_EQ(cluster.last("t"), "2 message_rejected state//a resync must begin first");
    cluster.send(OwnedResyncBegin{}, "t");
    cluster.node(kNode2, {{kCpu, 1000}}, "t");
    EXPECT_EQ(cluster.oracle.run(10), 0u);
    EXPECT_FALSE(cluster.oracle.has_work());
    cluster.send(OwnedResyncEnd{}, "t");
    EXPECT_EQ(cluster.oracle.run(10), 1u);
    cluster.send(OwnedResyncEnd{}, "t");
    EXPECT_EQ(cluster.last("t"), "4 message_rejected resync//no resync is open");
}

// R-SESSION-39 to R-SESSION-42.
TEST(OracleConnect, AShimIsWaitedForUntilItsDeadline) {
    constexpr std::int64_t kDeadline = 30'000'000'000;
    SmallCluster cluster;
    cluster.ready("t");
    cluster.node(kNode2, {{kCpu, 1000}}, "t");
    cluster.ready();
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 1}}});
    cluster.tick(5);
    cluster.connect("t", 9);  // another instance of the shim, which says no more
    EXPECT_EQ(cluster.oracle.run(10), 0u);
    EXPECT_EQ(cluster.oracle.next_timer_ns(), 5 + kDeadline);
    cluster.tick(4 + kDeadline);
    EXPECT_EQ(cluster.oracle.run(10), 0u);
    cluster.tick(5 + kDeadline);
    EXPECT_EQ(cluster.oracle.counters().resyncs_overdue, 1u);
    EXPECT_EQ(cluster.oracle.run(10), 1u);
    EXPECT_EQ(cluster.oracle.find_ask("s", "x")->node, "n2");  // what it has stays
    cluster.connect("t", 10);                                  // again: its time is used up, for ten times as long
    EXPECT_EQ(cluster.oracle.counters().resyncs_holding, 0u);
    cluster.tick(4 + 10 * kDeadline);
    cluster.connect("t", 11);
    EXPECT_EQ(cluster.oracle.counters().resyncs_holding, 0u);
    cluster.tick(5 + 10 * kDeadline);
    cluster.connect("t", 12);
    EXPECT_EQ(cluster.oracle.counters().resyncs_holding, 1u);
}

// R-SESSION-5.
TEST(OracleConnect, ResumeNeedsTheSameInstancesAndAKnownDecision) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.node(kNode2, {{kCpu, 10}});
    const std::uint64_t last = cluster.oracle.shims().at("s").last_number;
    const std::uint64_t applied = cluster.oracle.shims().at("s").applied;
    const ConnectionId good = cluster.connect("s", 7, 1, last - 1);
    const ConnectionStory& story = cluster.oracle.connections().at(good);
    EXPECT_EQ(story.outcome, HelloOutcome::resume);
    EXPECT_EQ(story.state_applied_at_hello, applied);
    ASSERT_EQ(story.decisions.size(), 1u);
    EXPECT_EQ(to_text(story.decisions[0]), std::to_string(last) + " node_accepted n2//");

    const auto outcome = [](std::uint64_t instance, std::uint64_t daemon, std::uint64_t received) {
        SmallCluster fresh;
        fresh.ready();
        fresh.node(kNode1, {{kCpu, 10}});
        const ConnectionId id = fresh.connect("s", instance, daemon, received);
        return fresh.oracle.connections().at(id).outcome;
    };
    // ready() gets two decisions (the applications) and acknowledges them; the node is the third.
    EXPECT_EQ(outcome(7, 1, 3), HelloOutcome::resume);
    EXPECT_EQ(outcome(7, 1, 2), HelloOutcome::resume);
    EXPECT_EQ(outcome(7, 1, 1), HelloOutcome::resync);
    EXPECT_EQ(outcome(7, 1, 4), HelloOutcome::resync);
    EXPECT_EQ(outcome(8, 1, 3), HelloOutcome::resync);
    EXPECT_EQ(outcome(7, 2, 3), HelloOutcome::resync);
}

// R-SESSION-4.
TEST(OracleConnect, AFormerConnectionNoLongerCounts) {
    SmallCluster cluster;
    cluster.ready();
    const ConnectionId former = cluster.connection.at("s");
    cluster.connect("s", 7, 1, 2);
    cluster.oracle.apply(Disconnect{former});
    EXPECT_TRUE(cluster.oracle.shims().at("s").connection.has_value());
    const Borrowed message(OwnedConfiguration{"x"});
    const std::uint64_t applied = cluster.oracle.shims().at("s").applied;
    cluster.oracle.apply(StateMessage{former, applied + 1, message.body()});
    EXPECT_EQ(cluster.oracle.shims().at("s").applied, applied);
}

// R-SESSION-13, R-SESSION-14.
TEST(OracleState, DuplicatesAreIgnoredAndAGapCuts) {
    SmallCluster cluster;
    cluster.ready();
    const std::uint64_t applied = cluster.oracle.shims().at("s").applied;
    cluster.send_as(applied, OwnedConfiguration{"x"});
    EXPECT_EQ(cluster.last(), "2 application_accepted b//");
    cluster.send_as(applied + 1, OwnedConfiguration{"x"});
    EXPECT_EQ(cluster.last(),
              "3 message_rejected configuration//queue configuration is set by the operator of "
              "this daemon");
    cluster.send_as(applied + 3, OwnedConfiguration{"x"});
    EXPECT_FALSE(cluster.oracle.shims().at("s").connection.has_value());
    EXPECT_TRUE(cluster.oracle.connections().at(cluster.connection.at("s")).cut);
    EXPECT_EQ(cluster.oracle.shims().at("s").applied, applied + 1);
}

// R-SESSION-11, R-SESSION-6.
TEST(OracleState, DecidesForADisconnectedShimAndSendsOnResume) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 1}}});
    cluster.oracle.apply(Disconnect{cluster.connection.at("s")});
    EXPECT_EQ(cluster.oracle.run(5), 1u);
    const ConnectionId again = cluster.connect("s", 7, 1, 3);
    ASSERT_EQ(cluster.oracle.connections().at(again).decisions.size(), 1u);
    EXPECT_EQ(to_text(cluster.oracle.connections().at(again).decisions[0]), "4 allocated x/n1/");
    EXPECT_EQ(cluster.state("x"), "unacknowledged");
    cluster.acknowledge(4);
    EXPECT_EQ(cluster.state("x"), "allocated");
}

// R-SESSION-18, R-SESSION-19, R-SESSION-22.
TEST(OracleState, ResyncKeepsWhatIsStatedAndDropsTheRest) {
    SmallCluster cluster;
    cluster.ready();
    cluster.ready("t");
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.node(kNode2, {{kCpu, 10}});
    cluster.ask({.key = "x", .application = kAppA, .node = kNode2, .requests = {{kCpu, 1}}});
    cluster.ask({.key = "on2", .application = kAppA, .node = kNode2, .requests = {{kCpu, 2}}}, "t");
    cluster.connect("s", 8);
    EXPECT_EQ(cluster.state("x"), "allocated");
    cluster.define();
    cluster.send(OwnedResyncBegin{});
    EXPECT_EQ(cluster.state("x"), "");
    EXPECT_EQ(cluster.oracle.nodes().at("n2").used.at("cpu"), 2);
    cluster.node(kNode1, {{kCpu, 20}});
    EXPECT_EQ(cluster.last(), "1 node_accepted n1//");
    cluster.node(kNode1, {{kCpu, 20}});
    EXPECT_EQ(cluster.last(), "2 node_rejected n1//node exists already");
    cluster.send(OwnedResyncEnd{});
    EXPECT_EQ(cluster.oracle.nodes().at("n1").capacity.at("cpu"), 20);
    EXPECT_FALSE(cluster.oracle.nodes().contains("n2"));
    EXPECT_EQ(cluster.last("t"), "3 released on2/n2/node n2 was decommissioned");
    EXPECT_EQ(cluster.state("on2", "t"), "");
    ASSERT_EQ(cluster.oracle.log().size(), 1u);
    EXPECT_EQ(cluster.oracle.log()[0], "1 0 release t/on2 n2 - node n2 was decommissioned");
    EXPECT_EQ(cluster.oracle.attempts(), 0u);
}

// R-SESSION-17.
TEST(OracleState, AResyncCanOpenOnALiveConnection) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "x", .application = kAppA});
    cluster.send(OwnedResyncBegin{});
    EXPECT_EQ(cluster.state("x"), "");
    EXPECT_EQ(cluster.last(), "3 node_accepted n1//");  // numbering goes on
    cluster.node_action(kNode1, NodeAction::create_drain, {{kCpu, 5}});
    EXPECT_FALSE(cluster.oracle.nodes().at("n1").schedulable);
    cluster.send(OwnedResyncEnd{});
    EXPECT_TRUE(cluster.oracle.nodes().contains("n1"));
}

// R-ASK-35, R-ASK-36, R-ASK-40.
TEST(OracleState, APodStatedBeforeItsNodeWaitsForItAndThenTakesItsPlace) {
    SmallCluster cluster;
    cluster.ready();
    cluster.ready("t");
    cluster.ask({.key = "x", .application = kAppA, .node = kNode1, .requests = {{kCpu, 7}}});
    cluster.ask({.key = "f", .node = kNode1, .foreign = true, .requests = {{kCpu, 2}}});
    EXPECT_EQ(cluster.last(), "4 ask_waiting f//waiting for node n1");
    EXPECT_EQ(cluster.state("x"), "waiting_for_node");
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 5}}});  // no node: the same
    EXPECT_EQ(cluster.last(), "4 ask_waiting f//waiting for node n1");
    cluster.nack("x");
    EXPECT_EQ(cluster.last(), "5 message_rejected x//no such allocation");
    EXPECT_FALSE(cluster.oracle.has_work());
    cluster.node(kNode1, {{kCpu, 4}}, "t");
    EXPECT_EQ(cluster.state("x"), "allocated");
    EXPECT_EQ(cluster.oracle.nodes().at("n1").used.at("cpu"), 5);
    EXPECT_EQ(cluster.oracle.nodes().at("n1").foreign.at("cpu"), 2);
    EXPECT_EQ(cluster.last(), "5 message_rejected x//no such allocation");
    cluster.node_action(kNode1, NodeAction::decommission, {}, "t");
    EXPECT_EQ(cluster.last(), "6 released x/n1/node n1 was decommissioned");
    EXPECT_EQ(cluster.oracle.audit(), std::vector<std::string>{});
}

// R-ASK-38, R-ASK-39, R-ASK-41.
TEST(OracleState, APodThatWaitsForItsNodeFollowsWhatIsStatedAndEndsLikeAnyAsk) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode2, {{kCpu, 4}});
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 9}}});
    cluster.oracle.run(1);
    EXPECT_EQ(cluster.state("x"), "unschedulable");
    cluster.ask({.key = "x", .application = kAppA, .node = kNode1});  // it was bound by somebody else
    EXPECT_EQ(cluster.last(), "5 ask_waiting x//waiting for node n1");
    cluster.ask({.key = "x", .application = kAppA, .node = kNode3});
    EXPECT_EQ(cluster.last(), "6 ask_waiting x//waiting for node n3");
    cluster.ask({.key = "x", .application = kAppA, .node = kNode2});
    EXPECT_EQ(cluster.state("x"), "allocated");
    cluster.ask({.key = "y", .application = kAppA, .node = kNode1});
    cluster.ask({.key = "z", .application = kAppB, .node = kNode1});
    cluster.release("y");
    cluster.send(OwnedApplications{{}, {kAppB}});
    EXPECT_EQ(cluster.oracle.counters().waiting_for_node, 0u);
    cluster.ask({.key = "y", .application = kAppA, .node = kNode1});
    cluster.send(OwnedResyncBegin{});
    EXPECT_EQ(cluster.state("y"), "");
}

// R-SESSION-1.
TEST(OracleTick, NowNeverGoesBack) {
    SmallCluster cluster;
    cluster.tick(50);
    cluster.tick(20);
    EXPECT_EQ(cluster.oracle.now(), 50);
}

}  // namespace
}  // namespace bayplan::oracle
