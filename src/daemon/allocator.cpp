// jemalloc, asked by its own interface: being linked does not prove that it serves malloc.
//
// Thread: any.
#include "daemon/allocator.h"

#ifdef BAYPLAN_JEMALLOC
#include <jemalloc/jemalloc.h>

#include <cstdint>
#include <cstdlib>
#endif

namespace bayplan::daemon {

std::string allocator_name() {
#ifdef BAYPLAN_JEMALLOC
    const char* version = nullptr;
    std::size_t size = sizeof version;
    if (mallctl("version", static_cast<void*>(&version), &size, nullptr, 0) != 0) return "jemalloc of unknown version";
    // This thread's count of bytes ever allocated moves if malloc is jemalloc's.
    const auto allocated = [] {
        std::uint64_t bytes = 0;
        std::size_t bytes_size = sizeof bytes;
        mallctl("thread.allocated", static_cast<void*>(&bytes), &bytes_size, nullptr, 0);
        return bytes;
    };
    const std::uint64_t before = allocated();
    void* volatile probe = std::malloc(64);
    const bool serves = allocated() > before;
    std::free(probe);
    return serves ? std::string("jemalloc ") + version : std::string("the C library's, though jemalloc is linked");
#else
    return "the C library's";
#endif
}

std::vector<std::pair<std::string_view, std::uint64_t>> allocator_bytes() {
    std::vector<std::pair<std::string_view, std::uint64_t>> all;
#ifdef BAYPLAN_JEMALLOC
    // Its statistics are of the moment when the epoch was last moved.
    std::uint64_t epoch = 1;
    if (mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch) != 0) return all;
    constexpr std::string_view kPrefix = "stats.";
    for (const char* const name :
         {"stats.allocated", "stats.active", "stats.metadata", "stats.resident", "stats.mapped", "stats.retained"}) {
        std::size_t bytes = 0;
        std::size_t size = sizeof bytes;
        if (mallctl(name, &bytes, &size, nullptr, 0) != 0) continue;
        all.emplace_back(std::string_view(name).substr(kPrefix.size()), bytes);
    }
#endif
    return all;
}

}  // namespace bayplan::daemon
