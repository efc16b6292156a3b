// The functions that look at all 64 lanes of a block, as a table per level of vector instructions.
//
// Arrays have 64 entries, aligned to 64 bytes. Results are the same at every level, bit by bit.
// Thread: any; the tables are constant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "lanes/lane_bounds.h"
#include "options/engine_options.h"

namespace bayplan {

// One resource of a block with what an ask would add. Amounts are >= 0; used + foreign is at most 2^61
// (apps/amount_totals.h).
struct ResourceLanes {
    const std::int64_t* capacity;  // at most 2^53
    const std::int64_t* used;
    const std::int64_t* foreign;
    std::int64_t amount;
};

struct alignas(64) LaneScores : std::array<std::int64_t, kLanes> {};

struct LaneRange {
    std::int64_t min;
    std::int64_t max;
};

// The eights of lanes that have any of these, whole.
constexpr std::uint64_t whole_eights(std::uint64_t lanes) {
    constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    const std::uint64_t tops = (((lanes & kLow) + kLow) | lanes) & ~kLow;  // top bit of each eight that has any
    return (tops - (tops >> 7)) | tops;
}

// Of lanes that are whole eights.
constexpr bool is_one_eight(std::uint64_t eights) { return eights >> __builtin_ctzll(eights) == 0xff; }

struct LaneKernels {
    SimdLevel level;

    // The lanes, of these, where capacity - used - foreign >= amount. Amounts of lanes in no eight of these may be anything.
    std::uint64_t (*with_room)(const ResourceLanes&, std::uint64_t lanes) noexcept;
    // The same for each of so many resources: none waits for what another found.
    std::uint64_t (*with_room_for_all)(const ResourceLanes* resources, std::size_t count, std::uint64_t lanes) noexcept;
    // Lanes with this name.
    std::uint64_t (*named)(const NameId* names, NameId name) noexcept;

    // The scores of these eights of lanes become 0: as wide as they are read next, which is faster than one by one.
    void (*clear_eights)(std::uint64_t eights, std::int64_t* scores) noexcept;
    // Each adds weight * score to the scores of the lanes, and may do so to others of the same eight. Divisions
    // truncate; resources with capacity 0 are left out.
    void (*add_least_allocated)(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                                std::int64_t weight, std::int64_t* scores) noexcept;
    void (*add_most_allocated)(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                               std::int64_t weight, std::int64_t* scores) noexcept;
    void (*add_balanced)(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                         std::int64_t weight, std::int64_t* scores) noexcept;

    // Largest of (score + 1) << 32 | ~(first_slot + lane) over the lanes, 0 if there are none. Scores are
    // below 2^30.
    std::uint64_t (*best_key)(std::uint64_t lanes, const std::int64_t* scores, std::uint32_t first_slot) noexcept;
    // 0 if there are none. Keys are below 2^63.
    std::uint64_t (*largest)(const std::uint64_t* keys, std::size_t count) noexcept;

    // Lanes whose code is at least this.
    std::uint64_t (*coded)(const std::uint16_t* codes, std::uint16_t code) noexcept;
    // For each block 1 + at least the best score of any of its lanes that has room for cpu and memory; 0: none has.
    void (*score_bounds)(const BoundedBlock* blocks, std::size_t count, const ScoreTerms&,
                         std::uint16_t* bounds) noexcept;
    // Lanes of the block that may reach this: 1 + a score, as score_bounds() has it.
    std::uint64_t (*reaching)(const BoundedBlock&, const ScoreTerms&, std::uint16_t bound) noexcept;
    // For blocks that changed: what makes a key for the block's first slot (best_key) of at least the best score of any
    // of its nodes, into keys[block]; 0: none has room for cpu and memory. changed: a bit for each block, by run.
    void (*range_bounds)(const ShareRanges&, const RangeTerms&, const BlockRuns&, std::uint64_t* keys,
                         std::uint16_t* changed) noexcept;

    // --- numbers of the 64 nodes that searches over the cluster add and compare (placement/site_search.h)
    // best_key() of scores of half the size.
    std::uint64_t (*best_short_key)(std::uint64_t lanes, const std::int32_t* scores, std::uint32_t first_slot) noexcept;
    // Adds weight * number to each sum. Numbers are >= 0.
    void (*add_numbers)(const std::int32_t* numbers, std::int64_t weight, std::int64_t* sums) noexcept;
    // Lanes with this value.
    std::uint64_t (*equal)(const std::int64_t* values, std::int64_t value) noexcept;
    // Smallest and largest value of the lanes; INT64_MAX and INT64_MIN if there are none.
    LaneRange (*range)(std::uint64_t lanes, const std::int64_t* values) noexcept;
    // The same of values - less.
    LaneRange (*range_of_difference)(std::uint64_t lanes, const std::int64_t* values,
                                     const std::int64_t* less) noexcept;
};

// The table of a level, or of the next one down that this CPU has. `automatic`: what BAYPLAN_SIMD names
// (scalar, avx2, avx512), else the best.
const LaneKernels& lane_kernels(SimdLevel);

}  // namespace bayplan
