// A YuniKorn queues.yaml as it was written: partitions, queues, limits, placement rules. Names and structure are
// YuniKorn's own. Texts of the file keep their position, for faults that are found later.
//
// Thread: plain data, any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/fault.h"
#include "queue_config/resources.h"

namespace bayplan::queue_config {

using config::Position;

struct Text {
    std::string text;
    Position position;
};

using Properties = std::map<std::string, std::string, std::less<>>;

// One map of resources of the file; without a value where the file has none.
struct WrittenResources {
    std::optional<Resources> amounts;
    Properties texts;  // as written: YuniKorn compares these where it compares limits
    Position position;

    const Resources& or_none() const {
        static const Resources none;
        return amounts ? *amounts : none;
    }
};

struct LimitConfig {
    Text limit;  // its description
    std::vector<Text> users;
    std::vector<Text> groups;
    WrittenResources max_resources;
    std::uint64_t max_applications = 0;  // 0: none
    Position position;
};

struct FilterConfig {
    Text type;
    std::vector<Text> users;
    std::vector<Text> groups;
};

struct PlacementRuleConfig {
    Text name;
    bool create = false;
    Text value;
    FilterConfig filter;
    std::vector<PlacementRuleConfig> parent;  // one or none
    Position position;
};

struct ResourcesConfig {
    WrittenResources guaranteed;
    WrittenResources max;
};

struct ChildTemplateConfig {
    std::uint64_t max_applications = 0;
    Properties properties;
    ResourcesConfig resources;
};

struct QueueConfig {
    Text name;
    bool parent = false;  // as written; is_parent() is what it comes to
    std::optional<std::vector<QueueConfig>> queues;
    ResourcesConfig resources;
    std::uint64_t max_applications = 0;
    Position max_applications_position;
    Properties properties;
    Text admin_acl;
    Text submit_acl;
    ChildTemplateConfig child_template;
    config::Faults child_template_faults;  // of quantities: faults of the file only where the template is used
    std::vector<LimitConfig> limits;
    Position position;

    bool is_parent() const { return parent || (queues && !queues->empty()); }
};

struct NodeSortPolicyConfig {
    Text type;
    std::map<std::string, double, std::less<>> resource_weights;
    bool has_weights = false;
};

struct PartitionConfig {
    Text name;
    std::optional<std::vector<QueueConfig>> queues;
    std::vector<PlacementRuleConfig> placement_rules;
    std::vector<LimitConfig> limits;
    bool preemption_enabled = true;
    bool quota_preemption_enabled = false;
    bool says_preemption_enabled = false;  // the file itself does; likewise the next
    bool says_quota_preemption_enabled = false;
    NodeSortPolicyConfig node_sort_policy;
    Text user_group_resolver;
    Position position;

    // Once it was found sound, there is one queue: root.
    const QueueConfig& root() const { return queues->front(); }
};

struct SchedulerConfig {
    std::vector<PartitionConfig> partitions;
};

}  // namespace bayplan::queue_config
