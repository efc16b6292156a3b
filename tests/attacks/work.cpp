// See work.h. The functions that the compiler calls at every piece of counted code, and memmove, of which each 64 bytes
// are a piece: what a list moves to make room in its midst is no code of its own. Thread: any.
#include "work.h"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<std::uint64_t> pieces{0};

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { pieces.fetch_add(1, std::memory_order_relaxed); }

extern "C" void* __real_memmove(void* to, const void* from, std::size_t size);
extern "C" void* __wrap_memmove(void* to, const void* from, std::size_t size) {
    pieces.fetch_add(size / 64, std::memory_order_relaxed);
    return __real_memmove(to, from, size);
}

namespace bayplan::attacks {

std::uint64_t work() { return pieces.load(std::memory_order_relaxed); }

}  // namespace bayplan::attacks
