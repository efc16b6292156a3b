// A KubeSchedulerConfiguration: plugins, weights and arguments of a profile, as settings of an engine. A wish that cannot be
// met is a fault by its name; a field that means nothing here is remarked upon.
//
// Thread: any. Owns its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/engine_options.h"

namespace bayplan::sim {

struct SchedulerConfig {
    std::string scheduler = "default-scheduler";  // the profile's
    std::vector<std::string> predicates;          // all that are left, if any is disabled
    ScoreWeights weights;
    ScorePolicy score = ScorePolicy::least_allocated;
    std::vector<ScorePoint> score_shape;  // empty: the default
    bool preemption = true;
    std::optional<std::int64_t> backoff_initial_ns;
    std::optional<std::int64_t> backoff_max_ns;

    void apply(EngineOptions&) const;
};

struct SchedulerConfigReading {
    std::optional<SchedulerConfig> config;  // none: there are faults
    std::vector<std::string> faults;
    std::vector<std::string> remarks;
};

// `file`: for messages. `scheduler`: which profile; empty: the only one.
SchedulerConfigReading read_scheduler_config(std::string text, const std::string& file, const std::string& scheduler);

}  // namespace bayplan::sim
