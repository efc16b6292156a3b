// How long to wait after failures in a row: doubling, with jitter, so that many shims do not come back in the same instant.
//
// Thread: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace bayplan::kube_shim {

using Random = std::mt19937_64;

class Backoff {
public:
    using Duration = std::chrono::milliseconds;

    Backoff(Duration initial, Duration longest) : initial_(initial), longest_(longest) {}

    // Between half and the whole of initial * 2^failures.
    Duration next(Random& random) {
        const Duration whole = std::min(longest_, initial_ * (std::int64_t{1} << std::min(failures_, 20u)));
        ++failures_;
        std::uniform_int_distribution<std::int64_t> pick(whole.count() / 2, whole.count());
        return Duration(pick(random));
    }
    void reset() { failures_ = 0; }
    unsigned failures() const { return failures_; }

private:
    Duration initial_;
    Duration longest_;
    unsigned failures_ = 0;  // in a row
};

}  // namespace bayplan::kube_shim
