// Keys of queues and applications, as words: the first word that differs decides, the lower comes first. Which
// of two comes first is a toss, several times for each ask that is taken; words are compared without a branch.
//
// Thread: any.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace bayplan::queue_tree {

// Values as words of the same order.
inline std::uint64_t ascending(std::int64_t value) {
    return std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63;
}
inline std::uint64_t descending(std::int64_t value) { return ~ascending(value); }
// Of a share: never below zero.
inline std::uint64_t ascending_share(double share) { return std::bit_cast<std::uint64_t>(share); }

template <std::size_t kCount>
using OrderWords = std::array<std::uint64_t, kCount>;

// The last ones lent from, up to the first: what is still owed then says that `a` is the lower number.
template <std::size_t kCount>
bool is_lower(const OrderWords<kCount>& a, const OrderWords<kCount>& b) {
#ifdef __x86_64__
    unsigned char owed = 0;
    unsigned long long rest = 0;
    for (std::size_t at = kCount; at-- > 0;) owed = _subborrow_u64(owed, a[at], b[at], &rest);
    return owed != 0;
#else
    return a < b;
#endif
}

}  // namespace bayplan::queue_tree
