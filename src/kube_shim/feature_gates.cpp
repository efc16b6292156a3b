// See feature_gates.h. The names are from Kubernetes 1.35.
#include "kube_shim/feature_gates.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/closest_name.h"

namespace bayplan::kube_shim {

namespace {

struct Honoured {
    std::string_view name;
    bool FeatureGates::*gate;
};

constexpr Honoured kHonoured[] = {
    {"TaintTolerationComparisonOperators", &FeatureGates::numeric_tolerations},
    {"MatchLabelKeysInPodTopologySpread", &FeatureGates::spread_label_keys},
    {"NodeInclusionPolicyInPodTopologySpread", &FeatureGates::spread_inclusion},
    {"GenericWorkload", &FeatureGates::workloads},
    {"GangScheduling", &FeatureGates::gangs},
    {"DRAExtendedResource", &FeatureGates::extended_resources},
};

// How kube-scheduler does it, or what the API server does: either way the same is decided.
constexpr std::string_view kOfNoConsequence[] = {
    "ClearingNominatedNodeNameAfterBinding",
    "MatchLabelKeysInPodAffinity",
    "MatchLabelKeysInPodTopologySpreadSelectorMerge",
    "NominatedNodeNameForExpectation",
    "OpportunisticBatching",
    "SchedulerAsyncAPICalls",
    "SchedulerAsyncPreemption",
    "SchedulerPopFromBackoffQ",
    "SchedulerQueueingHints",
};

std::string meant(std::string_view name) {
    std::vector<std::string_view> names(std::begin(kOfNoConsequence), std::end(kOfNoConsequence));
    for (const Honoured& one : kHonoured) {
        names.push_back(one.name);
    }
    return did_you_mean(name, names);
}

void read_one(std::string_view text, FeatureGates& gates, std::vector<std::string>& faults) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    if (value != "true" && value != "false") {
        faults.push_back(fmt::format("feature gate `{}`: is NAME=true or NAME=false", text));
        return;
    }
    const auto found = std::ranges::find(kHonoured, name, &Honoured::name);
    if (found != std::end(kHonoured)) {
        gates.*(found->gate) = value == "true";
    } else if (std::ranges::find(kOfNoConsequence, name) == std::end(kOfNoConsequence)) {
        faults.push_back(fmt::format("feature gate `{}`: is not known here{}", name, meant(name)));
    }
}

}  // namespace

bool read_feature_gates(std::string_view text, FeatureGates& gates, std::vector<std::string>& faults) {
    const std::size_t before = faults.size();
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        read_one(text.substr(0, comma), gates, faults);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (gates.gangs && !gates.workloads) {
        faults.push_back("feature gate `GangScheduling`: needs GenericWorkload=true");
    }
    return faults.size() == before;
}

}  // namespace bayplan::kube_shim
