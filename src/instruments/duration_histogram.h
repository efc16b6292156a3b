// How long something took, counted in YuniKorn's buckets.
//
// Thread: its owner's; a copy is anybody's.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bayplan::instruments {

class DurationHistogram {
public:
    // Upper bounds in seconds; what is above all of them is counted last.
    static constexpr std::array<double, 8> kBounds = {0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1'000};

    // `times`: so many took as long.
    void add(std::chrono::nanoseconds took, std::uint64_t times = 1) {
        const double seconds = std::chrono::duration<double>(took).count();
        counts_[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())] += times;
        sum_ += seconds * static_cast<double>(times);
    }

    const std::array<std::uint64_t, kBounds.size() + 1>& counts() const { return counts_; }
    double sum() const { return sum_; }  // seconds

private:
    std::array<std::uint64_t, kBounds.size() + 1> counts_{};
    double sum_ = 0;
};

}  // namespace bayplan::instruments
