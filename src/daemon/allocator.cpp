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

}  // namespace bayplan::daemon
