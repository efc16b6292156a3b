// Which allocator serves this process.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayplan::daemon {

// "jemalloc 5.3.0-..." or, in builds that a sanitizer must watch, "the C library's".
std::string allocator_name();

// jemalloc's bytes at this moment, by its own names: allocated, active, metadata, resident, mapped, retained. Empty without it.
std::vector<std::pair<std::string_view, std::uint64_t>> allocator_bytes();

}  // namespace bayplan::daemon
