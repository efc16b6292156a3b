// Both sides of every shard are the same after a publish, after any changes and any time without a reader.
//
// Random histories of everything that a node state can be told; now and then a publish, and then every field of the
// readers' side against the writer's. Missing columns are not zeros here: a side has what the other has.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "cluster/node_state.h"
#include "cluster/resources.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kBlocksMax = 70;  // several runs in each shard
constexpr std::uint32_t kLanesUsed = 20;  // so that lanes meet often
constexpr auto kGpu = static_cast<ResourceId>(7);
constexpr auto kFarKind = static_cast<ResourceId>(20);  // has no bounds
const std::vector<ResourceId> kKindsHere = {kCpu, kMemory, kScoredCpu, kScoredMemory, kGpu, kFarKind};

template <typename Column>
using Columns = std::vector<std::unique_ptr<Column>>;

template <typename Column>
void expect_same_columns(const Columns<Column>& readers, const Columns<Column>& writers) {
    ASSERT_EQ(readers.size(), writers.size());
    for (std::size_t resource = 0; resource < writers.size(); ++resource) {
        ASSERT_EQ(readers[resource] == nullptr, writers[resource] == nullptr) << "kind " << resource;
    }
}

void expect_same_amounts(const ResourceColumns& readers, const ResourceColumns& writers) {
    ASSERT_EQ(readers.capacity, writers.capacity);
    ASSERT_EQ(readers.used, writers.used);
    ASSERT_EQ(readers.foreign, writers.foreign);
    ASSERT_EQ(readers.held, writers.held);
}

void expect_same_block(const NodeBlock& readers, const NodeBlock& writers) {
    ASSERT_EQ(readers.present, writers.present);
    ASSERT_EQ(readers.schedulable, writers.schedulable);
    ASSERT_EQ(readers.holding, writers.holding);
    ASSERT_EQ(readers.names, writers.names);
    ASSERT_EQ(readers.holds, writers.holds);
    ASSERT_EQ(readers.hold_floor, writers.hold_floor);
    ASSERT_NO_FATAL_FAILURE(expect_same_columns(readers.resources, writers.resources));
    ASSERT_NO_FATAL_FAILURE(expect_same_columns(readers.reaches, writers.reaches));
    for (std::size_t resource = 0; resource < writers.resources.size(); ++resource) {
        if (writers.resources[resource]) {
            ASSERT_NO_FATAL_FAILURE(expect_same_amounts(*readers.resources[resource], *writers.resources[resource]))
                << "kind " << resource;
        }
    }
    for (std::size_t resource = 0; resource < writers.reaches.size(); ++resource) {
        ASSERT_TRUE(!writers.reaches[resource] || *readers.reaches[resource] == *writers.reaches[resource])
            << "kind " << resource;
    }
}

void expect_same_sides(NodeState& state) {
    for (std::uint32_t number = 0; number < state.shard_count(); ++number) {
        const ShardSide& writers = state.shard(number).back();
        state.shard(number).read(state.reader(0), [&](const ShardSide& readers) {
            ASSERT_NE(&readers, &writers);
            ASSERT_EQ(readers.blocks.size(), writers.blocks.size());
            ASSERT_EQ(readers.versions, writers.versions);
            ASSERT_TRUE(readers.bounds == writers.bounds);
            for (std::size_t block = 0; block < writers.blocks.size(); ++block) {
                ASSERT_NO_FATAL_FAILURE(expect_same_block(readers.blocks[block], writers.blocks[block]))
                    << "block " << block;
            }
        });
    }
}

class History {
public:
    History(NodeState& state, std::uint64_t seed) : state_(state), random_(seed) {}

    void step() {
        if (state_.block_count() == 0 || (state_.block_count() < kBlocksMax && chance(10))) {
            state_.add_block();
            return;
        }
        const Slot slot = slot_at(static_cast<std::uint32_t>(below(state_.block_count())),
                                  static_cast<std::uint32_t>(below(kLanesUsed)));
        const bool there = (state_.block(block_of(slot)).present >> lane_of(slot) & 1) != 0;
        there ? change(slot) : state_.put_node(slot, static_cast<NameId>(below(1'000)), capacity(), chance(2));
    }

    bool chance(std::uint64_t one_in) { return below(one_in) == 0; }

private:
    std::uint64_t below(std::uint64_t end) { return random_() % end; }

    std::vector<ResourceAmount> some(std::int64_t most) {
        std::vector<ResourceAmount> amounts;
        for (const ResourceId resource : kKindsHere) {
            if (chance(2)) {
                amounts.push_back({resource, static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most)))});
            }
        }
        return amounts;
    }

    std::vector<ResourceAmount> capacity() {
        std::vector<ResourceAmount> amounts = {{kCpu, 1'000 * static_cast<std::int64_t>(1 + below(3))},
                                               {kMemory, 5'000}};
        if (chance(3)) {
            amounts.push_back({kGpu, 4'000});
        }
        return amounts;
    }

    void change(Slot slot) {
        switch (below(12)) {
            case 0: remove(slot); break;
            case 1: state_.set_capacity(slot, capacity()); break;
            case 2: state_.set_schedulable(slot, chance(2)); break;
            case 3:
                state_.set_reach(slot, kGpu, chance(2) ? kNoDevices : static_cast<std::int64_t>(below(4'000)));
                break;
            case 4: hold(slot); break;
            case 5: add(slot, foreign_[slot], &NodeState::add_foreign); break;
            default: add(slot, used_[slot], &NodeState::add_used); break;
        }
    }

    using Amounts = std::vector<ResourceAmount>;
    void add(Slot slot, std::vector<Amounts>& pods,
             void (NodeState::*change)(Slot, std::span<const ResourceAmount>, int)) {
        if (!pods.empty() && chance(3)) {
            (state_.*change)(slot, pods.back(), -1);
            pods.pop_back();
        } else {
            pods.push_back(some(300));
            (state_.*change)(slot, pods.back(), +1);
        }
    }

    void hold(Slot slot) {
        state_.set_holds(slot, chance(2) ? nullptr
                                         : std::make_shared<const HoldList>(
                                               HoldList{{static_cast<std::int64_t>(below(20)), kCpu, 100, kNoDevices},
                                                        {static_cast<std::int64_t>(below(5)), kGpu, 1'000, 2'000}}));
    }

    void remove(Slot slot) {
        for (const Amounts& pod : used_[slot]) {
            state_.add_used(slot, pod, -1);
        }
        for (const Amounts& pod : foreign_[slot]) {
            state_.add_foreign(slot, pod, -1);
        }
        used_.erase(slot);
        foreign_.erase(slot);
        state_.set_holds(slot, nullptr);
        state_.set_reach(slot, kGpu, kNoDevices);
        state_.remove_node(slot);
    }

    NodeState& state_;
    std::mt19937_64 random_;
    std::map<Slot, std::vector<Amounts>> used_;
    std::map<Slot, std::vector<Amounts>> foreign_;
};

// Mostly a few changes between publishes, and sometimes so many that lanes are copied a block at a time.
TEST(ShardSides, are_the_same_after_every_publish_of_random_histories) {
    for (const std::uint32_t shards : {1u, 3u}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            NodeState state(shards, 1);
            History history(state, seed);
            const std::uint64_t between = seed % 2 == 0 ? 12 : 1'500;
            for (int step = 0; step < 6'000; ++step) {
                history.step();
                if (history.chance(between)) {
                    state.publish();
                    EXPECT_EQ(state.published(), state.log().head());
                    ASSERT_NO_FATAL_FAILURE(expect_same_sides(state)) << "seed " << seed << ", step " << step;
                }
            }
        }
    }
}

// The readers' side stands still until a publish, and takes no memory before the first.
TEST(ShardSides, what_readers_see_is_left_alone_until_a_publish) {
    NodeState state(1, 1);
    History history(state, 3);
    for (int step = 0; step < 10'000; ++step) {
        history.step();
    }
    EXPECT_EQ(state.published(), 0u);
    state.shard(0).read(state.reader(0), [](const ShardSide& side) { EXPECT_TRUE(side.blocks.empty()); });
    state.publish();
    ASSERT_NO_FATAL_FAILURE(expect_same_sides(state));
    std::vector<std::uint64_t> versions;
    state.shard(0).read(state.reader(0), [&](const ShardSide& side) { versions = side.versions; });
    for (int step = 0; step < 1'000; ++step) {
        history.step();
    }
    state.shard(0).read(state.reader(0), [&](const ShardSide& side) { EXPECT_EQ(side.versions, versions); });
}

}  // namespace
}  // namespace bayplan
