// Of the plain scan for awkward loads: where pods of each application lie, and what spread constraints, Services and
// anti-affinity make of that. An attempt is begin(), allowed() of each node that fits, weigh() of the nodes that are allowed,
// and points() of each of them.
//
// Thread: its owner's. Owns all state. Shares no code with the engine. Source: Kubernetes 1.35, PodTopologySpread and
// InterPodAffinity.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/awkward_loads.h"

namespace bayplan::measure {

class AwkwardSpread {
public:
    // Numbers of nodes by place in the scan.
    AwkwardSpread(const workload::AwkwardLoad&, const std::vector<std::uint32_t>& number_of);

    void put(std::uint32_t application, std::size_t node);
    void begin(std::uint32_t application);
    bool allowed(std::size_t node) const;
    void weigh(const std::vector<std::size_t>& feasible);
    std::int64_t points(std::size_t node) const;

private:
    struct Application {
        std::vector<std::uint32_t> hosts;     // of its pods
        std::vector<std::int64_t> in_domain;  // its pods, by domain of the key that it spreads over
    };

    double share(double weight, std::int64_t pods, std::int32_t skew) const;
    std::int64_t raw_of(std::size_t node) const;

    const workload::AwkwardLoad& load_;
    std::vector<std::uint32_t> host_of_;    // by place
    std::vector<std::uint32_t> domain_of_;  // by place, of the key of spread constraints
    std::vector<Application> applications_;
    std::uint32_t domains_ = 0;
    std::int32_t skew_ = 0;
    // Of the present attempt.
    const Application* mine_ = nullptr;
    bool hard_ = false, soft_ = false, service_ = false, apart_ = false;
    std::int64_t least_ = 0;
    std::vector<std::int64_t> here_;  // by host
    double host_weight_ = 0, domain_weight_ = 0;
    std::int64_t raw_min_ = 0, raw_max_ = 0;
};

}  // namespace bayplan::measure
