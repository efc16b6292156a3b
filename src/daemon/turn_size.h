// How many attempts the engine's thread makes between two looks at its inbox and at the wish to stop: so many that a look
// costs nothing, and so few that they take a few milliseconds, however dear each is.
//
// Thread: the engine's. It cuts the order of inputs and attempts, which a recording keeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bayplan::daemon {

class TurnSize {
public:
    static constexpr std::uint64_t kMost = 1'024;
    static constexpr std::chrono::nanoseconds kBudget = std::chrono::milliseconds(2);

    std::uint64_t attempts() const { return attempts_; }
    // The last turn made so many of them. Halved when it took more than the budget twice, doubled when it was well below.
    void took(std::uint64_t made, std::chrono::nanoseconds time) {
        if (time > 2 * kBudget) {
            attempts_ = std::max<std::uint64_t>(attempts_ / 2, 1);
        } else if (time < kBudget / 2 && made == attempts_) {
            attempts_ = std::min(attempts_ * 2, kMost);
        }
    }

private:
    std::uint64_t attempts_ = kMost;
};

}  // namespace bayplan::daemon
