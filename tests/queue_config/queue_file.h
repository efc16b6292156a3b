// A queues.yaml as a text, and what is found wrong with it.
//
// Thread: plain functions, any.
#pragma once

#include <string>
#include <vector>

#include "queue_config/load.h"

namespace bayplan::queue_config {

inline std::vector<std::string> faults_of(const std::string& yaml) {
    SchedulerConfig config;
    config::Faults faults;
    const bool sound = load_queue_config(yaml, "q.yaml", config, faults);
    std::vector<std::string> lines;
    for (const config::Fault& fault : faults) lines.push_back(fault.to_string());
    if (sound != lines.empty()) lines.push_back("the outcome and the faults do not agree");
    return lines;
}

// The first partition of a sound text.
inline PartitionConfig partition_of(const std::string& yaml) {
    SchedulerConfig config;
    config::Faults faults;
    if (!load_queue_config(yaml, "q.yaml", config, faults)) return {};
    return config.partitions.front();
}

// A partition whose root has the queues of `lines`, each indented by four.
inline std::string with_queues(const std::string& lines) {
    return "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n" + lines;
}

}  // namespace bayplan::queue_config
