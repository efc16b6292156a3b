// See latency.h.
#include "measure/latency.h"

#include <algorithm>
#include <cmath>

namespace bayplan::measure {

Latency latency_of(std::vector<std::int64_t>& times_ns) {
    if (times_ns.empty()) return {};
    std::ranges::sort(times_ns);
    // The smallest value that is no less than so many of all.
    const auto at = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times_ns.size())));
        return static_cast<double>(times_ns[std::max<std::size_t>(rank, 1) - 1]) / 1e3;
    };
    return {at(0.5), at(0.99), at(0.999)};
}

}  // namespace bayplan::measure
