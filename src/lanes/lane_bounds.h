// Upper bounds in 16 bits: enough to tell most blocks apart without their 64-bit columns.
//
//   share   of a capacity that is in use, in units of 1/kWhole, rounded down; kWhole + 1 = more than there is
//   code    of an amount, monotone: whoever has room for an amount has a code at least as large as its code
//
// Both may only err towards "fits" and "scores better": what they leave open is then looked at exactly.
// Thread: plain data and functions.
#pragma once

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
};

struct ShareLanes {
    alignas(64) std::uint16_t cpu[64] = {};
    alignas(64) std::uint16_t memory[64] = {};
    alignas(64) std::uint16_t scored_cpu[64] = {};  // what resource scores count (cluster/kinds.h)
    alignas(64) std::uint16_t scored_memory[64] = {};
};

// What a class adds to the shares of a block, between the shares of its smallest and its largest capacity.
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
    ShareRange own_cpu;  // of scored_cpu
    ShareRange own_memory;
    AllocatedScore allocated = AllocatedScore::none;
    std::uint16_t allocated_weight = 0;
    std::uint16_t balanced_weight = 0;  // 0: not asked
};

// Weights up to this sum fit 16 bits.
inline constexpr std::int64_t kBoundedWeights = 655;

}  // namespace bayplan
