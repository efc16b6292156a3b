// An ask's excluded nodes: the pipeline finds what a look at all other nodes finds, and the class's cache is none the worse
// for it. Random clusters; classes that the columns decide, with and without masks of labels, and ones that hang on other pods.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "cluster/excluded_nodes.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodesOfWorld = 700;
constexpr int kStepsOfWorld = 1'200;
constexpr int kKinds = 7;

TEST(ExcludedNodes, are_told_by_block) {
    ExcludedNodes excluded;
    EXPECT_TRUE(excluded.empty());
    for (const std::uint32_t slot : {130u, 5u, 129u, 5u}) {
        excluded.add(static_cast<Slot>(slot));
    }
    EXPECT_TRUE(excluded.contains(static_cast<Slot>(5)));
    EXPECT_FALSE(excluded.contains(static_cast<Slot>(6)));
    EXPECT_EQ(excluded.in_block(0), std::uint64_t{1} << 5);
    EXPECT_EQ(excluded.in_block(1), 0u);
    EXPECT_EQ(excluded.in_block(2), std::uint64_t{0b110});
    std::vector<std::pair<std::uint32_t, std::uint64_t>> blocks;
    excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) { blocks.emplace_back(block, lanes); });
    EXPECT_EQ(blocks, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{0, 1u << 5}, {2, 0b110}}));
    excluded.clear();
    EXPECT_TRUE(excluded.empty());
}

TEST(ExcludedNodes, are_the_same_set_while_they_are_few_and_when_they_are_many) {
    ExcludedNodes excluded;
    std::set<Slot> model;
    std::mt19937_64 random(1);
    for (int step = 0; step < 4'000; ++step) {
        const auto slot = static_cast<Slot>(random() % 40);
        if (random() % 20 < (step / 500 % 2 == 0 ? 12u : 2u)) {
            excluded.add(slot);
            model.insert(slot);
        } else {
            excluded.remove(slot);
            model.erase(slot);
        }
        ASSERT_TRUE(std::ranges::equal(excluded.slots(), model));
        const ExcludedNodes copy = excluded;
        ASSERT_TRUE(std::ranges::equal(copy.slots(), model));
    }
}

class ExcludedNodesInWorlds : public ::testing::TestWithParam<std::tuple<std::uint64_t, ScorePolicy>> {
protected:
    static EngineOptions options_of(ScorePolicy policy) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.score = policy;
        // None that looks at volumes.
        options.predicates = {"NodeUnschedulable", "NodeName",         "TaintToleration",   "NodeAffinity",
                              "NodePorts",         "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"};
        return options;
    }

    ExcludedNodesInWorlds() : random_(std::get<0>(GetParam())) {
        for (std::uint32_t node = 0; node < kNodesOfWorld; ++node) {
            add_node(node);
        }
        for (int kind = 0; kind < kKinds; ++kind) {
            for (int number = 0; number < 3; ++number) {
                AskClass made;
                made.pod_spec = world_.specs.acquire(spec_of_kind(kind));
                made.required_node = kind == 5 ? world_.nodes[some_slot()].name : kNone<NameId>;
                made.requests = {{kCpu, 100 + 100 * below(3)}, {kMemory, 1'000 + 1'000 * below(3)}};
                made.node_cpu = made.own_cpu = made.requests[0].value;
                made.node_memory = made.own_memory = made.requests[1].value;
                classes_.push_back(world_.classes.acquire(std::move(made)));
                world_.classes.add_reference(classes_.back());  // more than one ask: it keeps its cache
            }
        }
    }

    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    bool one_in(std::int64_t count) { return below(count) == 0; }
    Text text(const std::string& value) { return world_.texts.acquire(value); }

    void add_node(std::uint32_t node) {
        const std::string zone = "zone-" + std::to_string(node % 2);
        slots_.push_back(world_.nodes.add("n" + std::to_string(node), static_cast<ShimId>(0),
                                          {{kCpu, 4'000}, {kMemory, 32'000}}, {zone, ""}, true));
        auto facts = std::make_shared<NodeFacts>();
        facts->name = text("n" + std::to_string(node));
        facts->labels = {{world_.known.hostname, text("host-" + std::to_string(node))},
                         {world_.known.zone, text(zone)}};
        if (node % 3 == 0) {
            facts->labels.push_back({text("disk"), text("fast")});
        }
        std::sort(facts->labels.begin(), facts->labels.end(), [](auto& a, auto& b) { return a.key < b.key; });
        world_.topology.set_facts(slots_.back(), std::move(facts));
    }

    Slot some_slot() { return slots_[static_cast<std::size_t>(below(kNodesOfWorld))]; }

    // 0: nothing but amounts. 1: a selector of nodes. 2: spread over hosts, so that other pods count. 3: some nodes by name.
    // 4: both. 5: one node, by the class. 6: a volume, which nobody looks at.
    PodSpec spec_of_kind(int kind) {
        PodSpec spec;
        spec.name_space = text("space");
        if (kind == 1 || (kind == 4 && one_in(3))) {
            spec.node_selector = {{text("disk"), text("fast")}};
        }
        if (kind == 3 || kind == 4) {
            spec.required_nodes.emplace();
            for (auto count = 1 + below(4); count > 0; --count) {
                const Text name = text("n" + std::to_string(below(kNodesOfWorld)));
                spec.required_nodes->push_back({{}, {{world_.known.metadata_name, LabelOperator::in, {name}}}});
                if (one_in(3)) {
                    spec.required_nodes->back().labels = {{text("disk"), LabelOperator::exists, {}}};
                }
            }
        }
        if (kind == 2 || kind == 4) {
            const Text color = text("color-" + std::to_string(below(2)));
            spec.labels = {{text("color"), color}};
            SpreadConstraint constraint;
            constraint.topology_key = one_in(2) ? world_.known.hostname : world_.known.zone;
            constraint.hard = false;
            constraint.selector = {{{text("color"), LabelOperator::in, {color}}}};
            spec.spread = {constraint};
        }
        if (kind == 6) {
            spec.volumes.emplace_back().name = text("data");
        }
        return spec;
    }

    Subject subject_of(ClassId id) { return bayplan::subject_of(world_.view, *world_.classes[id].spec); }

    // By a look at every node that is not excluded.
    NodeKey expected(ClassId id, const ExcludedNodes& excluded) {
        const Subject subject = subject_of(id);
        const NodeMask* mask = world_.topology.signatures().mask(subject.plan.signature).get();
        NodeMask others(world_.node_state.block_count());
        ClassCache cache;
        cache.want_columns(true);
        cache.resize(world_.node_state.block_count());
        for (std::uint32_t block = 0; block < others.size(); ++block) {
            others[block] = BlockEvaluator::allowed(block, mask);
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                const Slot slot = slot_at(block, lane);
                const NodeFacts* facts = world_.topology.facts()[raw(slot)].get();
                const bool matches =
                    facts != nullptr && required_nodes_match(subject.spec, *facts, world_.known, world_.texts);
                others[block] &= ~(std::uint64_t{!matches || excluded.contains(slot)} << lane);
            }
            evaluator_.look(subject.ask_class, world_.node_state.block(block), block, &others, cache);
        }
        return naive_.best(subject, cache);
    }

    // A node that is left alone of the named nodes is not scored: it has no other to beat.
    static std::uint32_t node_of(NodeKey key) { return raw(key == 0 ? kNone<Slot> : slot_of(key)); }

    void place(ClassId id, Slot slot) {
        const AskClass& spec = *world_.classes[id].spec;
        ++last_pod_;
        const AskId pod = world_.asks.add("pod-" + std::to_string(last_pod_), last_pod_);
        world_.asks[pod].ask_class = id;
        world_.asks[pod].slot = slot;
        world_.node_state.add_used(slot, spec.occupies, +1);
        world_.nodes[slot].allocations.insert(pod);
        world_.specs.pods(spec.pod_spec).push_back(world_.asks, pod);
        world_.topology.add_pod(spec.pod_spec, slot, false);
    }

    // Some anywhere, some that the class would take first: those whose absence counts.
    ExcludedNodes some_excluded(ClassId id) {
        ExcludedNodes excluded;
        for (auto count = below(4); count > 0; --count) {
            excluded.add(some_slot());
        }
        for (auto count = one_in(20) ? 80 : below(5); count > 0; --count) {
            if (const NodeKey best = expected(id, excluded); best != 0) {
                excluded.add(slot_of(best));
            }
        }
        return excluded;
    }

    std::mt19937_64 random_;
    const EngineOptions options_ = options_of(std::get<1>(GetParam()));
    World world_{options_, 2, kAllCounts};
    BlockEvaluator evaluator_{make_predicates(options_.predicates), make_scores(options_), options_.score,
                              lane_kernels(options_.simd)};
    ClusterSearch search_{evaluator_.predicates(), make_cluster_scores(options_), evaluator_.kernels()};
    ClusterSearch naive_{evaluator_.predicates(), make_cluster_scores(options_), evaluator_.kernels()};
    Pipeline pipeline_{options_,
                       {world_.asks, world_.classes, world_.caches, *world_.order, world_.node_state, world_.view},
                       evaluator_,
                       search_,
                       make_inline_executor()};
    std::vector<Slot> slots_;
    std::vector<ClassId> classes_;
    std::uint64_t last_pod_ = 0;
};

TEST_P(ExcludedNodesInWorlds, the_best_of_all_other_nodes_is_found) {
    int changed_the_choice = 0;
    ClassId id = classes_.front();
    ExcludedNodes excluded;
    for (int step = 0; step < kStepsOfWorld; ++step) {
        const bool another_class = one_in(4);
        if (another_class) {
            id = classes_[static_cast<std::size_t>(below(static_cast<std::int64_t>(classes_.size())))];
        }
        if (another_class || !one_in(3)) {  // or as the ask before
            excluded = some_excluded(id);
        }
        const NodeKey without = expected(id, kNoneExcluded);
        const NodeKey best = expected(id, excluded);
        ASSERT_EQ(node_of(pipeline_.resolve(id, excluded)), node_of(best)) << "step " << step;
        changed_the_choice += node_of(best) != node_of(without) ? 1 : 0;
        if (one_in(2)) {
            ASSERT_EQ(node_of(pipeline_.resolve(id)), node_of(without))
                << "step " << step << ": the class's best, right after";
        }
        if (best != 0) {
            place(id, slot_of(best));
        }
        if (one_in(3)) {  // far from it
            place(id, some_slot());
        }
        if (one_in(50)) {
            world_.node_state.publish();
        }
    }
    EXPECT_GT(changed_the_choice, kStepsOfWorld / 3);
    EXPECT_GT(pipeline_.counters().searches, 0u);
}

// Where no other pod has a say, each is the best node beside those before it.
TEST_P(ExcludedNodesInWorlds, the_next_best_follow_in_their_order) {
    constexpr int kKindsAlone[] = {0, 1, 3, 5, 6};
    std::size_t most_found = 0;
    for (int step = 0; step < kStepsOfWorld / 4; ++step) {
        const auto kind = static_cast<std::size_t>(kKindsAlone[below(std::ssize(kKindsAlone))]);
        const ClassId id = classes_[kind * 3 + static_cast<std::size_t>(below(3))];
        const ExcludedNodes excluded = some_excluded(id);
        const ExcludedNodes skipped = some_excluded(id);
        ExcludedNodes others = excluded;
        for (const Slot slot : slots_) {
            if (skipped.contains(slot)) others.add(slot);
        }
        const auto most = static_cast<std::size_t>(one_in(10) ? 200 : 1 + below(6));
        std::vector<Slot> wanted;
        while (wanted.size() < most) {
            const NodeKey next = expected(id, others);
            if (next == 0) break;
            wanted.push_back(slot_of(next));
            others.add(slot_of(next));
        }
        std::vector<NodeKey> keys;
        pipeline_.next_best(id, excluded, skipped, most, keys);
        std::vector<Slot> found;
        std::ranges::transform(keys, std::back_inserter(found), slot_of);
        ASSERT_EQ(found, wanted) << "step " << step << ", kind " << kind;
        ASSERT_EQ(node_of(pipeline_.resolve(id)), node_of(expected(id, kNoneExcluded))) << "step " << step;
        most_found = std::max(most_found, found.size());
        place(classes_[static_cast<std::size_t>(below(std::ssize(classes_)))],
              found.empty() ? some_slot() : found.front());
    }
    EXPECT_EQ(most_found, 200u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExcludedNodesInWorlds,
                         ::testing::Combine(::testing::Range<std::uint64_t>(1, 4),
                                            ::testing::Values(ScorePolicy::least_allocated, ScorePolicy::most_allocated,
                                                              ScorePolicy::requested_to_capacity_ratio)));

}  // namespace
}  // namespace bayplan
