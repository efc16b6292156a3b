// Kubernetes' feature gates as bayplan-kube is given them: "A=true,B=false". Some decide how pods are read; of others the
// schedulers of the day need not be told, since what they change is not to be seen from outside. All others are refused by name.
//
// Thread: any; plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bayplan::kube_shim {

struct FeatureGates {
    bool numeric_tolerations = false;  // TaintTolerationComparisonOperators
    bool spread_label_keys = true;     // MatchLabelKeysInPodTopologySpread
    bool spread_inclusion = true;      // NodeInclusionPolicyInPodTopologySpread
    bool workloads = false;            // GenericWorkload
    bool gangs = false;                // GangScheduling, which needs GenericWorkload
    bool extended_resources = false;   // DRAExtendedResource

    bool follow_workloads() const { return workloads && gangs; }
    // Changes nothing of how pods are read.
    bool plain() const { return !numeric_tolerations && spread_label_keys && spread_inclusion; }
};

// False: `faults` says of each what is wrong.
bool read_feature_gates(std::string_view text, FeatureGates&, std::vector<std::string>& faults);

}  // namespace bayplan::kube_shim
