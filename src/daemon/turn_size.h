// How many attempts the engine's thread makes between two looks at its inbox and at the wish to stop: so many that a look
// costs nothing, and so few that they take a few milliseconds, however dear each is. The clock is read after the first attempt,
// then after a few more each time while they are cheap, and after each that the engine calls dear.
//
// Thread: the engine's. It cuts the order of inputs and attempts, which a recording keeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bayplan::daemon {

class TurnSize {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::uint64_t kMost = 1'024;
    static constexpr std::chrono::nanoseconds kBudget = std::chrono::milliseconds(2);
    // Reading the clock costs a tenth of the cheapest attempt.
    static constexpr std::uint64_t kBetweenLooks = 8;

    void begin(Time now) {
        until_ = now + kBudget;
        looked_ = now;
        between_looks_ = 1;
        next_look_ = 1;
    }
    // Whether the time of this turn is over after so many attempts. `clock` is called when it is time for a look.
    template <typename Clock>
    bool is_over(std::uint64_t made, bool dear, const Clock& clock) {
        if (made < next_look_ && !dear) return false;
        const Time now = clock();
        const bool cheap = now - looked_ < kBudget / 8;
        between_looks_ = cheap ? std::min(between_looks_ * 2, kBetweenLooks) : 1;
        looked_ = now;
        next_look_ = made + between_looks_;
        return now >= until_;
    }

private:
    std::uint64_t between_looks_ = 1;
    std::uint64_t next_look_ = 1;
    Time until_{};
    Time looked_{};
};

}  // namespace bayplan::daemon
