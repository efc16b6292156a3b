// Queues for tests of orders: a fair parent with two leaves, one of them fair too, and a leaf beside it; with room for all, or
// with maxima, limits and counts of applications that are soon reached.
//
// Thread: plain functions, any.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "queue_config/load.h"

namespace bayplan::testing {

inline queue_config::PartitionConfig partition_of_orders(bool tight) {
    const auto when_tight = [&](const std::string& lines) { return tight ? lines : std::string(); };
    const std::string text =
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n"
        "    - name: a\n"
        "      resources: {guaranteed: {vcore: " +
        std::string(tight ? "20m" : "400m") + "}" + when_tight(", max: {vcore: 25m}") + "}\n" +
        when_tight("      limits: [{limit: all, users: [ann], maxresources: {vcore: 9m}}]\n") +
        "      queues:\n"
        "      - name: x\n"
        "        properties: {application.sort.policy: fair}\n" +
        when_tight("        maxapplications: 2\n") +
        "      - name: y\n"
        "        properties: {priority.offset: \"1\", application.sort.priority: disabled}\n" +
        when_tight("        resources: {max: {vcore: 8m}}\n") +
        "    - name: b\n"
        "      properties: {priority.policy: fence}\n" +
        when_tight("      limits: [{limit: each, users: [\"*\"], maxresources: {vcore: 12m}, maxapplications: 1}]\n");
    queue_config::SchedulerConfig config;
    config::Faults faults;
    EXPECT_TRUE(queue_config::load_queue_config(text, "queues", config, faults)) << faults.front().to_string();
    return config.partitions.empty() ? queue_config::PartitionConfig() : config.partitions.front();
}

}  // namespace bayplan::testing
