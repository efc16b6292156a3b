// The spec of a pod as its scheduler sees it: its own, what the scheduler's profile adds to it, and what feature gates take
// away.
//
// Thread: one. Owns a memory of specs that were changed; texts are ids of the converter it is given.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube/object_converter.h"
#include "kube_shim/feature_gates.h"
#include "scheduler_config/scheduler_config.h"

namespace bayplan::kube_shim {

class PodRules {
public:
    PodRules(FeatureGates gates, std::optional<scheduler_config::SchedulerConfig> config, kube::ObjectConverter&);

    const FeatureGates& gates() const { return gates_; }
    // Changes the ask's number of a spec, its plugins (extenders.h) among others, whether it preempts, and takes out resources
    // that an extender has ignored by the scheduler.
    void apply(kube::ConvertedPod&);
    // Specs of other numbers are about to be forgotten.
    void forget_unused(const std::vector<bool>& used);
    // Texts that profiles name, which stay.
    void visit_texts(const std::function<void(Text)>&) const;

private:
    struct Rules {
        std::optional<std::vector<NodeTerm>> required;
        std::vector<WeightedNodeTerm> preferred;
        bool preemption = true;
        bool plain = true;  // nothing is added to a spec
    };
    SpecNumber seen(SpecNumber, const Rules&);
    std::vector<Text> plugins_of(const kube::ConvertedPod&) const;
    SpecNumber needing(SpecNumber, std::vector<Text> plugins);

    const FeatureGates gates_;
    kube::ObjectConverter& converter_;
    bool preemption_ = false;                              // some profile has it
    boost::unordered_flat_map<std::string, Rules> rules_;  // by the scheduler's name
    boost::unordered_flat_map<std::pair<SpecNumber, const Rules*>, SpecNumber> seen_;
    std::vector<std::pair<scheduler_config::Extender, Text>> filters_;  // extenders, and the plugins that they are
    std::vector<Text> ignored_;                                         // resources that extenders alone count
    boost::unordered_flat_map<std::pair<SpecNumber, std::vector<Text>>, SpecNumber> needing_;
};

}  // namespace bayplan::kube_shim
