// A partition from a text, for tests.
//
// Thread: plain functions, any.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "queue_config/load.h"

namespace bayplan::queue_tree {

inline queue_config::PartitionConfig partition(const std::string& yaml) {
    queue_config::SchedulerConfig config;
    config::Faults faults;
    EXPECT_TRUE(queue_config::load_queue_config(yaml, "q.yaml", config, faults)) << faults.front().to_string();
    return config.partitions.empty() ? queue_config::PartitionConfig() : config.partitions.front();
}

// Root with the queues of `lines`, each indented by two; anybody may submit.
inline queue_config::PartitionConfig root_with(const std::string& lines, const std::string& rules = "") {
    return partition("partitions:\n- name: default\n" + rules +
                     "  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n" + lines);
}

}  // namespace bayplan::queue_tree
