// Bounds of blocks against exact looks, over random clusters whose nodes come, change and go: never too low, and on
// both sides of every shard.

#include <gtest/gtest.h>

#include <random>

#include "cluster/resources.h"
#include "placement/block_evaluator.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

namespace bayplan {
namespace {

constexpr ResourceId kPods = static_cast<ResourceId>(4);
constexpr ResourceId kGpu = static_cast<ResourceId>(5);
constexpr ResourceId kRare = static_cast<ResourceId>(20);  // beyond the bounded resources
// Two whole runs of blocks in one shard, one and a part in the others.
constexpr std::uint32_t kBlocks = 4 * NodeState::kRun + 5;

class Cluster {
public:
    explicit Cluster(std::uint64_t seed) : random_(seed) {
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            nodes.add_block();
            shape_[block] = 1 + static_cast<std::int64_t>(random_() % (std::uint64_t{1} << (1 + random_() % 50)));
        }
    }

    void change() {
        // Few blocks change often, the others now and then.
        const std::int64_t block = below(3) == 0 ? below(kBlocks) : below(3) * NodeState::kRun;
        const Slot slot = slot_at(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(below(kLanes)));
        if (!there_[raw(slot)]) {
            nodes.put_node(slot, static_cast<NameId>(raw(slot)), capacity(slot), below(10) != 0);
            there_[raw(slot)] = true;
            return;
        }
        switch (below(8)) {
            case 0: nodes.set_capacity(slot, capacity(slot)); break;
            case 1: nodes.set_schedulable(slot, below(3) != 0); break;
            case 2: remove(slot); break;
            case 3: load(slot, &NodeState::add_foreign); break;
            default: load(slot, &NodeState::add_used); break;
        }
    }

    AskClass ask_class() {
        AskClass made;
        const std::int64_t shape = shape_[below(kBlocks)];
        for (const ResourceId resource : {kCpu, kMemory, kPods, kGpu, kRare}) {
            if (below(resource == kGpu || resource == kRare ? 8 : 3) != 0) {
                continue;
            }
            made.requests.push_back(
                {resource, resource == kCpu || resource == kMemory ? 1 + below(shape) : 1 + below(4)});
        }
        for (const ResourceAmount& request : made.requests) {
            made.cpu_request = request.resource == kCpu ? request.value : made.cpu_request;
            made.memory_request = request.resource == kMemory ? request.value : made.memory_request;
        }
        made.own_cpu = made.cpu_request != 0 ? made.cpu_request : below(200);
        made.own_memory = below(2) == 0 ? made.memory_request : below(shape);
        made.tolerates_unschedulable = below(4) == 0;
        made.required_node = below(10) == 0 ? static_cast<NameId>(below(kBlocks * kLanes)) : kNone<NameId>;
        return made;
    }

    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }

    NodeState nodes{3, 1};

private:
    using Add = void (NodeState::*)(Slot, std::span<const ResourceAmount>, int);

    std::vector<ResourceAmount> capacity(Slot slot) {
        const std::int64_t shape = shape_[block_of(slot)];
        std::vector<ResourceAmount> made = {
            {kCpu, below(3) == 0 ? shape + below(shape) : shape}, {kMemory, shape * 3}, {kPods, 4}};
        if (block_of(slot) == 0) {
            made.push_back({kGpu, 1 + below(8)});
            made.push_back({kRare, 3});
        }
        if (below(200) == 0) {
            made.erase(made.begin());  // no cpu: the block is not bounded
        }
        return made;
    }

    void load(Slot slot, Add add) {
        const std::int64_t shape = shape_[block_of(slot)];
        const std::int64_t cpu = below(shape / 2 + 2);
        const std::vector<ResourceAmount> amounts = {{kCpu, cpu},
                                                     {kMemory, below(shape * 2)},
                                                     {kScoredCpu, below(2) == 0 ? cpu : below(shape)},
                                                     {kScoredMemory, below(shape)},
                                                     {kPods, 1}};
        (nodes.*add)(slot, amounts, 1);
        loads_.push_back({slot, amounts, add});
    }

    void remove(Slot slot) {
        for (const Load& load : loads_) {
            if (load.slot == slot) {
                (nodes.*load.add)(slot, load.amounts, -1);
            }
        }
        std::erase_if(loads_, [&](const Load& load) { return load.slot == slot; });
        nodes.remove_node(slot);
        there_[raw(slot)] = false;
    }

    struct Load {
        Slot slot;
        std::vector<ResourceAmount> amounts;
        Add add;
    };

    std::mt19937_64 random_;
    std::array<std::int64_t, kBlocks> shape_{};
    std::array<bool, kBlocks * kLanes> there_{};
    std::vector<Load> loads_;
};

struct Counts {
    int bounded = 0;
    int unknown = 0;
    int none = 0;
    int tight = 0;
    int ranged = 0;
    int ranged_none = 0;
    int ranged_tight = 0;
};

void compare(const BlockEvaluator& evaluator, const AskClass& ask_class, const ShardSide& side, const NodeState& nodes,
             std::uint32_t shard, Counts& counts) {
    constexpr NodeKey kUnknown = UINT64_MAX;
    BlockBound bound = evaluator.bound_for(ask_class);
    ClassCache cache;
    cache.resize(nodes.block_count());
    for (std::uint32_t index = 0; index < side.blocks.size(); ++index) {
        const std::uint32_t number = nodes.block_at(shard, index);
        if (!bound.put(side.bounds, index, number, ~std::uint64_t{0}, cache)) {
            cache.set(number, kUnknown);
        }
    }
    bound.finish(cache);
    for (std::uint32_t index = 0; index < side.blocks.size(); ++index) {
        const std::uint32_t number = nodes.block_at(shard, index);
        const NodeKey best = evaluator.best(ask_class, side.blocks[index], number, ~std::uint64_t{0});
        const NodeKey at_most = cache.best_in(number);
        ASSERT_GE(at_most, best);
        counts.unknown += at_most == kUnknown ? 1 : 0;
        counts.none += at_most == 0 ? 1 : 0;
        if (at_most != 0 && at_most != kUnknown) {
            ASSERT_FALSE(cache.exact(number));
            ASSERT_EQ(slot_of(at_most), slot_at(number, 0)) << "a bound stands for the first slot";
            ++counts.bounded;
            counts.tight += best != 0 && score_of(at_most) - score_of(best) <= 2 ? 1 : 0;
        }
    }
}

// The same of ranges, first of all blocks and then of changed blocks.
void compare_ranges(const BlockEvaluator& evaluator, const AskClass& ask_class, const ShardSide& side,
                    const NodeState& nodes, std::uint32_t shard, Counts& counts) {
    const BlockBound bound = evaluator.bound_for(ask_class);
    if (!bound.by_ranges()) {
        return;
    }
    const auto blocks = static_cast<std::uint32_t>(side.blocks.size());
    const BlockRuns runs = {(blocks + kBlocksOfRun - 1) / kBlocksOfRun, nodes.block_at(shard, 0),
                            kBlocksOfRun * nodes.shard_count()};
    ClassCache cache;
    cache.resize(nodes.block_count());
    for (const std::uint64_t position : {ClassCache::kNever, nodes.log().head() / 2}) {
        cache.set_position(position);
        std::uint32_t newer = 0;
        for (std::uint32_t index = 0; index < blocks; ++index) {
            cache.set(nodes.block_at(shard, index), 7);
            newer += side.versions[index] > position ? 1 : 0;
        }
        ASSERT_EQ(bound.put_runs(side.bounds.ranges(side.versions.data()), runs, cache), newer);
        for (std::uint32_t index = 0; index < blocks; ++index) {
            const std::uint32_t number = nodes.block_at(shard, index);
            const bool changed = side.versions[index] > position;
            ASSERT_EQ(cache.rough(number), changed);
            ASSERT_EQ(cache.exact(number), !changed);
            if (!changed) {
                ASSERT_EQ(cache.best_in(number), 7u) << "left alone";
                continue;
            }
            const NodeKey best = evaluator.best(ask_class, side.blocks[index], number, ~std::uint64_t{0});
            const NodeKey at_most = cache.best_in(number);
            ASSERT_GE(at_most, best) << number;
            ++counts.ranged;
            counts.ranged_none += at_most == 0 && side.blocks[index].present != 0 ? 1 : 0;
            counts.ranged_tight += best != 0 && score_of(at_most) == score_of(best) ? 1 : 0;
        }
    }
}

TEST(BlockBound, no_block_is_better_than_its_bound) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        EngineOptions options;
        options.score = seed % 2 == 0 ? ScorePolicy::least_allocated : ScorePolicy::most_allocated;
        options.simd = static_cast<SimdLevel>(seed % 4);
        options.weights[ScoreId::resources_fit] = seed % 7 == 0 ? 0 : static_cast<std::int32_t>(1 + seed % 3);
        const LaneKernels& kernels = lane_kernels(options.simd);
        const BlockEvaluator evaluator(make_predicates({}, kernels), make_scores(options), options.score, kernels);
        ReaderSlots readers(1);
        Cluster cluster(seed);
        for (int turn = 0; turn < 1'500; ++turn) {
            cluster.change();
            if (turn % 100 == 0) {
                cluster.nodes.publish();
            }
            if (turn % 50 != 0) {
                continue;
            }
            const AskClass ask_class = cluster.ask_class();
            for (std::uint32_t shard = 0; shard < cluster.nodes.shard_count(); ++shard) {
                compare(evaluator, ask_class, cluster.nodes.shard(shard).back(), cluster.nodes, shard, counts);
                compare_ranges(evaluator, ask_class, cluster.nodes.shard(shard).back(), cluster.nodes, shard, counts);
                cluster.nodes.shard(shard).read(readers[0], [&](const ShardSide& side) {
                    compare(evaluator, ask_class, side, cluster.nodes, shard, counts);
                    compare_ranges(evaluator, ask_class, side, cluster.nodes, shard, counts);
                });
            }
            ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", turn " << turn;
        }
    }
    // Each answer is given, and where one is given as a number it is mostly of use.
    EXPECT_GT(counts.bounded, 1'000);
    EXPECT_GT(counts.unknown, 100);
    EXPECT_GT(counts.none, 100);
    EXPECT_GT(counts.tight * 2, counts.bounded);
    EXPECT_GT(counts.ranged, 10'000);
    EXPECT_GT(counts.ranged_none, 100);
    EXPECT_GT(counts.ranged_tight, 100);
}

}  // namespace
}  // namespace bayplan
