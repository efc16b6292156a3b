// Sums over all asks of a partition, waiting, running and foreign, by resource. An ask that would bring a resource
// beyond the limit is refused, so that no sum over some of the asks can wrap: not on a node, not in a trial of a node.
//
// Thread: the engine's. Owner: World.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/shard.h"

namespace bayplan {

class AmountTotals {
public:
    // A quarter of what 64 bits hold: holds of operators on a node come to no more either, and a trial of a node may
    // count a pod that is nominated to it twice.
    static constexpr std::int64_t kMax = std::int64_t{1} << 61;
    // For asks that name no node, so that one tenant's nonsense leaves room for the pods that run.
    static constexpr std::int64_t kMaxToBePlaced = kMax / 2;

    // Whether an ask of these amounts may come in the place of one of those. No resource twice, no amount above 2^53.
    bool allow(std::span<const ResourceAmount> comes, std::span<const ResourceAmount> goes, std::int64_t max) const {
        for (const ResourceAmount& one : comes) {
            std::int64_t total = of(one.resource) + one.value;
            for (const ResourceAmount& other : goes) {
                total -= other.resource == one.resource ? other.value : 0;
            }
            if (total > max) {
                return false;
            }
        }
        return true;
    }
    void add(std::span<const ResourceAmount> amounts, int sign) {
        for (const ResourceAmount& one : amounts) {
            if (raw(one.resource) >= totals_.size()) {
                totals_.resize(raw(one.resource) + 1, 0);
            }
            totals_[raw(one.resource)] += sign * one.value;
        }
    }
    std::int64_t of(ResourceId resource) const { return raw(resource) < totals_.size() ? totals_[raw(resource)] : 0; }
    std::uint32_t resources() const { return static_cast<std::uint32_t>(totals_.size()); }

private:
    std::vector<std::int64_t> totals_;  // by ResourceId; a resource that nothing uses any more is at 0
};

}  // namespace bayplan
