// A KubeSchedulerConfiguration: what its profiles say of plugins, weights and arguments, as settings of an engine and as what
// a scheduler adds to its pods. A wish that cannot be met is a fault by its name; a field that means nothing here is remarked
// upon.
//
// An engine has one set of predicates, weights and strategies: profiles that are used together must agree in these. They may
// differ in preemption, in what they add to affinity, and in time-outs.
//
// Thread: any. Owns its texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bayplan/pod_spec.h"
#include "kube/texts.h"
#include "options/engine_options.h"
#include "scheduler_config/extenders.h"

namespace bayplan::scheduler_config {

// Of NodeAffinity's arguments: counts for every pod of the profile, beside its own. Ids of `texts`.
struct AddedAffinity {
    std::shared_ptr<kube::Texts> texts = std::make_shared<kube::Texts>();
    std::optional<std::vector<NodeTerm>> required;
    std::vector<WeightedNodeTerm> preferred;

    bool any() const { return required.has_value() || !preferred.empty(); }
};

struct Profile {
    std::string scheduler = "default-scheduler";
    // For the engine.
    std::vector<std::string> predicates;  // all that are left, if any is disabled
    ScoreWeights weights;
    ScorePolicy score = ScorePolicy::least_allocated;
    std::vector<ScorePoint> score_shape;          // empty: the default
    std::vector<ScoredResource> score_resources;  // likewise
    // For its pods.
    bool preemption = true;
    AddedAffinity added_affinity;
    std::int64_t bind_timeout_s = 600;  // of volumes
};

struct SchedulerConfig {
    std::vector<Profile> profiles = std::vector<Profile>(1);  // at least one
    std::optional<std::int64_t> backoff_initial_ns;
    std::optional<std::int64_t> backoff_max_ns;
    std::vector<Extender> extenders;  // for a shim; in the order in which they are asked

    // Preemption is off if it is in all profiles; else pods of those without it never preempt.
    bool preemption() const;
    // Says nothing of the engine but what it decides by itself.
    bool leaves_engine_alone() const;
    void apply(EngineOptions&) const;
    // Of a scheduler; null: it has none.
    const Profile* profile_of(const std::string& scheduler) const;
    std::vector<std::string> schedulers() const;
};

struct SchedulerConfigReading {
    std::optional<SchedulerConfig> config;  // none: there are faults
    std::vector<std::string> faults;
    std::vector<std::string> remarks;
};

// Where it is honoured. A shim knows the profile of each of its pods. A simulation adds nothing to pods, and a daemon is not
// told their profiles: there addedAffinity is a fault, and in a daemon profiles may not differ in preemption either. Only a shim
// asks extenders.
enum class ConfigUse : std::uint8_t { shim, simulation, daemon };

// `file`: for messages, which tell the line too. `scheduler`: its profile alone; empty: all of them.
SchedulerConfigReading read_scheduler_config(std::string text, const std::string& file, const std::string& scheduler,
                                             ConfigUse use = ConfigUse::shim);

}  // namespace bayplan::scheduler_config
