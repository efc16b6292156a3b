// See work.h. The functions that the compiler calls at every piece of counted code. Thread: any.
#include "work.h"

#include <atomic>

namespace {

std::atomic<std::uint64_t> pieces{0};

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { pieces.fetch_add(1, std::memory_order_relaxed); }

namespace bayplan::attacks {

std::uint64_t work() { return pieces.load(std::memory_order_relaxed); }

}  // namespace bayplan::attacks
