// A shim with a certificate, and bad intent: statements that say little and want much. Their cost is counted, in work
// and in bytes, and may not grow faster than the statements.
#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <algorithm>

#include "measure/live_memory.h"
#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

class Attack : public ::testing::Test {
protected:
    struct Partition {
        KeepingSink sink;
        Engine engine{testing::options_inline(), sink};
        TestShim shim{engine, "shim"};
    };

    // The decisions of a text that the shim was told.
    static std::size_t told(Partition& partition, const std::string& text) {
        partition.engine.flush();
        const auto& kept = partition.sink.kept[1];
        return static_cast<std::size_t>(
            std::count_if(kept.begin(), kept.end(), [&](const auto& one) { return one.text == text; }));
    }
};

// --- terms

// `different`: no two specs with the same number have a term in common.
PodTerm term_of(TestShim& shim, std::size_t different) {
    PodTerm term;
    term.topology_key = shim.id("zone");
    LabelRequirement requirement{shim.id("app"), LabelOperator::in, {shim.id("app-" + std::to_string(different))}};
    term.selector = LabelSelector{std::vector<LabelRequirement>(8, requirement)};
    return term;
}

void define(TestShim& shim, SpecNumber number, const PodTerm& term, std::size_t times) {
    SpecItem record{number, {}};
    record.spec.affinity.assign(times, term);
    record.spec.anti_affinity.assign(times, term);
    record.spec.preferred_affinity.assign(times, {1, term});
    shim.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    shim.send(SpecsMessage{.define = {}, .forget = std::span(&number, number % 2)});
}

class Terms : public Attack {
protected:
    // Of specs, every second of them defined and forgotten, each with so many equal terms in each of three lists.
    static std::uint64_t cost(std::size_t specs, std::size_t times) {
        Partition partition;
        std::vector<PodTerm> terms;
        for (std::size_t i = 0; i < specs; ++i) {
            terms.push_back(term_of(partition.shim, i));
        }
        const std::uint64_t before = work();
        for (std::size_t i = 0; i < specs; ++i) {
            define(partition.shim, static_cast<SpecNumber>(i + 1), terms[i], times);
        }
        const std::uint64_t cost = work() - before;
        EXPECT_EQ(told(partition, "more than 4096 entries in all lists"), 0u);  // a rejected spec would cost nothing
        return cost;
    }
};

TEST_F(Terms, equal_terms_of_a_spec_cost_as_much_as_others) {
    EXPECT_GT(cost(1, 8), 100u);  // it is counted
    EXPECT_LT(cost(1, 64), 9 * cost(1, 8));
}

TEST_F(Terms, of_many_specs_cost_as_much_as_those_of_few) { EXPECT_LT(cost(64, 64), 10 * cost(8, 64)); }

TEST_F(Terms, more_than_a_list_may_have_are_not_even_looked_at) {
    Partition partition;
    const PodTerm term = term_of(partition.shim, 0);
    const std::uint64_t before = work();
    define(partition.shim, 1, term, 4'096);
    EXPECT_LT(work() - before, 4'096u);
    EXPECT_EQ(told(partition, "a list of more than 64 entries"), 1u);
}

// --- lists of what is no spec

TEST_F(Attack, lists_of_objects_nodes_and_asks_have_an_end) {
    Partition partition;
    TestShim& shim = partition.shim;
    shim.application("app");
    const std::string too_long = "a list of more than ";
    const auto rejected = [&] {
        partition.engine.flush();
        const auto& kept = partition.sink.kept[1];
        return std::count_if(kept.begin(), kept.end(), [&](const auto& one) { return one.text.starts_with(too_long); });
    };
    ObjectItem object{PodBudget{}};
    auto& budget = std::get<PodBudget>(object.object);
    budget.name = shim.id("b");
    budget.selector = LabelSelector{};
    budget.selector->requirements.assign(100'000, {shim.id("app"), LabelOperator::in, {shim.id("x")}});
    shim.send(ObjectsMessage{std::span(&object, 1)});
    EXPECT_EQ(rejected(), 1);
    budget.selector->requirements.clear();
    budget.disrupted_pods.assign(100'000, shim.id("x"));
    shim.send(ObjectsMessage{std::span(&object, 1)});
    EXPECT_EQ(rejected(), 2);
    object.removed = true;
    shim.send(ObjectsMessage{std::span(&object, 1)});
    EXPECT_EQ(rejected(), 2);
    const std::vector<Attribute> labels(100'000, {shim.id("app"), shim.id("x")});
    const NodeItem node{.node = shim.id("n"), .capacity = {}, .attributes = labels};
    shim.send(NodesMessage{std::span(&node, 1)});
    EXPECT_EQ(rejected(), 3);
    std::vector<Amount> amounts;  // each kind is looked for among those before it
    for (int i = 0; i < 1'000; ++i) {
        amounts.push_back({shim.id("kind-" + std::to_string(i)), 1});
    }
    const NodeItem large{.node = shim.id("n"), .capacity = amounts, .attributes = {}};
    shim.send(NodesMessage{std::span(&large, 1)});
    EXPECT_EQ(rejected(), 4);
    AskItem ask;
    ask.key = "a";
    ask.application = shim.id("app");
    ask.requests = amounts;
    shim.send(AsksMessage{std::span(&ask, 1)});
    EXPECT_EQ(rejected(), 5);
}

// --- pods of a node

struct Pod {
    std::string key = {};
    std::string node = {};
    std::string nominated = {};
    bool terminating = false;
    std::int32_t priority = 0;
};

void state(TestShim& shim, const Pod& pod) {
    AskItem record;
    record.key = pod.key;
    record.application = shim.id("app");
    record.node = pod.node.empty() ? 0 : shim.id(pod.node);
    record.nominated_node = pod.nominated.empty() ? 0 : shim.id(pod.nominated);
    record.terminating = pod.terminating;
    record.priority = pod.priority;
    shim.send(AsksMessage{std::span(&record, 1)});
}

class PodsOfANode : public Attack {
protected:
    static constexpr std::size_t kMost = 4'096;

    static void crowd(Partition& partition, const std::string& node, std::size_t pods, bool terminating = false) {
        partition.shim.application("app");
        for (std::size_t i = 0; i < pods; ++i) {
            state(partition.shim, {.key = "p" + std::to_string(i), .node = node, .terminating = terminating});
        }
    }
};

TEST_F(PodsOfANode, are_not_more_than_4096) {
    Partition partition;
    partition.shim.node("n", {{"cpu", 1'000}});
    crowd(partition, "n", kMost + 3);
    EXPECT_EQ(told(partition, "node n has 4096 pods"), 3u);
    EXPECT_EQ(partition.engine.counters().allocations, kMost);
    state(partition.shim, {.key = "p7", .node = "n", .terminating = true});  // one of them may be stated again
    partition.shim.release("p7");
    state(partition.shim, {.key = "another", .node = "n"});
    EXPECT_EQ(told(partition, "node n has 4096 pods"), 3u);
    EXPECT_EQ(partition.engine.counters().allocations, kMost);
}

TEST_F(PodsOfANode, that_is_not_there_yet_are_not_more_either) {
    Partition partition;
    crowd(partition, "n", kMost + 3);
    EXPECT_EQ(told(partition, "node n has 4096 pods"), 3u);
    state(partition.shim, {.key = "p7", .node = "n"});
    EXPECT_EQ(told(partition, "node n has 4096 pods"), 3u);
    partition.shim.node("n", {{"cpu", 1'000}});
    EXPECT_EQ(partition.engine.counters().allocations, kMost);
}

TEST_F(PodsOfANode, are_placed_up_to_4096_whatever_its_capacity) {
    Partition partition;
    partition.shim.node("n", {{"pods", 1'000'000}});
    partition.shim.application("app");
    for (std::size_t i = 0; i < kMost + 3; ++i) {
        partition.shim.ask("a" + std::to_string(i), "app", {{"pods", 1}});
    }
    partition.engine.run(2 * kMost);
    EXPECT_EQ(partition.engine.counters().allocations, kMost);
}

// --- nominations

class Nominated : public PodsOfANode {
protected:
    struct Cost {
        std::uint64_t work = 0;
        std::int64_t bytes = 0;
    };
    static std::int64_t live() {
        EXPECT_EQ(mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0), 0);
        return measure::live_bytes();
    }
    // Of so many asks that all have nominated themselves to a node where a thousand pods terminate.
    static Cost cost(std::size_t asks) {
        Partition partition;
        partition.shim.node("n", {{"cpu", 1'000}});
        crowd(partition, "n", 1'000, true);
        const Cost before{work(), live()};
        for (std::size_t i = 0; i < asks; ++i) {
            state(partition.shim, {.key = "a" + std::to_string(i), .nominated = "n", .priority = 9});
        }
        return {work() - before.work, live() - before.bytes};
    }
};

TEST_F(Nominated, asks_of_a_node_cost_as_much_as_others) {
    const Cost some = cost(500);
    const Cost many = cost(2'000);
    EXPECT_GT(some.work, 1'000u);
    EXPECT_LT(many.work, 2 * 4 * some.work);
    EXPECT_LT(many.bytes - some.bytes, 1'500 * 2'000);
}

// --- node terms

// Whether the engine says of an attempt that it was dear, when a term of so many values is held against 100 nodes.
bool is_dear(std::size_t values) {
    KeepingSink sink;
    Engine engine{testing::options_inline(), sink};
    TestShim shim(engine, "shim");
    for (int node = 0; node < 100; ++node) shim.node("n" + std::to_string(node), {{"cpu", 1'000}, {"pods", 10}});
    shim.application("app");
    LabelRequirement wanted{shim.id("rack"), LabelOperator::in, {}};
    for (std::size_t value = 0; value < values; ++value) wanted.values.push_back(shim.id("r" + std::to_string(value)));
    SpecItem record{1, {}};
    record.spec.required_nodes.emplace().push_back({.labels = {wanted}, .fields = {}});
    shim.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    AskItem ask;
    ask.key = "a";
    ask.application = shim.id("app");
    ask.spec = 1;
    shim.send(AsksMessage{std::span(&ask, 1)});
    bool dear = false;
    EXPECT_EQ(engine.run(1'000, [&](std::uint64_t, bool last) { return dear = last, true; }), 1u);
    return dear;
}

TEST(NodeTerms, that_are_long_make_an_attempt_dear) {
    EXPECT_FALSE(is_dear(1));
    EXPECT_TRUE(is_dear(1'000));
}

}  // namespace
}  // namespace bayplan::attacks
