// A futex on the epoch.
//
// Thread: see the header.
#include "base/waker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace bayplan {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value, const timespec* timeout) {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, timeout, nullptr, 0);
}

}  // namespace

void Waker::notify() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_seq_cst)) futex(&epoch_, FUTEX_WAKE_PRIVATE, 1, nullptr);
}

void Waker::wait(std::uint32_t seen, std::int64_t timeout_ns) {
    if (timeout_ns <= 0) return;
    asleep_.store(true, std::memory_order_seq_cst);
    if (epoch_.load(std::memory_order_seq_cst) == seen) {
        const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
        futex(&epoch_, FUTEX_WAIT_PRIVATE, seen, &timeout);
    }
    asleep_.store(false, std::memory_order_seq_cst);
}

}  // namespace bayplan
