// A key orders nodes: the higher score first, then the lowest slot. (score + 1) << 32 | ~slot; 0 = no node.
//
// Thread: plain data.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace bayplan {

using NodeKey = std::uint64_t;  // 0 = no feasible node

constexpr NodeKey make_key(std::int64_t score, Slot slot) {
    return (static_cast<std::uint64_t>(score) + 1) << 32 | static_cast<std::uint32_t>(~raw(slot));
}
// A higher score for the same node.
constexpr NodeKey add_score(NodeKey key, std::int64_t more) { return key + (static_cast<std::uint64_t>(more) << 32); }
// Below all keys with this score.
constexpr NodeKey least_key(std::int64_t score) { return (static_cast<std::uint64_t>(score) + 1) << 32; }
constexpr std::int64_t score_of(NodeKey key) { return static_cast<std::int64_t>(key >> 32) - 1; }
constexpr Slot slot_of(NodeKey key) { return static_cast<Slot>(~static_cast<std::uint32_t>(key)); }

}  // namespace bayplan
