// What LeastAllocated and MostAllocated share: the mean over cpu and memory of a per-kind score, leaving
// out kinds that a node has none of. What pods count for are their scored amounts (a pod without requests
// is taken for a small one). All divisions truncate. Source: Kubernetes 1.35, NodeResourcesFit scoring
// strategies.
//
// Thread: any.
#pragma once

#include <bit>

#include "cluster/kinds.h"
#include "scoring/score.h"

namespace bayplan {

// PerKind: std::int64_t(requested, capacity), capacity > 0.
inline std::int64_t in_use(const NodeBlock& block, KindId kind, std::uint32_t lane) noexcept {
    const KindColumns* columns = block.columns(kind);
    return columns == nullptr ? 0 : columns->used[lane] + columns->foreign[lane];
}

// PerKind: std::int64_t(requested, capacity), capacity > 0.
template <typename PerKind>
void add_allocated_scores(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
                          LaneScores& scores, PerKind&& per_kind) noexcept {
    const KindColumns* cpu = block.columns(kCpu);
    const KindColumns* memory = block.columns(kMemory);
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        std::int64_t sum = 0;
        std::int64_t kinds = 0;
        if (cpu != nullptr && cpu->capacity[lane] > 0) {
            sum += per_kind(in_use(block, kScoredCpu, lane) + ask_class.own_cpu, cpu->capacity[lane]);
            ++kinds;
        }
        if (memory != nullptr && memory->capacity[lane] > 0) {
            sum += per_kind(in_use(block, kScoredMemory, lane) + ask_class.own_memory, memory->capacity[lane]);
            ++kinds;
        }
        scores[lane] += weight * (kinds == 0 ? 0 : sum / kinds);
    }
}

}  // namespace bayplan
