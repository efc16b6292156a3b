// See idle_sleeper.h. A futex rather than nanosleep, so that wake() ends a nap.
//
// Thread: as the header says. Blocks: in nap(), for a bounded time.
#include "port/idle_sleeper.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace bayplan::dataplane {
namespace {

// The kernel adds up to 50 us to each sleep unless told otherwise: as much as the nap itself.
void sharpen_timers_of_this_thread() {
    thread_local const int done = prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    static_cast<void>(done);
}

}  // namespace

void IdleSleeper::wait(std::int64_t timeout_ns) {
    if (timeout_ns <= 0) return;
    const std::uint32_t long_from = limits_.spin_polls + limits_.naps_before_long;
    const std::uint32_t deep_from = long_from + limits_.naps_before_deep;
    if (empty_polls_ < limits_.spin_polls) {
        ++empty_polls_;
        return;
    }
    const std::int64_t most = empty_polls_ < long_from   ? limits_.nap_ns
                              : empty_polls_ < deep_from ? limits_.long_nap_ns
                                                         : limits_.deep_nap_ns;
    if (empty_polls_ < deep_from) ++empty_polls_;
    nap(std::min(most, timeout_ns));
}

void IdleSleeper::nap(std::int64_t ns) {
    sharpen_timers_of_this_thread();
    std::uint32_t expected = kAwake;
    if (state_.compare_exchange_strong(expected, kAsleep)) {
        naps_.store(naps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        timespec timeout{};
        timeout.tv_sec = ns / 1'000'000'000;
        timeout.tv_nsec = ns % 1'000'000'000;
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAIT_PRIVATE, kAsleep, &timeout, nullptr,
                0);
    }
    state_.exchange(kAwake);  // reads what a waker published before it woke us
}

void IdleSleeper::wake() {
    if (state_.exchange(kWoken) == kAsleep) {
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
}

}  // namespace bayplan::dataplane
