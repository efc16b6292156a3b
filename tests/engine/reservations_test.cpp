// DaemonSet pods in an engine: reserved nodes, their ages and order, and what ends them.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

EngineOptions options() {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    made.backoff_early = false;
    return made;
}

class ReservationsTest : public ::testing::Test {
protected:
    struct Pod {
        std::string key;
        std::int64_t cpu = 0;
        int priority = 0;
        std::string node = {};  // where it runs
        std::string daemon_of = {};
        bool terminating = false;
        SpecNumber spec = 0;
    };

    void make(const EngineOptions& settings = options()) {
        engine_ = std::make_unique<Engine>(settings, sink_);
        shim_ = std::make_unique<TestShim>(*engine_, "s");
        shim_->application("app");
        shim_->node("n1", {{"cpu", 4000}, {"pods", 110}});
    }

    void state(const Pod& pod) {
        const std::vector<Amount> amounts = {{shim_->id("cpu"), pod.cpu}, {shim_->id("pods"), 1}};
        AskItem item;
        item.key = pod.key;
        item.application = shim_->id("app");
        item.priority = pod.priority;
        item.node = pod.node.empty() ? 0 : shim_->id(pod.node);
        item.daemonset = !pod.daemon_of.empty();
        item.required_node = pod.daemon_of.empty() ? 0 : shim_->id(pod.daemon_of);
        item.terminating = pod.terminating;
        item.spec = pod.spec;
        item.requests = amounts;
        shim_->send(AsksMessage{std::span(&item, 1)});
    }

    void run(std::int64_t at_s) {
        engine_->apply(Tick{at_s * kSecond});
        while (engine_->run(100) > 0) {
        }
        engine_->settle();
        std::vector<std::string> broken;
        engine_->audit(broken);
        EXPECT_TRUE(broken.empty()) << broken.front();
        EXPECT_FALSE(engine_->has_work());
    }

    // The lines since the last call, up to the reasons.
    std::vector<std::string> lines() {
        std::vector<std::string> cut;
        for (; told_ < sink_.log.size(); ++told_) {
            std::size_t from = sink_.log[told_].find(' ') + 1;
            from = sink_.log[told_].find(' ', from) + 1;
            std::size_t to = from;
            for (int word = 0; word < 4; ++word) {
                to = sink_.log[told_].find(' ', to) + 1;
            }
            cut.push_back(sink_.log[told_].substr(from, to - from - 1));
        }
        return cut;
    }
    using Lines = std::vector<std::string>;
    std::string state_of(const std::string& key) { return engine_->ask_state("s", key); }

    KeepingSink sink_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<TestShim> shim_;
    std::size_t told_ = 0;
};

TEST_F(ReservationsTest, PreemptsAtTheDelayAndIsPlacedWhenItsVictimIsGone) {
    make();
    state({.key = "a", .cpu = 4000, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
    EXPECT_EQ(state_of("x"), "reserved");
    run(30);
    EXPECT_EQ(lines(), Lines());
    EXPECT_EQ(engine_->next_timer_ns(), 31 * kSecond);
    run(31);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 s/a"});
    shim_->release("a");
    run(32);
    EXPECT_EQ(lines(), Lines{"place s/x n1 -"});
}

TEST_F(ReservationsTest, ItsPreemptionIsReportedIfThatIsAskedFor) {
    for (const bool wanted : {false, true}) {
        EngineOptions settings = options();
        settings.preemption_reports = wanted;
        make(settings);
        state({.key = "a", .cpu = 2000, .node = "n1"});
        state({.key = "b", .cpu = 1500, .node = "n1"});
        state({.key = "c", .cpu = 500, .priority = 9, .node = "n1"});
        state({.key = "x", .cpu = 1500, .priority = 5, .daemon_of = "n1"});
        run(1);
        EXPECT_TRUE(sink_.preemptions.empty());  // no victims yet
        run(31);
        EXPECT_EQ(sink_.preemptions.size(), wanted ? 1u : 0u);
    }
    EXPECT_EQ(sink_.preemptions.front(),
              R"({"time_ns":31000000000,"pod":"s/x","node":"n1","age_ms":30000,"need":{"cpu":1500},)"
              R"("candidates":["a","b","c"],"filtered":{"c":"priority"},)"
              R"("classes":{"regular":["b","a"],"owner":[],"optout":[]},"strategy":"single","class":"regular",)"
              R"("deviation_percent":0E0,"chosen":["b"],"spared":[],)"
              R"("text":"preempted by s/x: the DaemonSet pod has node n1 reserved and needs cpu"})");
}

TEST_F(ReservationsTest, KeepsItsAmountsFromEverybodyAndNoMore) {
    make();
    state({.key = "a", .cpu = 3500, .priority = 5, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
    state({.key = "high", .cpu = 500, .priority = 1000});
    state({.key = "none", .cpu = 0});
    run(2);
    EXPECT_EQ(lines(), (Lines{"nominate s/high n1 s/a", "place s/none n1 -"}));
}

TEST_F(ReservationsTest, ABlockedOneIsPassedByDaemonPodsAlone) {
    EngineOptions settings = options();
    settings.preemption.daemonset.delay_ns = 0;
    make(settings);
    state({.key = "a", .cpu = 3500, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .priority = 1, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
    state({.key = "w", .cpu = 300});
    state({.key = "y", .cpu = 400, .daemon_of = "n1"});
    run(2);
    EXPECT_EQ(lines(), (Lines{"fail s/w - -", "place s/y n1 -"}));
}

TEST_F(ReservationsTest, WakesOthersWhenItsDelayEndsForItMayBeBlockedThen) {
    EngineOptions settings = options();
    settings.preemption.daemonset.of_node_max = 1;
    make(settings);
    state({.key = "a", .cpu = 3500, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .priority = 1, .daemon_of = "n1"});
    state({.key = "y", .cpu = 400, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "fail s/y - -"}));
    run(30);
    EXPECT_EQ(lines(), Lines());
    run(31);
    EXPECT_EQ(lines(), Lines{"place s/y n1 -"});
}

TEST_F(ReservationsTest, SoManyOfANodeAndNoMore) {
    EngineOptions settings = options();
    settings.preemption.daemonset.of_node_max = 2;
    make(settings);
    state({.key = "a", .cpu = 4000, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    state({.key = "y", .cpu = 1000, .daemon_of = "n1"});
    state({.key = "z", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "reserve s/y n1 -", "fail s/z - -"}));
    state({.key = "x", .cpu = 1500, .daemon_of = "n1"});
    run(2);
    EXPECT_EQ(state_of("x"), "reserved");
    shim_->release("y");
    run(3);
    EXPECT_EQ(lines().back(), "reserve s/z n1 -");
}

// Its node lacks room, and a pod that it wants to be near. Once that pod runs there the node may be reserved, though the
// first predicate that fails, NodeResourcesFit, is not woken by that.
TEST_F(ReservationsTest, IsTriedAgainForEachPredicateThatItsNodeFails) {
    make();
    const Attribute zone{shim_->id("zone"), shim_->id("z1")};
    const std::vector<Amount> capacity = {{shim_->id("cpu"), 4000}, {shim_->id("pods"), 110}};
    const NodeItem node{
        .node = shim_->id("n1"), .action = NodeAction::update, .capacity = capacity, .attributes = std::span(&zone, 1)};
    shim_->send(NodesMessage{std::span(&node, 1)});
    std::array<SpecItem, 2> specs;
    specs[0].number = 1;
    specs[0].spec.affinity.emplace_back();
    specs[0].spec.affinity[0].topology_key = shim_->id("zone");
    specs[0].spec.affinity[0].selector = LabelSelector{{{shim_->id("app"), LabelOperator::in, {shim_->id("db")}}}};
    specs[1].number = 2;
    specs[1].spec.labels = {{shim_->id("app"), shim_->id("db")}};
    shim_->send(SpecsMessage{.define = specs, .forget = {}});
    state({.key = "a", .cpu = 4000, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1", .spec = 1});
    run(1);
    EXPECT_EQ(lines(), Lines{"fail s/x - -"});
    state({.key = "db", .node = "n1", .spec = 2});
    run(2);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
}

// It may spread by one. Topology spread leaves out a pod that terminates: then its own zone has one too many.
TEST_F(ReservationsTest, IsLookedAtAgainWhenAPodElsewhereIsChosenAsAVictim) {
    make();
    for (const char* name : {"n1", "n2"}) {
        const Attribute zone{shim_->id("zone"), shim_->id(name)};
        const std::vector<Amount> capacity = {{shim_->id("cpu"), 4000}, {shim_->id("pods"), 110}};
        const NodeItem node{.node = shim_->id(name),
                            .action = NodeAction::update,
                            .capacity = capacity,
                            .attributes = std::span(&zone, 1)};
        shim_->node(name, {{"cpu", 4000}, {"pods", 110}});
        shim_->send(NodesMessage{std::span(&node, 1)});
    }
    SpecItem item;
    item.number = 1;
    item.spec.labels = {{shim_->id("app"), shim_->id("db")}};
    item.spec.spread.emplace_back();
    item.spec.spread[0].topology_key = shim_->id("zone");
    item.spec.spread[0].max_skew = 1;
    item.spec.spread[0].hard = true;
    item.spec.spread[0].selector = LabelSelector{{{shim_->id("app"), LabelOperator::in, {shim_->id("db")}}}};
    shim_->send(SpecsMessage{.define = std::span(&item, 1), .forget = {}});
    state({.key = "here", .cpu = 4000, .priority = 9, .node = "n1", .spec = 1});
    state({.key = "there", .cpu = 4000, .node = "n2", .spec = 1});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1", .spec = 1});
    run(1);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
    state({.key = "high", .cpu = 4000, .priority = 5});
    run(2);
    EXPECT_EQ(lines(), (Lines{"nominate s/high n2 s/there", "unreserve s/x n1 -", "fail s/x - -"}));
}

TEST_F(ReservationsTest, ExpiresAndIsTriedAgainTenSecondsLater) {
    EngineOptions settings = options();
    settings.preemption.daemonset.expiry_ns = 60 * kSecond;
    make(settings);
    state({.key = "a", .cpu = 3500, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(10);
    run(40);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
    run(70);
    EXPECT_EQ(lines(), Lines{"unreserve s/x n1 -"});
    EXPECT_EQ(state_of("x"), "backoff");
    run(79);
    EXPECT_EQ(lines(), Lines());
    run(80);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
}

TEST_F(ReservationsTest, EndsWithItsNodeAndIsTriedWhenThatComesBack) {
    make();
    state({.key = "a", .cpu = 4000, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    shim_->node("n1", {}, NodeAction::decommission);
    run(2);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "release s/a n1 -", "unreserve s/x n1 -", "fail s/x - -"}));
    shim_->node("n1", {{"cpu", 4000}, {"pods", 110}});
    run(2);
    EXPECT_EQ(lines(), Lines{"place s/x n1 -"});
}

TEST_F(ReservationsTest, IsClearedWhenTheNodeIsTooSmall) {
    make();
    state({.key = "a", .cpu = 4000, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    shim_->node("n1", {{"cpu", 900}, {"pods", 110}}, NodeAction::update);
    run(2);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "unreserve s/x n1 -", "fail s/x - -"}));
    shim_->node("n1", {{"cpu", 4000}, {"pods", 110}}, NodeAction::update);
    run(2);
    EXPECT_EQ(lines(), Lines{"reserve s/x n1 -"});
}

TEST_F(ReservationsTest, GoesWithItsPodAndFreesWhatItHeld) {
    make();
    state({.key = "a", .cpu = 3500, .priority = 9, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    state({.key = "w", .cpu = 500});
    run(2);
    shim_->release("x");
    run(20);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "fail s/w - -", "place s/w n1 -"}));
}

TEST_F(ReservationsTest, StatedAgainItKeepsItsAgeAndHoldsWhatItAsksForNow) {
    make();
    state({.key = "a", .cpu = 4000, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    state({.key = "x", .cpu = 2000, .daemon_of = "n1"});
    run(31);
    EXPECT_EQ(lines(), (Lines{"reserve s/x n1 -", "reserve s/x n1 s/a"}));
    state({.key = "x", .cpu = 2000});
    run(32);
    EXPECT_EQ(lines(), (Lines{"unreserve s/x n1 -", "fail s/x - -"}));
}

TEST_F(ReservationsTest, SwitchedOffItIsAnOrdinaryPod) {
    EngineOptions settings = options();
    settings.preemption.daemonset.enabled = false;
    make(settings);
    state({.key = "a", .cpu = 4000, .node = "n1"});
    state({.key = "x", .cpu = 1000, .daemon_of = "n1"});
    run(1);
    EXPECT_EQ(lines(), Lines{"fail s/x - -"});
}

}  // namespace
}  // namespace bayplan::testing
