// rules/credit.md, attempt.md, failure.md, log.md: order, predicates, scores, failure, waking, credit, the log and its
// digest.
#include <array>

#include <gtest/gtest.h>

#include "small_cluster.h"

namespace bayplan::oracle {
namespace {

struct Attempts : testing::Test {
    explicit Attempts(const EngineOptions& options = without_preemption()) : cluster(options) {}
    void SetUp() override { cluster.ready(); }
    std::string run_one() {
        const std::size_t before = cluster.oracle.log().size();
        cluster.oracle.run(1);
        return cluster.oracle.log().size() == before ? "nothing" : cluster.oracle.log().back();
    }
    OwnedAsk ask(const std::string& key, std::int64_t cpu, std::int32_t priority = 0) {
        return {.key = key, .application = kAppA, .priority = priority, .requests = {{kCpu, cpu}}};
    }
    SmallCluster cluster;
};

// R-ATTEMPT-3.
TEST_F(Attempts, PriorityThenGroupThenSequence) {
    cluster.node(kNode1, {{kCpu, 100}});
    OwnedAsk first = ask("g1", 1);
    first.group = kGroupG;
    OwnedAsk late = ask("g2", 1);
    late.group = kGroupG;
    cluster.ask(first);
    cluster.ask(ask("plain", 1));
    cluster.ask(late);
    cluster.ask(ask("high", 1, 5));
    cluster.ask(ask("low", 1, INT32_MIN));
    EXPECT_EQ(cluster.oracle.run(10), 5u);
    const std::vector<std::string> expected = {"1 0 place s/high n1 - -", "2 0 place s/g1 n1 - -",
                                               "3 0 place s/g2 n1 - -", "4 0 place s/plain n1 - -",
                                               "5 0 place s/low n1 - -"};
    EXPECT_EQ(cluster.oracle.log(), expected);
    EXPECT_EQ(cluster.state("high"), "unacknowledged");
    EXPECT_EQ(cluster.last(), "8 allocated low/n1/");
}

// R-ATTEMPT-6, R-PREDICATE-11.
TEST_F(Attempts, FirstFailingPredicateCountsAndAllShortKinds) {
    cluster.node(kNode1, {{kCpu, 100}, {kPods, 1}});
    cluster.node_action(kNode1, NodeAction::drain);
    cluster.node(kNode2, {{kCpu, 1}});
    cluster.node(kNode3, {{kCpu, 100}});
    OwnedAsk wanted = ask("x", 5);
    wanted.requests.push_back({kPods, 1});
    wanted.requests.push_back({kGpu, 2});
    cluster.ask(wanted);
    EXPECT_EQ(run_one(),
              "1 0 fail s/x - - 0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were "
              "unschedulable, 2 Insufficient gpu, 2 Too many pods.");
    EXPECT_EQ(cluster.state("x"), "unschedulable");
    EXPECT_EQ(cluster.last(),
              "7 ask_waiting x//0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were "
              "unschedulable, 2 Insufficient gpu, 2 Too many pods.");
    OwnedAsk named = ask("y", 100);
    named.required_node = kNode1;
    cluster.ask(named);
    EXPECT_EQ(run_one(),
              "2 0 fail s/y - - 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) "
              "didn't match the requested node name.");
    named.key = "z";
    named.tolerates_unschedulable = true;
    cluster.ask(named);
    EXPECT_EQ(run_one(), "3 0 place s/z n1 - -");
}

EngineOptions nominated_node_first() {
    EngineOptions options = without_preemption();
    options.preemption.nominated_node_first = true;
    return options;
}

struct NominatedNodeFirst : Attempts {
    NominatedNodeFirst() : Attempts(nominated_node_first()) {}
};

// R-PLUGIN-33: its nominated node, which plugins refuse, is explained among the others.
TEST_F(NominatedNodeFirst, ARefusedNominatedNodeBesideOneThatIsFree) {
    cluster.oracle.apply(Connect{.connection = 9, .shim = "s", .shim_instance = 7, .plugins = "license\n"});
    cluster.connection["s"] = 9;
    cluster.define();
    cluster.send(OwnedResyncBegin{});
    cluster.send(OwnedApplications{{{kAppA, 0, 0}}, {}});
    cluster.send(OwnedResyncEnd{});
    cluster.node(kNode1, {{kCpu, 100}});
    cluster.node(kNode2, {{kCpu, 10}});
    cluster.send(OwnedDefine{{{kNowhere + 1, "license"}}});
    SpecItem needing;
    needing.number = 1;
    needing.spec.plugins = {static_cast<DictId>(kNowhere + 1)};
    cluster.send(OwnedSpecs{.define = {needing}});
    OwnedAsk wanted = ask("x", 5);
    wanted.spec = 1;
    wanted.nominated_node = kNode2;
    cluster.ask(wanted);
    EXPECT_EQ(run_one(), "1 0 query s/x n2 - n1");
    const std::array verdicts{PluginVerdict::unresolvable, PluginVerdict::feasible};
    const PluginReason reason{0, "none left"};
    const PluginAnswer answer{.query = 1, .verdicts = verdicts, .reasons = std::span(&reason, 1)};
    const PluginAnswersMessage answers{std::span(&answer, 1)};
    cluster.oracle.apply(StateMessage{9, cluster.oracle.shims().at("s").applied + 1, answers});
    ASSERT_EQ(cluster.oracle.asks().begin()->second.nominated_node, "n2");
    const Explanation told = cluster.oracle.answer(cluster.oracle.asks().begin()->second).explanation;
    ASSERT_EQ(told.nodes.size(), 2u);
    EXPECT_EQ(told.node, "n1");
    EXPECT_EQ(told.nodes[0].verdict, Verdict::feasible);
    EXPECT_EQ(told.nodes[1].failures.at(0).predicate, "plugin license");
    EXPECT_EQ(told.nodes[1].failures.at(0).reasons, std::vector<std::string>{"none left"});
}

// R-FAILURE-3.
TEST_F(Attempts, WithoutNodes) {
    cluster.ask(ask("x", 1));
    EXPECT_EQ(run_one(), "1 0 fail s/x - - no nodes available to schedule pods");
    cluster.tick(2 * kSecond);
    EXPECT_EQ(cluster.state("x"), "unschedulable");
    cluster.node(kNode1, {{kCpu, 1}});
    EXPECT_EQ(run_one(), "2 2000000000 place s/x n1 - -");
}

// R-ATTEMPT-20.
TEST_F(Attempts, BackoffDoublesUpToItsMaximum) {
    cluster.node(kNode1, {{kCpu, 1}});
    cluster.ask(ask("x", 5));
    std::vector<std::int64_t> waits;
    for (int round = 0; round < 6; ++round) {
        ASSERT_NE(run_one(), "nothing");
        waits.push_back(cluster.oracle.find_ask("s", "x")->backoff_until - cluster.oracle.now());
        cluster.node_action(kNode1, NodeAction::update, {{kCpu, 1}});
        EXPECT_EQ(cluster.state("x"), "backoff");
        EXPECT_EQ(run_one(), "nothing");
        cluster.tick(cluster.oracle.next_timer_ns() - 1);
        EXPECT_EQ(cluster.state("x"), "backoff");
        cluster.tick(cluster.oracle.next_timer_ns());
        EXPECT_EQ(cluster.state("x"), "pending");
    }
    EXPECT_EQ(waits,
              (std::vector<std::int64_t>{kSecond, 2 * kSecond, 4 * kSecond, 8 * kSecond, 10 * kSecond, 10 * kSecond}));
    EXPECT_EQ(cluster.last(), "10 node_accepted n1//");  // only the first failure was told
    EXPECT_EQ(cluster.oracle.next_timer_ns(), INT64_MAX);
}

// One unschedulable ask per reason; which of them does an event wake?
struct Waking : Attempts {
    void SetUp() override {
        Attempts::SetUp();
        cluster.node(kNode1, {{kCpu, 10}});
        cluster.node(kNode2, {{kCpu, 10}});
        cluster.node_action(kNode2, NodeAction::drain);
        cluster.hold(1, "n1", 1, {{"cpu", 5}});
        cluster.ask({.key = "used", .application = kAppB, .node = kNode1, .requests = {{kCpu, 1}}});
        cluster.ask({.key = "f", .node = kNode1, .foreign = true, .requests = {{kCpu, 1}}});
        OwnedAsk drained = ask("unschedulable", 1);
        drained.required_node = kNode2;  // n1 fails by name
        OwnedAsk elsewhere = ask("name", 1);
        elsewhere.required_node = kNowhere;
        elsewhere.tolerates_unschedulable = true;
        OwnedAsk big = ask("resources", 11);
        big.tolerates_unschedulable = true;
        cluster.ask(drained);
        cluster.ask(elsewhere);
        cluster.ask(big);
        ASSERT_EQ(cluster.oracle.run(10), 3u);
        cluster.tick(kSecond);
    }
    std::string woken() const {
        std::string out;
        for (const std::string key : {"unschedulable", "name", "resources"}) {
            out += cluster.state(key) == "pending" ? key + " " : "";
        }
        return out;
    }
};

// R-WAKE-1.
TEST_F(Waking, NodeCreated) {
    cluster.node(kNode3, {});
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
TEST_F(Waking, NodeUpdated) {
    cluster.node_action(kNode1, NodeAction::update, {{kCpu, 10}});
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
TEST_F(Waking, NodesStatedAgainInAResync) {
    cluster.ready("t");  // its end of resync wakes everybody, so they fail again
    cluster.oracle.run(10);
    cluster.tick(100 * kSecond);
    cluster.node(kNode3, {}, "t");
    cluster.node(kNode4, {}, "t");
    cluster.oracle.run(10);
    cluster.tick(200 * kSecond);
    ASSERT_EQ(woken(), "");
    cluster.send(OwnedResyncBegin{}, "t");
    EXPECT_EQ(woken(), "");
    cluster.node_action(kNode3, NodeAction::create_drain, {}, "t");
    EXPECT_EQ(woken(), "unschedulable name resources ");
    cluster.node_action(kNode4, NodeAction::create, {}, "t");
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
// R-SESSION-23.
TEST_F(Waking, EndOfAResync) {
    cluster.ready("t");
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
// R-WAKE-1.
TEST_F(Waking, HoldDroppedOrReplaced) {
    cluster.hold(2, "n1", 1, {});
    cluster.drop(3);
    cluster.hold(1, "nowhere", 1, {});
    cluster.hold(1, "n1", 1, {{"cpu", -1}});
    cluster.hold(1, "n1", 1, {{"no such kind", 1}});
    EXPECT_EQ(woken(), "");
    EXPECT_EQ(cluster.oracle.holds().at(1).amounts.at("cpu"), 5);
    cluster.hold(2, "n2", 1, {});
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
TEST_F(Waking, HoldDropped) {
    cluster.drop(1);
    EXPECT_EQ(woken(), "unschedulable name resources ");
}
// R-WAKE-2.
TEST_F(Waking, NodeUndrained) {
    cluster.node_action(kNode2, NodeAction::undrain);
    EXPECT_EQ(woken(), "unschedulable ");
    EXPECT_EQ(run_one(), "4 1000000000 place s/unschedulable n2 - -");
}
TEST_F(Waking, Drained) {
    cluster.node_action(kNode1, NodeAction::drain);
    EXPECT_EQ(woken(), "");
}
// R-WAKE-5.
TEST_F(Waking, AllocationReleased) {
    cluster.release("used");
    EXPECT_EQ(woken(), "resources ");
}
TEST_F(Waking, ForeignPodReleased) {
    cluster.release("f");
    EXPECT_EQ(woken(), "resources ");
}
TEST_F(Waking, ApplicationRemoved) {
    cluster.send(OwnedApplications{{}, {kAppB}});
    EXPECT_EQ(woken(), "resources ");
}
TEST_F(Waking, PendingAskReleased) {
    cluster.release("name");
    EXPECT_EQ(woken(), "");
}
TEST_F(Waking, Nack) {
    cluster.nack("used");
    EXPECT_EQ(woken(), "resources ");
    EXPECT_EQ(cluster.state("used"), "backoff");
    EXPECT_EQ(cluster.oracle.next_timer_ns(), 2 * kSecond);
}
// R-WAKE-4, R-WAKE-11.
TEST_F(Waking, Decommission) {
    cluster.node_action(kNode1, NodeAction::decommission);
    EXPECT_EQ(woken(), "");
    EXPECT_EQ(cluster.state("used"), "");
    EXPECT_EQ(cluster.state("f"), "");
    EXPECT_TRUE(cluster.oracle.holds().empty());
    const auto& told = cluster.oracle.decisions("s");
    EXPECT_EQ(to_text(told[told.size() - 2]), "9 released used/n1/node n1 was decommissioned");
    EXPECT_EQ(told[told.size() - 2].termination, Termination::stopped_by_rm);
    EXPECT_EQ(cluster.last(), "10 node_accepted n1//");
    EXPECT_EQ(cluster.oracle.log().back(), "4 1000000000 release s/used n1 - node n1 was decommissioned");
    EXPECT_EQ(cluster.oracle.attempts(), 3u);
}
// R-ASK-22.
TEST_F(Waking, ChangedAsk) {
    OwnedAsk big = ask("resources", 11, 4);
    big.tolerates_unschedulable = true;
    cluster.ask(big);  // only the priority
    EXPECT_EQ(woken(), "resources ");
    big.requests[0].value = 2;
    cluster.ask(big);
    EXPECT_EQ(woken(), "resources ");
    EXPECT_EQ(run_one(), "4 1000000000 place s/resources n2 - -");  // the empty one, drained
}
// R-ASK-20.
TEST_F(Waking, StatedToRun) {
    OwnedAsk big = ask("resources", 30);
    big.node = kNode1;
    cluster.ask(big);
    EXPECT_EQ(cluster.state("resources"), "allocated");
    EXPECT_EQ(cluster.oracle.nodes().at("n1").used.at("cpu"), 31);
    EXPECT_TRUE(cluster.oracle.audit().empty());
}

// R-CREDIT-1, R-CREDIT-2.
TEST(OracleCredit, PlacementsStopWhenTheWindowIsUsedUp) {
    EngineOptions options;
    options.credit_window = 2;
    SmallCluster cluster(options);
    cluster.ready();
    cluster.ready("t");
    cluster.node(kNode1, {{kCpu, 10}});
    for (const std::string key : {"a", "b", "c"}) {
        cluster.ask({.key = key, .application = kAppA, .requests = {{kCpu, 1}}});
    }
    cluster.ask({.key = "later", .application = kAppA, .requests = {{kCpu, 1}}}, "t");
    EXPECT_EQ(cluster.oracle.run(10), 3u);  // a and b of s, then later of t
    EXPECT_EQ(cluster.oracle.log().back(), "3 0 place t/later n1 - -");
    EXPECT_EQ(cluster.state("c"), "pending");
    EXPECT_FALSE(cluster.oracle.has_work());
    cluster.acknowledge(3);  // the node; no credit by that
    EXPECT_FALSE(cluster.oracle.has_work());
    cluster.acknowledge(4);
    EXPECT_EQ(cluster.state("a"), "allocated");
    EXPECT_EQ(cluster.state("b"), "unacknowledged");
    EXPECT_EQ(cluster.oracle.run(10), 1u);
    cluster.acknowledge(99);
    EXPECT_FALSE(cluster.oracle.shims().at("s").connection.has_value());
}

// R-CREDIT-1.
TEST(OracleCredit, FailuresCostNothing) {
    EngineOptions options;
    options.credit_window = 1;
    SmallCluster cluster(options);
    cluster.ready();
    for (const std::string key : {"a", "b", "c"}) {
        cluster.ask({.key = key, .application = kAppA, .requests = {{kCpu, 1}}});
    }
    EXPECT_EQ(cluster.oracle.run(10), 3u);
}

// R-CREDIT-2.
TEST(OracleCredit, AsksAreNotTriedWhileHalfOfTheRoomIsUsed) {
    EngineOptions options;
    options.unacknowledged_max = 9;
    SmallCluster cluster(options);
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    const std::uint64_t before = cluster.oracle.shims().at("s").kept.size();
    ASSERT_LT(before, 5u);
    for (const std::string key : {"a", "b", "c", "d", "e", "f"}) {
        cluster.ask({.key = key, .application = kAppA, .requests = {{kCpu, 99}}});
    }
    EXPECT_EQ(cluster.oracle.run(10), 5 - before);  // 2 * 4 < 9, 2 * 5 is not
    EXPECT_FALSE(cluster.oracle.shims().at("s").must_resync);
    EXPECT_FALSE(cluster.oracle.has_work());
    cluster.acknowledge(cluster.oracle.shims().at("s").last_number);
    EXPECT_EQ(cluster.oracle.run(10), 1 + before);
}

// R-CREDIT-3 to R-CREDIT-6.
TEST(OracleCredit, TooManyUnacknowledgedDecisionsCutTheShim) {
    EngineOptions options;
    options.unacknowledged_max = 3;
    SmallCluster cluster(options);
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "a", .application = kAppA, .requests = {{kCpu, 1}}});
    for (int i = 0; i < 4; ++i) {
        cluster.ask({});  // refused, and told so
    }
    const Shim& shim = cluster.oracle.shims().at("s");
    EXPECT_TRUE(shim.must_resync);
    EXPECT_FALSE(shim.connection.has_value());
    EXPECT_TRUE(shim.kept.empty());
    EXPECT_EQ(cluster.state("a"), "pending");
    EXPECT_TRUE(cluster.oracle.connections().at(cluster.connection.at("s")).cut);
    const ConnectionId again = cluster.connect("s", 7, 1, 4);
    EXPECT_EQ(cluster.oracle.connections().at(again).outcome, HelloOutcome::resync);
    EXPECT_TRUE(cluster.oracle.audit().empty());
}

// R-SESSION-35.
TEST(OracleCredit, AnOldAcknowledgementDoesNotCoverANewPlacement) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "a", .application = kAppA, .requests = {{kCpu, 1}}});
    cluster.oracle.run(1);  // decision 4
    cluster.nack("a");
    cluster.tick(kSecond);
    cluster.oracle.run(1);  // decision 5
    cluster.acknowledge(4);
    EXPECT_EQ(cluster.state("a"), "unacknowledged");
    cluster.acknowledge(5);
    EXPECT_EQ(cluster.state("a"), "allocated");
}

// R-SESSION-8, R-SESSION-35.
TEST(OracleCredit, NumbersOfANewStreamDoNotAcknowledgeOldPlacements) {
    SmallCluster cluster;
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "a", .application = kAppA, .requests = {{kCpu, 1}}});
    cluster.oracle.run(1);  // decision 4
    cluster.connect("s", 8);
    for (int i = 0; i < 4; ++i) {
        cluster.send(OwnedConfiguration{"x"});
    }
    EXPECT_EQ(cluster.last(), "4 message_rejected state//a resync must begin first");
    cluster.acknowledge(4);
    EXPECT_EQ(cluster.state("a"), "unacknowledged");
}

// R-LOG-1, R-LOG-8.
TEST(OracleLog, DigestIsTheSha256OfTheLines) {
    SmallCluster cluster;
    EXPECT_EQ(cluster.oracle.digest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 10}});
    cluster.ask({.key = "a", .application = kAppA, .requests = {{kCpu, 1}}});
    cluster.oracle.run(1);
    // printf '1 0 place s/a n1 - -\n' | sha256sum
    EXPECT_EQ(cluster.oracle.digest(), "0a5c769dc3179ffe22f870942bf7d7caac1852ef0af480226f88795e9cfacefa");
}

}  // namespace
}  // namespace bayplan::oracle
