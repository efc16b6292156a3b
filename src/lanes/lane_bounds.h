// Upper bounds in 16 bits: enough to tell most blocks apart without their 64-bit columns.
//
//   share   of a capacity that is in use, in units of 1/kWhole, rounded down; kWhole + 1 = more than there is
// code of an amount, monotone: a node with room for an amount has a code at least as large as the amount's
//
// Both may only err towards "fits" and "scores better": what they leave open is then looked at exactly.
// Thread: plain data and functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayplan {

inline constexpr std::uint16_t kWhole = 1u << 15;
// Above this a share would need more than 64 bits on its way.
inline constexpr std::int64_t kShareCapacityMax = std::int64_t{1} << 47;

// capacity <= kShareCapacityMax.
constexpr std::uint16_t share_of(std::int64_t amount, std::int64_t capacity) {
    if (amount > capacity) {
        return kWhole + 1;
    }
    return amount <= 0 ? 0 : static_cast<std::uint16_t>(amount * kWhole / capacity);
}

// The same for what is to be added, and rounded up.
constexpr std::uint16_t share_above(std::int64_t amount, std::int64_t capacity) {
    return amount >= capacity ? kWhole : static_cast<std::uint16_t>((amount * kWhole + capacity - 1) / capacity);
}

// 11 significant bits and an exponent; 0 for what is 0 or below.
constexpr std::uint16_t room_code(std::int64_t amount) {
    if (amount <= 0) {
        return 0;
    }
    const int width = 64 - __builtin_clzll(static_cast<unsigned long long>(amount));
    const int shift = width > 11 ? width - 11 : 0;
    return static_cast<std::uint16_t>(shift * 1024 + (amount >> shift));
}

struct RoomLanes {
    alignas(64) std::uint16_t code[64] = {};
    bool operator==(const RoomLanes&) const = default;
};

struct ShareLanes {
    alignas(64) std::uint16_t cpu[64] = {};
    alignas(64) std::uint16_t memory[64] = {};
    bool operator==(const ShareLanes&) const = default;
};

// A block that is to be bounded.
struct BoundedBlock {
    const ShareLanes* shares;
    const ShareLanes* scored;  // shares of scored amounts (cluster/resources.h): often the same
    std::uint64_t lanes;       // that count
};

// The share that a class adds in a block, between its shares of the smallest and of the largest capacity.
struct ShareRange {
    std::uint16_t low = 0;
    std::uint16_t high = 0;
};

enum class AllocatedScore : std::uint8_t { none, least, most };

struct ScoreTerms {
    std::uint16_t cpu_max = UINT16_MAX;  // nodes with a share above this have no room
    std::uint16_t memory_max = UINT16_MAX;
    ShareRange cpu;
    ShareRange memory;
    ShareRange own_cpu;  // of scored shares
    ShareRange own_memory;
    AllocatedScore allocated = AllocatedScore::none;
    std::uint16_t allocated_weight = 0;
    std::uint16_t balanced_weight = 0;  // 0: not asked
};

// The shares of a block's nodes as ranges, a number per block: enough to tell of most blocks, 16 at a time and without
// their lanes, that they do not have the best node.
struct ShareRanges {
    // In use of cpu and memory by any node of the block; scored: what resource scores count of them.
    const std::uint16_t* cpu_least;
    const std::uint16_t* cpu_most;
    const std::uint16_t* memory_least;
    const std::uint16_t* memory_most;
    const std::uint16_t* scored_cpu_least;
    const std::uint16_t* scored_memory_least;
    // Shares that an amount of 1 is, of the block's largest and smallest capacity.
    const float* cpu_unit_least;
    const float* cpu_unit_most;
    const float* memory_unit_least;
    const float* memory_unit_most;
    const std::uint64_t* versions;  // of the block

    ShareRanges from(std::size_t block) const {
        return {cpu_least + block,        cpu_most + block,         memory_least + block,
                memory_most + block,      scored_cpu_least + block, scored_memory_least + block,
                cpu_unit_least + block,   cpu_unit_most + block,    memory_unit_least + block,
                memory_unit_most + block, versions + block};
    }
};

// The amounts that a class adds to ranges. Scores are LeastAllocated and balanced allocation.
struct RangeTerms {
    float cpu = 0;
    float memory = 0;
    float own_cpu = 0;  // of scored shares
    float own_memory = 0;
    float cpu_max = 0;  // a node needs a share of at most this, with the amount
    float memory_max = 0;
    float allocated_weight = 0;
    float balanced_weight = 0;
    std::uint64_t version = 0;  // blocks of versions up to this are left alone
};
// Largest error of floats: in shares, and in hundredths.
inline constexpr float kShareSlack = 1.0f / 16;
inline constexpr float kPercentSlack = 1.0f / 4096;

inline constexpr std::uint32_t kBlocksOfRun = 16;
// Columns that runs are read from are this long.
constexpr std::size_t whole_runs(std::size_t blocks) {
    return (blocks + kBlocksOfRun - 1) / kBlocksOfRun * kBlocksOfRun;
}

// Runs of blocks: the first is `first`, each begins `step` blocks after the one before. Columns of a shard have them one
// after the other. Blocks that are not there have version 0.
struct BlockRuns {
    std::uint32_t count;
    std::uint32_t first;
    std::uint32_t step;
};

// Scores by weights up to this sum fit 16 bits.
inline constexpr std::int64_t kBoundedWeights = 655;

}  // namespace bayplan
