// The plain scan for awkward loads: scan_baseline's columns, and beside them what the same engineer would add for each shape: a
// zone and a number of volumes per node, the sizes of its free local volumes, its image, pods by application. For every ask a
// look at every node. Its placements must be the engine's.
//
// Thread: its owner's. Owns all state. Shares no code with the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/awkward_spread.h"
#include "measure/scan_baseline.h"
#include "workload/awkward_loads.h"

namespace bayplan::measure {

class AwkwardScan {
public:
    explicit AwkwardScan(const workload::AwkwardLoad&);

    // False: one found no place.
    bool place_all();
    const PlacementHash& hash() const { return hash_; }
    // Nodes that were looked at.
    double looks() const { return looks_; }

private:
    ScanBaseline::Ask ask_of(std::uint32_t pod);
    bool allowed(std::uint32_t pod, std::size_t node) const;
    std::int64_t more_score(std::uint32_t pod, std::size_t node) const;
    std::size_t find(std::uint32_t pod, const ScanBaseline::Ask&);
    std::size_t find_spread(std::uint32_t pod, const ScanBaseline::Ask&);
    void take(std::uint32_t pod, const ScanBaseline::Ask&, std::size_t node);

    const workload::AwkwardLoad& load_;
    ScanBaseline cluster_;
    std::vector<std::uint32_t> number_of_;  // by place in the scan: the node's number
    AwkwardSpread spread_;                  // of loads with applications
    std::vector<std::size_t> feasible_;
    std::vector<std::uint32_t> volumes_;            // on the node
    std::vector<std::vector<std::int64_t>> sizes_;  // of its free local volumes, in GiB, smallest first
    std::vector<std::int64_t> image_nodes_;         // by image: nodes that have it
    PlacementHash hash_;
    double looks_ = 0;
};

}  // namespace bayplan::measure
