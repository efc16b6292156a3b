// Latencies of a run, kept one by one: exact percentiles, 4 bytes each.
//
// Thread: the load's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bayplan::cli {

class Latencies {
public:
    void add(std::int64_t ns) {
        const std::int64_t us = std::max<std::int64_t>(ns, 0) / 1'000;
        all_us_.push_back(
            static_cast<std::uint32_t>(std::min<std::int64_t>(us, std::numeric_limits<std::uint32_t>::max())));
    }

    std::size_t size() const { return all_us_.size(); }

    // The smallest latency that `share` of all do not exceed; 0 if there are none. Reorders.
    double percentile_us(double share) {
        if (all_us_.empty()) {
            return 0;
        }
        const auto rank = static_cast<std::size_t>(share * static_cast<double>(all_us_.size()));
        const auto place = all_us_.begin() + static_cast<std::ptrdiff_t>(std::min(rank, all_us_.size() - 1));
        std::nth_element(all_us_.begin(), place, all_us_.end());
        return *place;
    }

private:
    std::vector<std::uint32_t> all_us_;
};

}  // namespace bayplan::cli
