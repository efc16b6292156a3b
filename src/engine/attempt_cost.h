// Whether the last attempt was dear, without a clock: by the specs that its plan was held against.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <utility>

#include "topology/pod_counts.h"

namespace bayplan {

class AttemptCost {
public:
    explicit AttemptCost(const PodCounts& counts) : counts_(counts), before_(counts.specs_looked_at()) {}

    // Since it was asked before.
    bool was_dear() {
        const std::uint64_t now = counts_.specs_looked_at();
        return now - std::exchange(before_, now) > kDear;
    }

private:
    static constexpr std::uint64_t kDear = 2'000;  // specs: a tenth of a millisecond or more

    const PodCounts& counts_;
    std::uint64_t before_;
};

}  // namespace bayplan
