// What LeastAllocated and MostAllocated share: the mean over cpu and memory of a per-kind score, leaving
// out kinds that a node has none of. All divisions truncate. Source: Kubernetes 1.35, NodeResourcesFit
// scoring strategies.
//
// Thread: any.
#pragma once

#include <bit>

#include "cluster/kinds.h"
#include "scoring/score.h"

namespace bayplan {

// PerKind: std::int64_t(requested, capacity), capacity > 0.
template <typename PerKind>
std::int64_t allocated_score(const AskClass& ask_class, const KindColumns* cpu, const KindColumns* memory,
                             std::uint32_t lane, PerKind&& per_kind) noexcept {
    std::int64_t sum = 0;
    std::int64_t kinds = 0;
    const auto add_kind = [&](const KindColumns* columns, std::int64_t request) {
        if (columns != nullptr && columns->capacity[lane] > 0) {
            sum += per_kind(columns->used[lane] + columns->foreign[lane] + request, columns->capacity[lane]);
            ++kinds;
        }
    };
    add_kind(cpu, ask_class.cpu_request);
    add_kind(memory, ask_class.memory_request);
    return kinds == 0 ? 0 : sum / kinds;
}

template <typename PerKind>
void add_allocated_scores(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
                          LaneScores& scores, PerKind&& per_kind) noexcept {
    const KindColumns* cpu = block.columns(kCpu);
    const KindColumns* memory = block.columns(kMemory);
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        scores[lane] += weight * allocated_score(ask_class, cpu, memory, lane, per_kind);
    }
}

}  // namespace bayplan
