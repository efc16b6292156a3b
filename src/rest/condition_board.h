// Whether the daemon goes on and takes work, and how many laws its audits found broken, as its main thread last said. It
// says so every second or so: silence means that this thread does not go on.
//
// Thread: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace bayplan::rest {

class ConditionBoard {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kSilentFor{10};

    // Why it does not go on, why it takes no work; empty: it does.
    void show(std::string not_live, std::string not_ready, Clock::time_point now = Clock::now()) {
        const std::lock_guard lock(mutex_);
        not_live_ = std::move(not_live);
        not_ready_ = std::move(not_ready);
        shown_ = now;
    }
    // Since the start, of all partitions.
    void show_laws_broken(std::uint64_t count) {
        const std::lock_guard lock(mutex_);
        laws_broken_ = count;
    }
    std::uint64_t laws_broken() const {
        const std::lock_guard lock(mutex_);
        return laws_broken_;
    }
    std::string not_live(Clock::time_point now = Clock::now()) const {
        const std::lock_guard lock(mutex_);
        return fault(now);
    }
    std::string not_ready(Clock::time_point now = Clock::now()) const {
        const std::lock_guard lock(mutex_);
        const std::string not_live = fault(now);
        return not_live.empty() ? not_ready_ : not_live;
    }

private:
    std::string fault(Clock::time_point now) const {
        return now - shown_ > kSilentFor ? "the main thread does not go on" : not_live_;
    }

    mutable std::mutex mutex_;
    std::string not_live_;
    std::string not_ready_ = "the daemon starts";
    std::uint64_t laws_broken_ = 0;
    Clock::time_point shown_ = Clock::now();
};

}  // namespace bayplan::rest
