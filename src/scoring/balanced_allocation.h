// NodeResourcesBalancedAllocation on plain numbers: how alike are the shares of the node's kinds that would
// be in use? Source: Kubernetes 1.35 (and 1.36's change of it).
//
// Doubles in Kubernetes' order of operations, so that results are equal bit by bit (the build forbids
// contraction). Thread: any.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bayplan {

// Real requests (no default amounts): of the pods on the node and the incoming one together. A kind with
// capacity 0 is left out, as is one that the caller leaves out (an extended kind the pod does not ask for).
struct KindUse {
    std::int64_t requested = 0;
    std::int64_t capacity = 0;
};

inline std::int64_t balanced_allocation(std::span<const KindUse> uses) noexcept {
    const auto share = [](const KindUse& use) {
        const double fraction = static_cast<double>(use.requested) / static_cast<double>(use.capacity);
        return fraction > 1 ? 1.0 : fraction;
    };
    double total = 0;
    double shares[2] = {0, 0};  // the first two
    std::size_t count = 0;
    for (const KindUse& use : uses) {
        if (use.capacity == 0) {
            continue;
        }
        const double fraction = share(use);
        total += fraction;
        if (count < 2) {
            shares[count] = fraction;
        }
        ++count;
    }
    double deviation = 0;
    if (count == 2) {
        deviation = std::fabs((shares[0] - shares[1]) / 2);
    } else if (count > 2) {
        const double mean = total / static_cast<double>(count);
        double sum = 0;
        for (const KindUse& use : uses) {
            if (use.capacity != 0) {
                const double fraction = share(use);
                sum = sum + (fraction - mean) * (fraction - mean);
            }
        }
        deviation = std::sqrt(sum / static_cast<double>(count));
    }
    return static_cast<std::int64_t>((1 - deviation) * 100.0);
}

// Kubernetes 1.36: how the pod changes the balance; 75 or so if it changes nothing. Arguments are
// balanced_allocation of the node with and without the pod.
inline std::int64_t balanced_change(std::int64_t with_pod, std::int64_t without_pod) noexcept {
    return 50 + (50 + with_pod - without_pod) / 2;
}

}  // namespace bayplan
