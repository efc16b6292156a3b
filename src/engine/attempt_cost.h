// Whether the last attempt was dear, without a clock: by what its plan looked at.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <utility>

#include "topology/cluster_facts.h"

namespace bayplan {

class AttemptCost {
public:
    explicit AttemptCost(const ClusterFacts& facts) : facts_(facts), before_(facts.looks()) {}

    // Since it was asked before.
    bool was_dear() {
        const std::uint64_t now = facts_.looks();
        return now - std::exchange(before_, now) > kDear;
    }

private:
    static constexpr std::uint64_t kDear = 2'000;  // looks: a tenth of a millisecond or more

    const ClusterFacts& facts_;
    std::uint64_t before_;
};

}  // namespace bayplan
