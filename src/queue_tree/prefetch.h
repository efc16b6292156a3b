// Cache lines that are needed soon. It decides nothing: what is fetched may be something else by then.
//
// Thread: any.
#pragma once

#include <cstddef>

namespace bayplan::queue_tree {

inline constexpr std::size_t kCacheLine = 64;

// All of it, or so many bytes from its beginning.
template <typename Object>
void fetch(const Object& object, std::size_t bytes = sizeof(Object)) {
    const auto* const begin = reinterpret_cast<const char*>(&object);
    for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(begin + at, 1);
    __builtin_prefetch(begin + bytes - 1, 1);
}

}  // namespace bayplan::queue_tree
