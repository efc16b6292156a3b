// 64 node slots as columns: what predicates and scores read.
//
//   present      1 bit per lane: a node is there       resources[k] -> capacity[64] used[64] foreign[64] held[64]
//   schedulable  1 bit per lane: not drained           names[64], zero-based NameId of the node
//   holding      1 bit per lane: has holds             holds: (lane, list), only for these lanes
//   reaches[k]   of a resource that is devices on some node here: the most that one ask could get of them
//
// A lane without a node reads as zero capacity and is masked out by `present`.
// Thread: a block lies in one side of a shard (cluster/shard.h) and follows the shard's rule: written
// by the engine thread while nobody reads it, read by anybody while nobody writes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "lanes/lane_kernels.h"

namespace bayplan {

// Units as in Amount. used: our allocations; foreign: pods of other schedulers; held: all holds.
struct ResourceColumns {
    alignas(64) std::array<std::int64_t, kLanes> capacity{};
    alignas(64) std::array<std::int64_t, kLanes> used{};
    alignas(64) std::array<std::int64_t, kLanes> foreign{};
    alignas(64) std::array<std::int64_t, kLanes> held{};
};

// Stands for the columns of a resource that a block does not keep: zeros.
inline constexpr ResourceColumns kNoColumns{};

// Of a kind that devices stand for, on a node that states none of it: as much as one amount may be.
inline constexpr std::int64_t kBoundless = std::int64_t{1} << 53;

// How far devices reach where there are none: amounts alone decide.
inline constexpr std::int64_t kNoDevices = INT64_MAX;

// Part of a hold: so much of the resource is kept from asks with a priority below this.
struct HeldAmount {
    std::int64_t kept_from_below = 0;  // wider than a priority: a nomination keeps from its own too
    ResourceId resource = kNone<ResourceId>;
    std::int64_t amount = 0;
    // Where the resource is devices: how far they reach beside this hold and those before it in the list.
    std::int64_t reach = kNoDevices;
};
// The holds that the most asks respect first (R-DEVICE-18), so that an ask respects a beginning of the list.
using HoldList = std::vector<HeldAmount>;

struct alignas(64) ReachLanes : std::array<std::int64_t, kLanes> {
    ReachLanes() { fill(kNoDevices); }
};

struct NodeBlock {
    std::uint64_t present = 0;
    std::uint64_t schedulable = 0;
    std::uint64_t holding = 0;
    alignas(64) std::array<NameId, kLanes> names{};
    std::vector<std::unique_ptr<ResourceColumns>> resources;  // by ResourceId; null: nobody here has or uses it
    std::vector<std::unique_ptr<ReachLanes>> reaches;         // by ResourceId; null: nobody here has it as devices
    std::vector<std::pair<std::uint32_t, std::shared_ptr<const HoldList>>> holds;
    std::int64_t hold_floor = INT64_MAX;  // asks below this priority respect every hold here: the columns tell all

    // Before columns are looked at: what leads to them.
    void prefetch() const {
        __builtin_prefetch(this);
        __builtin_prefetch(resources.data());
    }

    const ResourceColumns* columns(ResourceId resource) const {
        return raw(resource) < resources.size() ? resources[raw(resource)].get() : nullptr;
    }

    const ReachLanes* reach(ResourceId resource) const {
        return raw(resource) < reaches.size() ? reaches[raw(resource)].get() : nullptr;
    }
    // The reach of devices as the room of a resource.
    static ResourceLanes lanes(const ReachLanes& reach, std::int64_t amount) {
        return {reach.data(), kNoColumns.used.data(), kNoColumns.foreign.data(), amount};
    }

    // The resource's columns with what an ask would add.
    ResourceLanes lanes(ResourceId resource, std::int64_t amount) const { return lanes(resource, resource, amount); }
    // The same with the use of another resource (cluster/resources.h).
    ResourceLanes lanes(ResourceId of_capacity, ResourceId of_use, std::int64_t amount) const {
        const ResourceColumns* owned = columns(of_capacity);
        const ResourceColumns* in_use = columns(of_use);
        const ResourceColumns& use = in_use == nullptr ? kNoColumns : *in_use;
        return {(owned == nullptr ? kNoColumns : *owned).capacity.data(), use.used.data(), use.foreign.data(), amount};
    }

    const HoldList* holds_of(std::uint32_t lane) const {
        for (const auto& [at, list] : holds) {
            if (at == lane) {
                return list.get();
            }
        }
        return nullptr;
    }

    // The amount that holds keep from an ask of this priority.
    std::int64_t held_from(std::uint32_t lane, ResourceId resource, std::int32_t priority) const {
        std::int64_t sum = 0;
        if (const HoldList* list = holds_of(lane)) {
            for (const HeldAmount& hold : *list) {
                sum += hold.resource == resource && priority < hold.kept_from_below ? hold.amount : 0;
            }
        }
        return sum;
    }

    // How far the resource's devices reach for an ask of this priority.
    std::int64_t reach_from(std::uint32_t lane, ResourceId resource, std::int32_t priority) const {
        const ReachLanes* const lanes = reach(resource);
        if (lanes == nullptr || (*lanes)[lane] == kNoDevices) {
            return kNoDevices;
        }
        std::int64_t least = (*lanes)[lane];
        if (const HoldList* list = holds_of(lane)) {
            for (const HeldAmount& hold : *list) {
                least =
                    hold.resource == resource && priority < hold.kept_from_below ? std::min(least, hold.reach) : least;
            }
        }
        return least;
    }

    // Capacity beyond what runs there; below 0 if that is more.
    std::int64_t unused(std::uint32_t lane, ResourceId resource) const {
        const ResourceColumns* const owned = columns(resource);
        return owned == nullptr ? 0 : owned->capacity[lane] - owned->used[lane] - owned->foreign[lane];
    }

    // The most that an ask of this priority could get of a resource.
    std::int64_t free_for(std::uint32_t lane, ResourceId resource, std::int32_t priority) const {
        return std::min(unused(lane, resource) - held_from(lane, resource, priority),
                        reach_from(lane, resource, priority));
    }
};

}  // namespace bayplan
