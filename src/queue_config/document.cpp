// Which names each mapping of a queues.yaml has, and of what type their values are.
//
// Thread: any.
#include "queue_config/document.h"

#include <cmath>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/scalars.h"

namespace bayplan::queue_config {
namespace {

using config::YamlNode;

// Quantities have a fault list of their own: faults in a leaf's template are not reported.
void read_amounts(Fields& fields, std::string_view name, const std::string& what, WrittenResources& resources,
                  FaultList& faults, FaultList& quantity_faults) {
    const YamlNode* const node = fields.find(name);
    if (node == nullptr) return;
    resources.position = node->position;
    resources.amounts.emplace();
    Fields inner(*node, fmt::format("'{}' of {}", name, what), faults);
    inner.each([&](const std::string& resource, const YamlNode& value) {
        const std::string title = fmt::format("{} of '{}' of {}", resource, name, what);
        const Text text = read_text(value, title, faults);
        resources.texts[resource] = text.text;
        std::string why;
        if (const std::optional<std::int64_t> amount = parse_quantity(text.text, resource, why)) {
            (*resources.amounts)[resource] = *amount;
        } else {
            quantity_faults.add(
                text.position, fmt::format("{} is '{}', which {}", title, text.text, why),
                "give a whole number, with one of k M G T P E Ki Mi Gi Ti Pi Ei behind it, or for vcore m");
        }
    });
}

void read_resources(Fields& fields, const std::string& what, ResourcesConfig& resources, FaultList& faults,
                    FaultList& quantity_faults) {
    const YamlNode* const node = fields.find("resources");
    if (node == nullptr) return;
    Fields inner(*node, fmt::format("'resources' of {}", what), faults);
    read_amounts(inner, "guaranteed", what, resources.guaranteed, faults, quantity_faults);
    read_amounts(inner, "max", what, resources.max, faults, quantity_faults);
    inner.finish();
}

LimitConfig read_limit(const YamlNode& node, const std::string& owner, FaultList& faults) {
    LimitConfig limit;
    limit.position = node.position;
    const std::string what = fmt::format("a limit of {}", owner);
    Fields fields(node, what, faults);
    fields.text("limit", limit.limit);
    fields.texts("users", limit.users);
    fields.texts("groups", limit.groups);
    read_amounts(fields, "maxresources", what, limit.max_resources, faults, faults);
    fields.count("maxapplications", limit.max_applications);
    fields.finish();
    return limit;
}

void read_limits(Fields& fields, const std::string& owner, std::vector<LimitConfig>& limits, FaultList& faults) {
    fields.items("limits", [&](const YamlNode& item) { limits.push_back(read_limit(item, owner, faults)); });
}

void read_child_template(Fields& fields, const std::string& owner, QueueConfig& queue, FaultList& faults) {
    const YamlNode* const node = fields.find("childtemplate");
    if (node == nullptr) return;
    const std::string what = fmt::format("'childtemplate' of {}", owner);
    Fields inner(*node, what, faults);
    inner.count("maxapplications", queue.child_template.max_applications);
    inner.properties("properties", queue.child_template.properties);
    FaultList of_quantities(faults.file(), queue.child_template_faults);
    read_resources(inner, what, queue.child_template.resources, faults, of_quantities);
    inner.finish();
}

QueueConfig read_queue(const YamlNode& node, const std::string& parent, FaultList& faults) {
    QueueConfig queue;
    queue.position = node.position;
    Fields fields(node, parent.empty() ? "a queue" : fmt::format("a queue of {}", parent), faults);
    queue.name.position = node.position;
    fields.text("name", queue.name);
    const std::string path = parent.empty() ? queue.name.text : fmt::format("{}.{}", parent, queue.name.text);
    const std::string what = fmt::format("queue {}", path);
    fields.rename(what);
    fields.flag("parent", queue.parent);
    read_resources(fields, what, queue.resources, faults, faults);
    fields.count("maxapplications", queue.max_applications, &queue.max_applications_position);
    fields.properties("properties", queue.properties);
    fields.text("adminacl", queue.admin_acl);
    fields.text("submitacl", queue.submit_acl);
    read_child_template(fields, what, queue, faults);
    read_limits(fields, what, queue.limits, faults);
    std::vector<QueueConfig> children;
    if (fields.items("queues", [&](const YamlNode& item) { children.push_back(read_queue(item, path, faults)); })) {
        queue.queues = std::move(children);
    }
    fields.finish();
    return queue;
}

PlacementRuleConfig read_rule(const YamlNode& node, const std::string& what, FaultList& faults) {
    PlacementRuleConfig rule;
    rule.position = rule.name.position = node.position;
    Fields fields(node, what, faults);
    fields.text("name", rule.name);
    fields.flag("create", rule.create);
    fields.text("value", rule.value);
    if (const YamlNode* filter = fields.find("filter")) {
        Fields inner(*filter, fmt::format("'filter' of {}", what), faults);
        inner.text("type", rule.filter.type);
        inner.texts("users", rule.filter.users);
        inner.texts("groups", rule.filter.groups);
        inner.finish();
    }
    if (const YamlNode* parent = fields.find("parent")) {
        rule.parent.push_back(read_rule(*parent, fmt::format("the parent of {}", what), faults));
    }
    fields.finish();
    return rule;
}

void read_node_sort_policy(Fields& fields, NodeSortPolicyConfig& policy, FaultList& faults) {
    const YamlNode* const node = fields.find("nodesortpolicy");
    if (node == nullptr) return;
    Fields inner(*node, "'nodesortpolicy'", faults);
    inner.text("type", policy.type);
    policy.has_weights = inner.entries("resourceweights", [&](const std::string& resource, const YamlNode& value) {
        if (value.kind == YamlNode::Kind::null) {
            policy.resource_weights[resource] = 0;
            return;
        }
        const std::optional<double> weight = to_number(value);
        if (weight && *weight >= 0) {
            policy.resource_weights[resource] = *weight;
        } else {
            faults.add(value.position, fmt::format("the weight of {} is {}", resource, value.describe()),
                       "give a number, 0 or more");
        }
    });
    inner.finish();
}

PartitionConfig read_partition(const YamlNode& node, FaultList& faults) {
    PartitionConfig partition;
    partition.position = partition.name.position = node.position;
    Fields fields(node, "a partition", faults);
    fields.text("name", partition.name);
    if (partition.name.text.empty()) partition.name.text = "default";
    const std::string what = fmt::format("partition {}", partition.name.text);
    fields.rename(what);
    std::vector<QueueConfig> queues;
    if (fields.items("queues", [&](const YamlNode& item) { queues.push_back(read_queue(item, "", faults)); })) {
        partition.queues = std::move(queues);
    }
    fields.items("placementrules", [&](const YamlNode& item) {
        const std::string title = fmt::format("placement rule {} of {}", partition.placement_rules.size(), what);
        partition.placement_rules.push_back(read_rule(item, title, faults));
    });
    read_limits(fields, what, partition.limits, faults);
    if (const YamlNode* preemption = fields.find("preemption")) {
        Fields inner(*preemption, "'preemption'", faults);
        inner.flag("enabled", partition.preemption_enabled);
        inner.flag("quotapreemptionenabled", partition.quota_preemption_enabled);
        partition.says_preemption_enabled = inner.find("enabled") != nullptr;
        partition.says_quota_preemption_enabled = inner.find("quotapreemptionenabled") != nullptr;
        inner.finish();
    }
    read_node_sort_policy(fields, partition.node_sort_policy, faults);
    if (const YamlNode* resolver = fields.find("usergroupresolver")) {
        Fields inner(*resolver, "'usergroupresolver'", faults);
        inner.text("type", partition.user_group_resolver);
        inner.finish();
    }
    fields.finish();
    return partition;
}

}  // namespace

SchedulerConfig read_document(const std::string& text, FaultList& faults) {
    SchedulerConfig config;
    YamlNode root;
    if (!check_characters(text, faults) ||
        !config::read_yaml(text, faults.file(), root, faults.all(), {.aliases = true, .first_document = true})) {
        return config;
    }
    Fields fields(root, "the file", faults);
    fields.items("partitions",
                 [&](const YamlNode& item) { config.partitions.push_back(read_partition(item, faults)); });
    Text checksum;
    fields.text("checksum", checksum);
    fields.finish();
    return config;
}

}  // namespace bayplan::queue_config
