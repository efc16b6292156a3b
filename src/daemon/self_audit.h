// When an engine with nothing to do recounts all that it knows and holds it against the laws (src/engine/rules/laws.md).
//
// A recount stops the engine while it lasts. So it is made only when it is expected to take no longer than the setting says,
// and no more often than that a thousandth of the time goes into it. Its duration is guessed from the last one.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bayplan::daemon {

class SelfAudit {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kEveryAtLeast{10};
    static constexpr int kShareOfTime = 1'000;

    // 0: never.
    SelfAudit(std::chrono::nanoseconds longest, Clock::time_point now)
        : longest_(longest), next_(now + kEveryAtLeast) {}

    // Worth the question how much there is to count.
    bool is_due(Clock::time_point now) const { return longest_.count() > 0 && now >= next_; }
    // Whether to do it, of so many nodes and pods.
    bool may_begin(std::uint64_t things, Clock::time_point now) {
        if (per_thing_ * static_cast<std::int64_t>(things) <= longest_) return true;
        ++put_off_;
        next_ = now + kEveryAtLeast;
        return false;
    }
    void took(std::uint64_t things, std::chrono::nanoseconds time, Clock::time_point now) {
        ++done_;
        last_ = time;
        if (things >= kTellsEnough) per_thing_ = time / static_cast<std::int64_t>(things) + std::chrono::nanoseconds(1);
        next_ = now + std::max<Clock::duration>(kEveryAtLeast, time * kShareOfTime);
    }

    std::uint64_t done() const { return done_; }
    std::uint64_t put_off() const { return put_off_; }  // there was too much to count
    std::chrono::nanoseconds last() const { return last_; }

private:
    static constexpr std::uint64_t kTellsEnough = 1'000;

    const std::chrono::nanoseconds longest_;
    Clock::time_point next_;
    std::chrono::nanoseconds per_thing_ = std::chrono::microseconds(2);
    std::uint64_t done_ = 0;
    std::uint64_t put_off_ = 0;
    std::chrono::nanoseconds last_{0};
};

}  // namespace bayplan::daemon
