// The adaptive idle policy of a polled port: spin while traffic is near, then sleep in short naps
// that grow with the silence. Rx interrupts are no portable answer (software drivers have none),
// and on a machine whose cores are shared a poller that sleeps beats one that spins.
//
// Thread: busy() and wait() by the polling thread; wake() by any.
#pragma once

#include <atomic>
#include <cstdint>

namespace bayplan::dataplane {

class IdleSleeper {
public:
    static constexpr std::uint32_t kSpinPolls = 2000;       // about 100-200 us of empty polls
    static constexpr std::int64_t kNapNs = 50'000;          // measured: 26 % of a core, p99 0.12 ms
    static constexpr std::int64_t kLongNapNs = 200'000;     // 8 %, p99 0.29 ms
    static constexpr std::int64_t kDeepNapNs = 1'000'000;   // 2 %, p99 0.78 ms
    static constexpr std::uint32_t kNapsBeforeLong = 1000;  // 50 ms of silence
    static constexpr std::uint32_t kNapsBeforeDeep = 6000;  // and another second

    // Something arrived: spin again.
    void busy() { empty_polls_ = 0; }
    // Nothing arrived. Returns at once while still spinning, else after a nap, the timeout or
    // wake(). A wake() since the last wait counts.
    void wait(std::int64_t timeout_ns);
    void wake();

private:
    static constexpr std::uint32_t kAwake = 0;
    static constexpr std::uint32_t kAsleep = 1;
    static constexpr std::uint32_t kWoken = 2;

    void nap(std::int64_t ns);

    std::uint32_t empty_polls_ = 0;
    // Sequentially consistent: either wake() sees kAsleep and wakes, or the futex sees kWoken.
    std::atomic<std::uint32_t> state_{kAwake};
};

}  // namespace bayplan::dataplane
