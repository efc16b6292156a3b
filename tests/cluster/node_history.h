// Random changes of everything that a node state can be told: nodes come and go, are drained and resized, pods come and go on
// them, holds and the reach of devices change.
//
// Thread: one. Refers to the state, which its caller owns.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cluster/node_state.h"
#include "cluster/resources.h"

namespace bayplan {

inline constexpr std::uint32_t kBlocksMax = 70;  // several runs in each shard
inline constexpr std::uint32_t kLanesUsed = 20;  // so that lanes meet often
inline constexpr auto kGpu = static_cast<ResourceId>(7);
inline constexpr auto kFarKind = static_cast<ResourceId>(20);  // has no bounds
inline const std::vector<ResourceId> kKindsHere = {kCpu, kMemory, kScoredCpu, kScoredMemory, kGpu, kFarKind};

class NodeHistory {
public:
    NodeHistory(NodeState& state, std::uint64_t seed) : state_(state), random_(seed) {}

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
                                         : std::make_shared<const HoldList>(HoldList{
                                               {static_cast<std::int64_t>(5 + below(20)), kCpu, 100, kNoDevices},
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

}  // namespace bayplan
