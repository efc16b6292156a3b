// 64 node slots as columns: what predicates and scores read.
//
//   present      1 bit per lane: a node is there       kinds[k] -> capacity[64] used[64] foreign[64] held[64]
//   schedulable  1 bit per lane: not drained           names[64], zero-based NameId of the node
//   holding      1 bit per lane: has holds             holds: (lane, list), only for these lanes
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
struct KindColumns {
    alignas(64) std::array<std::int64_t, kLanes> capacity{};
    alignas(64) std::array<std::int64_t, kLanes> used{};
    alignas(64) std::array<std::int64_t, kLanes> foreign{};
    alignas(64) std::array<std::int64_t, kLanes> held{};
};

// What a kind reads as where a block has no columns of it.
inline constexpr KindColumns kNoColumns{};

// Part of a hold: so much of the kind is kept from asks with a priority below this.
struct HeldAmount {
    std::int64_t kept_from_below = 0;  // wider than a priority: a nomination keeps from its own too
    KindId kind = kNone<KindId>;
    std::int64_t amount = 0;
};
using HoldList = std::vector<HeldAmount>;

struct NodeBlock {
    std::uint64_t present = 0;
    std::uint64_t schedulable = 0;
    std::uint64_t holding = 0;
    alignas(64) std::array<NameId, kLanes> names{};
    std::vector<std::unique_ptr<KindColumns>> kinds;  // by KindId; null: nobody here has or uses it
    std::vector<std::pair<std::uint32_t, std::shared_ptr<const HoldList>>> holds;
    std::int64_t hold_floor = INT64_MAX;  // asks below this priority respect every hold here: the columns tell all

    const KindColumns* columns(KindId kind) const {
        return raw(kind) < kinds.size() ? kinds[raw(kind)].get() : nullptr;
    }

    // The kind's columns with what an ask would add.
    KindLanes lanes(KindId kind, std::int64_t amount) const { return lanes(kind, kind, amount); }
    // The same with the use of another kind (cluster/kinds.h).
    KindLanes lanes(KindId of_capacity, KindId of_use, std::int64_t amount) const {
        const KindColumns* owned = columns(of_capacity);
        const KindColumns* in_use = columns(of_use);
        const KindColumns& use = in_use == nullptr ? kNoColumns : *in_use;
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

    // What holds keep from an ask of this priority.
    std::int64_t held_from(std::uint32_t lane, KindId kind, std::int32_t priority) const {
        std::int64_t sum = 0;
        if (const HoldList* list = holds_of(lane)) {
            for (const HeldAmount& hold : *list) {
                sum += hold.kind == kind && priority < hold.kept_from_below ? hold.amount : 0;
            }
        }
        return sum;
    }
};

}  // namespace bayplan
