// The adaptive idle policy of a polled port: sleep in short naps that grow with the silence. Rx interrupts
// are no portable answer (software drivers have none), and where threads share cores, sleeping costs less than
// spinning.
//
// Thread: busy() and wait() by the polling thread; wake() by any.
#pragma once

#include <atomic>
#include <cstdint>

namespace bayplan::dataplane {

// How long a silence is met with which nap. Cost and latency as measured with af_packet at 200
// requests per second, blocking client.
struct IdleLimits {
    std::uint32_t spin_polls = 4;           // empty polls before the first nap
    std::int64_t nap_ns = 50'000;           // 26 % of a core, p99 0.12 ms
    std::int64_t long_nap_ns = 200'000;     // 8 %, p99 0.29 ms
    std::int64_t deep_nap_ns = 1'000'000;   // 2 %, p99 0.78 ms
    std::uint32_t naps_before_long = 1000;  // 50 ms of silence
    std::uint32_t naps_before_deep = 6000;  // and about another second
};

class IdleSleeper {
public:
    explicit IdleSleeper(IdleLimits limits = {}) : limits_(limits) {}

    // Something arrived: naps are short again.
    void busy() { empty_polls_ = 0; }
    // Nothing arrived. Returns at once while still spinning, else after a nap, the timeout or
    // wake(). A wake() since the last nap counts.
    void wait(std::int64_t timeout_ns);
    void wake();
    // How often the thread went to sleep; any thread.
    std::uint64_t naps() const { return naps_.load(std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t kAwake = 0;
    static constexpr std::uint32_t kAsleep = 1;
    static constexpr std::uint32_t kWoken = 2;

    void nap(std::int64_t ns);

    const IdleLimits limits_;
    std::uint32_t empty_polls_ = 0;
    std::atomic<std::uint64_t> naps_{0};
    // Sequentially consistent: either wake() sees kAsleep and wakes, or the futex sees kWoken.
    std::atomic<std::uint32_t> state_{kAwake};
};

}  // namespace bayplan::dataplane
