// Decisions on small dumps, worked out by hand.
#include "sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bayplan::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string node(const std::string& name, int cpu, const std::string& spec = "{}", const std::string& labels = "{}") {
    return R"({"kind":"Node","metadata":{"name":")" + name + R"(","labels":)" + labels + R"(},"spec":)" + spec +
           R"(,"status":{"allocatable":{"cpu":")" + std::to_string(cpu) + R"(","memory":"8Gi","pods":"110"}}})";
}

std::string pod(const std::string& name, int cpu, const std::string& spec = "", const std::string& labels = "{}") {
    return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns","labels":)" + labels +
           R"(},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" + std::to_string(cpu) +
           R"("}}}])" + spec + "}}";
}

// A dump of these objects, and a simulation of it.
struct World {
    explicit World(const std::vector<std::string>& objects, SimulationOptions options = {},
                   std::vector<std::string> devices = {})
        : dump({.defaults = false, .schedulers = {}, .devices = std::move(devices)}) {
        std::string text = R"({"kind":"List","items":[)";
        for (const std::string& object : objects) {
            text += (text.back() == '[' ? "" : ",") + object;
        }
        dump.read_text(text + "]}", "test");
        dump.finish();
        EXPECT_THAT(dump.faults(), IsEmpty());
        simulation.emplace(dump, options);
        EXPECT_THAT(simulation->refused(), IsEmpty());
    }

    // "ns/a n1", "ns/a ! message" (without what preemption adds), or "ns/a > n1 for ns/x ns/y"
    std::vector<std::string> run() {
        std::vector<std::string> lines;
        simulation->run([&](const SimulatedDecision& decision) {
            decisions.push_back(decision);
            lines.push_back(decision.pod + what(decision));
        });
        return lines;
    }

    static std::string what(const SimulatedDecision& decision) {
        if (decision.outcome == Outcome::scheduled) {
            return " " + decision.node;
        }
        if (decision.outcome != Outcome::nominated) {
            return " ! " + decision.message.substr(0, decision.message.find(" no new claims"));
        }
        std::string text = " > " + decision.nominated_node + " for";
        for (const std::string& victim : decision.victims) {
            text += " " + victim;
        }
        return text;
    }

    kube::ClusterDump dump;
    std::optional<Simulation> simulation;
    std::vector<SimulatedDecision> decisions;
};

TEST(Simulation, PodsArePlacedByPriorityThenAsGiven) {
    World world({node("n1", 4), pod("a", 1), pod("b", 1), pod("c", 1, R"(,"priority":5)"), pod("d", 3)});
    EXPECT_THAT(world.run(),
                ElementsAre("ns/c n1", "ns/a n1", "ns/b n1", "ns/d ! 0/1 nodes are available: 1 Insufficient cpu."));
}

TEST(Simulation, BoundPodsAreState) {
    World world({node("n1", 4), node("n2", 4), pod("there", 3, R"(,"nodeName":"n1")"), pod("big", 4), pod("small", 1)});
    EXPECT_THAT(world.run(), ElementsAre("ns/big n2", "ns/small n1"));
}

TEST(Simulation, APodThatFailedIsTriedAgainWhenAPlacementHelpsIt) {
    const std::string zone = R"({"zone":"a"})";
    const std::string wants =
        R"(,"priority":9,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"web"}}}]}})";
    World world({node("n1", 4, "{}", zone), pod("follows", 1, wants), pod("leads", 1, "", R"({"app":"web"})")});
    EXPECT_THAT(world.run(),
                ElementsAre("ns/follows ! 0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
                            "ns/leads n1", "ns/follows n1"));
    EXPECT_EQ(world.decisions[0].attempt, 1u);
    EXPECT_EQ(world.decisions[2].attempt, 2u);
}

TEST(Simulation, VictimsAreGoneAtOnceAndThePodIsTriedAgain) {
    World world({node("n1", 4), pod("low", 3, R"(,"nodeName":"n1","priority":1)"),
                 pod("tiny", 1, R"(,"nodeName":"n1")"), pod("high", 3, R"(,"priority":9)"),
                 pod("mid", 2, R"(,"priority":5)")});
    EXPECT_THAT(world.run(), ElementsAre("ns/high > n1 for ns/low",
                                         "ns/mid ! 0/1 nodes are available: 1 Insufficient cpu.", "ns/high n1"));
    EXPECT_EQ(world.decisions[0].attempt, 1u);
    EXPECT_EQ(world.decisions[2].attempt, 2u);
}

TEST(Simulation, ALowerNominationThatLosesItsPlaceIsTriedAgain) {
    // The dump's nomination of `low` stands in the way of `high`; room is left on n2 only for the lower one.
    World world(
        {node("n1", 4), node("n2", 2), pod("there", 4, R"(,"nodeName":"n1")"), pod("high", 4, R"(,"priority":9)"),
         R"({"kind":"Pod","metadata":{"name":"low","namespace":"ns"},"spec":{"priority":5,"nodeSelector":{"x":"y"},
                    "containers":[{"resources":{"requests":{"cpu":"2"}}}]},"status":{"nominatedNodeName":"n1"}})"});
    EXPECT_THAT(world.run(), ElementsAre("ns/high > n1 for ns/there", HasSubstr("ns/low ! 0/2"), "ns/high n1"));
}

TEST(Simulation, PodsForWhichANominationOfTheDumpWaitsAreGone) {
    World world({node("n1", 4), R"({"kind":"Pod","metadata":{"name":"going","namespace":"ns",
                    "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"nodeName":"n1",
                    "containers":[{"resources":{"requests":{"cpu":"4"}}}]}})",
                 R"({"kind":"Pod","metadata":{"name":"high","namespace":"ns"},"spec":{"priority":5,
                    "containers":[{"resources":{"requests":{"cpu":"2"}}}]},"status":{"nominatedNodeName":"n1"}})"});
    EXPECT_THAT(world.run(), ElementsAre("ns/high n1"));
}

TEST(Simulation, OnePodIsJudgedWithItsVictims) {
    World world({node("n1", 4), pod("there", 3, R"(,"nodeName":"n1")"), pod("high", 3, R"(,"priority":9)")});
    for (int time = 0; time < 2; ++time) {
        const std::optional<SimulatedDecision> decision = world.simulation->judge("ns/high");
        ASSERT_TRUE(decision.has_value());
        EXPECT_EQ(decision->outcome, Outcome::nominated);
        EXPECT_EQ(decision->nominated_node, "n1");
        EXPECT_THAT(decision->victims, ElementsAre("ns/there"));
        EXPECT_EQ(decision->budget_violations, 0);
        EXPECT_EQ(decision->message, "0/1 nodes are available: 1 Insufficient cpu.");
    }
}

TEST(Simulation, OnePodIsJudgedAndNothingIsPlaced) {
    World world({node("n1", 4), pod("a", 3), pod("b", 3)});
    for (const std::string_view name : {"ns/b", "ns/a", "ns/b"}) {
        const std::optional<SimulatedDecision> decision = world.simulation->judge(name);
        ASSERT_TRUE(decision.has_value());
        EXPECT_EQ(decision->outcome, Outcome::scheduled);
        EXPECT_EQ(decision->node, "n1");
        EXPECT_FALSE(decision->explanation.has_value());
    }
    EXPECT_FALSE(world.simulation->judge("ns/nobody").has_value());
    EXPECT_THAT(world.run(), ElementsAre("ns/a n1", HasSubstr("ns/b !")));
}

TEST(Simulation, GatedPodsComeLastWithTheirGates) {
    World world({node("n1", 4), pod("held", 1, R"(,"priority":9,"schedulingGates":[{"name":"g1"},{"name":"g2"}])"),
                 pod("a", 1)});
    EXPECT_THAT(world.run(), ElementsAre("ns/a n1", "ns/held ! waiting for scheduling gates: [g1 g2]"));
    EXPECT_EQ(world.decisions[1].outcome, Outcome::gated);
    EXPECT_EQ(world.decisions[1].attempt, 0u);
}

TEST(Simulation, ExplanationsAreOfTheStateBeforeTheDecision) {
    World world({node("n1", 4), node("n2", 8, R"({"unschedulable":true})"), node("n3", 2), pod("a", 3), pod("b", 3)},
                {.compat = Compat::kubernetes_1_35, .predicates = {}, .explain = true, .full = false});
    EXPECT_THAT(world.run(), ElementsAre("ns/a n1", HasSubstr("ns/b ! 0/3 nodes are available")));
    const auto verdicts = [&](std::size_t index) {
        std::map<std::string, std::string> made;
        for (const NodeExplanation& one : world.decisions.at(index).explanation.value().nodes) {
            made[one.node] = one.failures.empty() ? "feasible" : one.failures[0].predicate;
        }
        return made;
    };
    EXPECT_EQ(verdicts(0), (std::map<std::string, std::string>{
                               {"n1", "feasible"}, {"n2", "NodeUnschedulable"}, {"n3", "NodeResourcesFit"}}));
    EXPECT_EQ(verdicts(1).at("n1"), "NodeResourcesFit");
    const auto woken_by = [&](std::size_t index) { return world.decisions.at(index).explanation.value().woken_by; };
    EXPECT_THAT(woken_by(0), ElementsAre());
    EXPECT_THAT(woken_by(1),
                ElementsAre("a node added", "a node or its holds changed", "a node undrained", "a pod gone"));
}

TEST(Simulation, AFullDiagnosisNamesEveryPredicate) {
    World world({node("n1", 1, R"({"unschedulable":true})"), pod("a", 3)},
                {.compat = Compat::bayplan, .predicates = {}, .explain = true, .full = true});
    world.run();
    std::vector<std::string> names;
    for (const PredicateFailure& failure : world.decisions.at(0).explanation.value().nodes.at(0).failures) {
        names.push_back(failure.predicate);
    }
    EXPECT_THAT(names, ElementsAre("NodeUnschedulable", "NodeResourcesFit"));
}

// 2,000 of a resource are two devices, of which two pods of 600 take one each: 800 are free, 500 fit nowhere.
TEST(Simulation, SharesOfDevicesMustFitOneDevice) {
    const auto with_gpu = [](std::string object, const std::string& place, int amount) {
        return object.insert(object.find(place) + place.size(), R"("x.io/gpu":")" + std::to_string(amount) + R"(",)");
    };
    World world({with_gpu(node("n1", 8), R"("allocatable":{)", 2'000), with_gpu(pod("a", 1), R"("requests":{)", 600),
                 with_gpu(pod("b", 1), R"("requests":{)", 600), with_gpu(pod("c", 1), R"("requests":{)", 500),
                 with_gpu(pod("d", 1), R"("requests":{)", 400)},
                {.compat = Compat::bayplan, .predicates = {}, .explain = true, .full = false}, {"x.io/gpu"});
    EXPECT_THAT(world.run(),
                ElementsAre("ns/a n1", "ns/b n1", HasSubstr("ns/c ! 0/1 nodes are available: 1 Insufficient x.io/gpu"),
                            "ns/d n1"));
    const auto seen = [&](std::size_t index) { return world.decisions.at(index).explanation.value().nodes.at(0); };
    EXPECT_EQ(world.decisions.at(0).devices, "x.io/gpu=0");
    EXPECT_EQ(world.decisions.at(1).devices, "x.io/gpu=1");
    EXPECT_EQ(world.decisions.at(3).devices, "x.io/gpu=0");
    EXPECT_EQ(seen(1).devices_left, "x.io/gpu=400+1000");
    EXPECT_EQ(seen(1).devices, "x.io/gpu=1");
    EXPECT_EQ(seen(2).devices_left, "x.io/gpu=400+400");
    EXPECT_EQ(seen(2).devices, "");
}

TEST(Simulation, PredicatesThatAreNotListedDoNotCount) {
    World world({node("n1", 4, R"({"unschedulable":true})"), pod("a", 3)},
                {.compat = Compat::bayplan, .predicates = {"NodeResourcesFit"}, .explain = false, .full = false});
    EXPECT_THAT(world.run(), ElementsAre("ns/a n1"));
}

TEST(Simulation, AnEmptyClusterSaysSo) {
    World world({pod("a", 1)});
    EXPECT_THAT(world.run(), ElementsAre("ns/a ! no nodes available to schedule pods"));
    World nothing({});
    EXPECT_THAT(nothing.run(), IsEmpty());
}

std::vector<std::int64_t> cpu_of(const UseRow& row) {
    return {row.uses.at(0).capacity, row.uses.at(0).before, row.uses.at(0).after};
}

TEST(Use, CountsWhatIsThereWhatIsPlacedAndWhatGoes) {
    const std::string labels = R"({"topology.kubernetes.io/zone":"z","node.kubernetes.io/instance-type":"t"})";
    World world({node("a", 4, "{}", labels), node("b", 2), pod("low", 3, R"(,"nodeName":"a","priority":1)"),
                 pod("elsewhere", 1, R"(,"nodeName":"b","priority":9)"), pod("high", 4, R"(,"priority":5)"),
                 pod("small", 1, R"(,"priority":2)"), pod("large", 9)});
    world.run();
    const UseReport use = world.simulation->use();
    EXPECT_THAT(use.resources, ElementsAre("cpu", "memory", "pods"));
    EXPECT_THAT(cpu_of(use.all), ElementsAre(6'000, 4'000, 6'000));
    ASSERT_EQ(use.nodes.size(), 2u);
    EXPECT_THAT(cpu_of(use.nodes[0]), ElementsAre(4'000, 3'000, 4'000));  // `high` in place of `low`
    EXPECT_THAT(cpu_of(use.nodes[1]), ElementsAre(2'000, 1'000, 2'000));
    ASSERT_EQ(use.zones.size(), 2u);
    EXPECT_EQ(use.zones[0].name, "-");
    EXPECT_EQ(use.zones[1].name, "z");
    EXPECT_EQ(use.zones[1].nodes, 1u);
    EXPECT_EQ(use.types[1].name, "t");
    EXPECT_EQ(use.all.uses[2].after, 3);  // pods
}

TEST(Run, EndsWhenItIsTold) {
    SimulationOptions options;
    options.explain = true;
    World world({node("a", 4), pod("one", 1), pod("two", 1)}, options);
    std::size_t told = 0;
    const bool whole = world.simulation->run([&](const SimulatedDecision&) { ++told; }, [] { return false; });
    EXPECT_FALSE(whole);
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(world.simulation->use().all.uses[0].after, 1'000);
}

}  // namespace
}  // namespace bayplan::sim
