// Searches site by site beside the search that looks at every block: the same best node after every change, on
// clusters with more blocks in a zone than a group has, for every kind of term, with racks that cut through blocks, and nodes
// whose labels go wrong.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "cluster/resources.h"
#include "placement/block_evaluator.h"
#include "placement/cluster_search.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodes = 9'000;
constexpr std::uint32_t kRack = 40;
constexpr int kSpecs = 18;
constexpr int kSteps = 1'500;

class PlaceSearches : public ::testing::TestWithParam<std::uint64_t> {
protected:
    struct Class {
        AskClass ask_class;
        ClassId id{};
        ClassCache cache;
        std::uint64_t position = 0;
    };

    PlaceSearches() : random_(GetParam()) {
        for (std::uint32_t node = 0; node < kNodes; ++node) {
            add_node(node);
        }
        for (int number = 0; number < kSpecs; ++number) {
            Class& made = *classes_.emplace_back(std::make_unique<Class>());
            made.ask_class.pod_spec = specs_.acquire(random_spec());
            made.ask_class.requests = {{kCpu, 100 + 100 * below(3)}, {kMemory, 1'000 + 1'000 * below(3)}};
            made.ask_class.own_cpu = made.ask_class.cpu_request = made.ask_class.requests[0].value;
            made.ask_class.own_memory = made.ask_class.memory_request = made.ask_class.requests[1].value;
            made.ask_class.occupies = made.ask_class.requests;
            made.ask_class.occupies.push_back({kScoredCpu, made.ask_class.own_cpu});
            made.ask_class.occupies.push_back({kScoredMemory, made.ask_class.own_memory});
            made.id = class_table_.acquire(AskClass(made.ask_class));
        }
    }

    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    bool one_in(std::int64_t count) { return below(count) == 0; }

    // --- nodes

    std::shared_ptr<NodeFacts> facts_of(std::uint32_t node, const std::string& zone) {
        auto facts = std::make_shared<NodeFacts>();
        const auto label = [&](Text key, const std::string& value) {
            facts->labels.push_back({key, texts_.acquire(value)});
        };
        label(known_.hostname, "host-" + std::to_string(node));
        label(known_.zone, zone);
        label(texts_.acquire("rack"), "rack-" + std::to_string(node % 2) + "-" + std::to_string(node / 2 / kRack));
        if (node % 2 == 0) {
            label(texts_.acquire("disk"), "fast");
        }
        std::sort(facts->labels.begin(), facts->labels.end(), [](auto& a, auto& b) { return a.key < b.key; });
        return facts;
    }
    void add_node(std::uint32_t node) {
        const std::string zone = "zone-" + std::to_string(node % 2);
        std::vector<ResourceAmount> capacity = {{kCpu, 4'000}, {kMemory, 32'000}};
        slots_.push_back(nodes_.add("n" + std::to_string(node), static_cast<ShimId>(0), capacity, {zone, ""}, true));
        topology_.set_facts(slots_.back(), facts_of(node, zone));
    }
    void set_facts(std::uint32_t node, std::shared_ptr<NodeFacts> facts) {
        nodes_.set_capacity(slots_[node],
                            {{kCpu, 4'000}, {kMemory, 32'000}});  // as an update does: its block is logged
        topology_.set_facts(slots_[node], std::move(facts));
    }
    // A taint, another zone or rack in the same block, a host's name twice, no name, or as it was.
    void change_node() {
        const auto node = static_cast<std::uint32_t>(below(40) * 200);
        const std::string zone = "zone-" + std::to_string(node % 2);
        auto facts = facts_of(node, zone);
        switch (below(12)) {
            case 0: facts = facts_of(node, "zone-other"); break;
            case 1: facts = facts_of(node + 1, zone); break;
            case 6: move_to_rack(*facts, "rack-0-1"); break;
            case 2:
                std::erase_if(facts->labels, [&](const Label& label) { return label.key == known_.hostname; });
                break;
            case 3:
            case 4:
            case 5: facts->taints = {{texts_.acquire("old"), 0, TaintEffect::prefer_no_schedule}}; break;
            default: break;
        }
        set_facts(node, std::move(facts));
        odd_.insert_or_assign(node, true);
    }
    void move_to_rack(NodeFacts& facts, const std::string& rack) {
        for (Label& label : facts.labels) {
            if (label.key == texts_.acquire("rack")) label.value = texts_.acquire(rack);
        }
    }
    void put_nodes_right() {
        for (const auto& [node, odd] : odd_) {
            set_facts(node, facts_of(node, "zone-" + std::to_string(node % 2)));
        }
        odd_.clear();
    }

    // --- specs

    LabelSelector colored(Text value) { return {{{texts_.acquire("color"), LabelOperator::in, {value}}}}; }
    Text color() { return texts_.acquire("color-" + std::to_string(below(8))); }
    Text key() { return one_in(3) ? known_.zone : one_in(2) ? known_.hostname : texts_.acquire("rack"); }
    PodTerm term(const PodSpec& spec) {
        PodTerm made;
        made.selector = colored(one_in(2) ? spec.labels[0].value : color());
        made.topology_key = key();
        return made;
    }
    PodSpec random_spec() {
        PodSpec spec;
        spec.name_space = texts_.acquire("space");
        spec.labels = {{texts_.acquire("color"), color()}};
        if (one_in(4)) spec.affinity.push_back(term(spec));
        if (one_in(4)) spec.anti_affinity.push_back(term(spec));
        for (auto* preferred : {&spec.preferred_affinity, &spec.preferred_anti_affinity}) {
            while (one_in(3)) preferred->push_back({1 + static_cast<int>(below(100)), term(spec)});
        }
        for (const Text where : {known_.zone, known_.hostname, texts_.acquire("rack")}) {
            if (one_in(4)) {
                SpreadConstraint constraint;
                constraint.max_skew = static_cast<int>(1 + below(5));
                constraint.topology_key = where;
                constraint.hard = one_in(3);
                constraint.selector = colored(color());
                spec.spread.push_back(constraint);
            }
        }
        if (one_in(6)) spec.ports.push_back({static_cast<std::uint16_t>(80 + below(2)), Protocol::tcp, 0});
        if (one_in(4)) spec.preferred_nodes = {{10, {{{texts_.acquire("disk"), LabelOperator::exists, {}}}, {}}}};
        return spec;
    }

    // --- pods

    void site(Class& one, Slot slot) {
        ++last_pod_;
        const AskId id = asks_.add("pod-" + std::to_string(last_pod_), last_pod_);
        Ask& ask = asks_[id];
        ask.ask_class = one.id;
        ask.slot = slot;
        state_.add_used(slot, one.ask_class.occupies, +1);
        nodes_[slot].allocations.insert(id);
        specs_.pods(one.ask_class.pod_spec).push_back(asks_, id);
        topology_.add_pod(one.ask_class.pod_spec, slot, false);
        pods_.push_back({id, &one});
    }
    void remove_one() {
        const auto at = static_cast<std::size_t>(below(static_cast<std::int64_t>(pods_.size())));
        const auto [id, one] = pods_[at];
        const Slot slot = asks_[id].slot;
        topology_.remove_pod(one->ask_class.pod_spec, slot, asks_[id].terminating);
        specs_.pods(one->ask_class.pod_spec).remove(asks_, id);
        nodes_[slot].allocations.remove(id);
        state_.add_used(slot, one->ask_class.occupies, -1);
        asks_.remove(id);
        pods_[at] = pods_.back();
        pods_.pop_back();
    }
    // Nothing of its node changes but what spread counts.
    void terminate_one() {
        Ask& ask = asks_[pods_[static_cast<std::size_t>(below(static_cast<std::int64_t>(pods_.size())))].first];
        topology_.remove_pod(class_table_.spec_of(ask), ask.slot, ask.terminating);
        ask.terminating = true;
        topology_.add_pod(class_table_.spec_of(ask), ask.slot, true);
    }

    // --- searches

    Subject subject_of(const Class& one) { return bayplan::subject_of(cluster_, one.ask_class); }
    void bring_up_to_date(Class& one) {
        one.cache.want_columns(true);
        one.cache.resize(state_.block_count());
        state_.changed_since(one.position, changed_);
        const NodeMask* mask = topology_.signatures().mask(subject_of(one).plan.signature).get();
        for (const std::uint32_t block : changed_) {
            one.cache.note_changed(block, ~std::uint64_t{0});
            evaluator_.look(one.ask_class, state_.block(block), block, mask, one.cache);
        }
        one.position = state_.log().head();
    }

    // --- excluded nodes: some anywhere, and the best one

    ExcludedNodes some_excluded(Class& one) {
        ExcludedNodes excluded;
        for (auto count = below(3); count > 0; --count) {
            excluded.add(slots_[static_cast<std::size_t>(below(kNodes))]);
        }
        if (const NodeKey best = one_in(2) ? by_block_.best(subject_of(one), one.cache) : 0; best != 0) {
            excluded.add(slot_of(best));
        }
        return excluded;
    }
    // The same columns, where these nodes are not feasible.
    ClassCache cache_without(const Class& one, const ExcludedNodes& excluded) {
        ClassCache cache = one.cache;
        excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) {
            LaneScores scores{};
            std::copy_n(cache.locals(block), kLanes, scores.begin());
            const std::uint64_t others = cache.feasible_in(block) & ~lanes;
            cache.set_lanes(block, others, scores.data());
            cache.set(block, kernels_.best_key(others, scores.data(), raw(slot_at(block, 0))));
        });
        return cache;
    }

    std::mt19937_64 random_;
    ResourceTable kinds_;
    NameTable<NameId> names_;
    NodeState state_{1, 1};
    NodeTable nodes_{state_, kinds_, names_};
    TextTable texts_;
    KnownTexts known_{texts_};
    AskTable asks_;
    SpecTable specs_{texts_};
    ClassTable class_table_{kinds_, names_, specs_};
    ClusterFacts topology_{{texts_, known_, asks_, specs_, class_table_, nodes_}, {}};
    Devices devices_{state_, kinds_, DeviceChoice::fullest};
    const ClusterView cluster_{asks_, class_table_, specs_, nodes_, state_, topology_, kinds_, devices_};
    const LaneKernels& kernels_ = lane_kernels(SimdLevel::automatic);
    BlockEvaluator evaluator_{make_predicates({}), make_scores({}), ScorePolicy::least_allocated, kernels_};
    const std::vector<WeightedClusterScore> scores_ = make_cluster_scores({});
    SiteSearch by_site_{evaluator_.predicates(), scores_, kernels_};
    ClusterSearch by_block_{evaluator_.predicates(), make_cluster_scores({}), kernels_};
    std::uint64_t last_pod_ = 0;
    std::vector<std::unique_ptr<Class>> classes_;
    std::vector<Slot> slots_;  // by node
    std::map<std::uint32_t, bool> odd_;
    std::vector<std::pair<AskId, Class*>> pods_;
    std::vector<std::uint32_t> changed_;
};

TEST_P(PlaceSearches, find_the_node_that_a_look_at_every_block_finds) {
    int by_site = 0;
    int placed = 0;
    Class* one = classes_.front().get();
    for (int step = 0; step < kSteps; ++step) {
        if (one_in(4)) {  // mostly the class of the step before, as asks come
            one = classes_[static_cast<std::size_t>(below(kSpecs))].get();
        }
        bring_up_to_date(*one);
        const Subject subject = subject_of(*one);
        const ExcludedNodes excluded = one_in(3) ? some_excluded(*one) : ExcludedNodes{};
        const NodeKey expected = by_block_.best(subject, cache_without(*one, excluded));
        ASSERT_EQ(by_block_.best(subject, one->cache, excluded), expected) << "step " << step;
        NodeKey found = 0;
        if (by_site_.find(subject, one->cache, excluded, found)) {
            ++by_site;
            ASSERT_EQ(found, expected) << "step " << step << ": nodes " << raw(slot_of(found)) << " and "
                                       << raw(slot_of(expected));
        }
        if (expected != 0 && !one_in(20)) {
            site(*one, slot_of(expected));
            ++placed;
        } else {
            site(*one, slots_[static_cast<std::size_t>(below(kNodes))]);  // by force
        }
        if (one_in(8)) remove_one();
        if (one_in(20)) terminate_one();
        if (one_in(30)) change_node();
        if (one_in(150)) put_nodes_right();
    }
    EXPECT_GT(by_site, kSteps / 4);
    EXPECT_LT(by_site, kSteps) << "no search ever did not pay, or was not to be made so";
    EXPECT_GT(placed, kSteps / 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlaceSearches, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace bayplan
