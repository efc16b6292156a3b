// Whether a thread goes on, and what it is doing if it does not.
//
// Thread: beat, does: the thread itself; the rest: any. Owner: the thread's.
#pragma once

#include <atomic>
#include <cstdint>

namespace bayplan::instruments {

class Heartbeat {
public:
    // A turn of its loop begins.
    void beat() { beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
    // The part of its turn that begins; a text that is there for ever.
    void does(const char* what) { doing_.store(what, std::memory_order_relaxed); }

    std::uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }
    const char* doing() const { return doing_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> beats_{0};
    std::atomic<const char*> doing_{"nothing"};
};

}  // namespace bayplan::instruments
