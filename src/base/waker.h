// Lets one thread sleep until another has something for it, at the price of one atomic add per
// hand-over.
//
// The sleeper takes epoch(), looks whether there is work, and only then waits for the epoch to move
// on: a notify between the look and the wait is not lost, because the kernel compares the epoch
// again.
//
// Thread: notify: any; epoch, wait: the one sleeper.
#pragma once

#include <atomic>
#include <cstdint>

namespace bayplan {

class Waker {
public:
    // After the work has been made visible.
    void notify();
    std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }
    // Returns when the epoch is no longer `seen`, after the timeout, or early for no reason.
    void wait(std::uint32_t seen, std::int64_t timeout_ns);

private:
    // Both sequentially consistent: either notify sees the sleeper, or the sleeper sees the new
    // epoch.
    std::atomic<std::uint32_t> epoch_{0};
    std::atomic<bool> asleep_{false};
};

}  // namespace bayplan
