// See config_document.h. The order of fields is YuniKorn's.
#include "rest/config_document.h"

#include "queue_config/characters.h"

namespace bayplan::rest {
namespace {

using namespace queue_config;

// YuniKorn looks for deadlocks of its own locks if told to, and shows these settings. Bayplan has no such locks: it is off,
// and the time is YuniKorn's default.
constexpr bool kDeadlockDetection = false;
constexpr std::uint64_t kDeadlockTimeoutSeconds = 60;

// One object under construction. Fields that are `_if_any` are left out when they are empty.
class Fields {
public:
    explicit Fields(Form form) : form_(form) {}

    void add(const char* name, DocumentNode node) {
        fields_.push_back({form_ == Form::json ? name : lower_case(name), std::move(node)});
    }
    void text(const char* name, const std::string& text) { add(name, {text}); }
    void text_if_any(const char* name, const std::string& text) {
        if (!text.empty()) add(name, {text});
    }
    void count_if_any(const char* name, std::uint64_t count) {
        if (count != 0) add(name, {count});
    }
    void flag_if(const char* name, bool flag) {
        if (flag) add(name, {true});
    }
    void texts_if_any(const char* name, const std::vector<Text>& texts) {
        if (texts.empty()) return;
        DocumentItems items;
        for (const Text& text : texts) items.push_back({text.text});
        add(name, {std::move(items)});
    }
    // A map whose names are the operator's.
    template <typename Map>
    void map_if_any(const char* name, const Map& map) {
        if (map.empty()) return;
        DocumentFields inner;
        for (const auto& [key, value] : map) inner.push_back({key, DocumentNode{value}});
        add(name, {std::move(inner)});
    }
    void list_if_any(const char* name, DocumentItems items) {
        if (!items.empty()) add(name, {std::move(items)});
    }
    // A field of Go that is a structure: JSON shows it, empty or not. `shown`: YAML does.
    void structure(const char* name, DocumentNode node, bool shown) {
        if (shown || form_ == Form::json) add(name, std::move(node));
    }

    Form form() const { return form_; }
    bool empty() const { return fields_.empty(); }
    DocumentNode take() { return {std::move(fields_)}; }

private:
    Form form_;
    DocumentFields fields_;
};

DocumentNode limit_node(const LimitConfig& limit, Form form) {
    Fields fields(form);
    fields.text("Limit", limit.limit.text);
    fields.texts_if_any("Users", limit.users);
    fields.texts_if_any("Groups", limit.groups);
    fields.map_if_any("MaxResources", limit.max_resources.texts);
    fields.count_if_any("MaxApplications", limit.max_applications);
    return fields.take();
}

void add_limits(Fields& fields, const std::vector<LimitConfig>& limits) {
    DocumentItems items;
    for (const LimitConfig& limit : limits) items.push_back(limit_node(limit, fields.form()));
    fields.list_if_any("Limits", std::move(items));
}

void add_resources(Fields& fields, const ResourcesConfig& resources) {
    Fields inner(fields.form());
    inner.map_if_any("Guaranteed", resources.guaranteed.texts);
    inner.map_if_any("Max", resources.max.texts);
    const bool any = !inner.empty();
    fields.structure("Resources", inner.take(), any);
}

void add_child_template(Fields& fields, const ChildTemplateConfig& child_template) {
    Fields inner(fields.form());
    inner.count_if_any("MaxApplications", child_template.max_applications);
    inner.map_if_any("Properties", child_template.properties);
    add_resources(inner, child_template.resources);
    const bool any = child_template.max_applications != 0 || !child_template.properties.empty() ||
                     !child_template.resources.guaranteed.texts.empty() || !child_template.resources.max.texts.empty();
    fields.structure("ChildTemplate", inner.take(), any);
}

DocumentNode queue_node(const QueueConfig& queue, Form form) {
    Fields fields(form);
    fields.text("Name", queue.name.text);
    fields.flag_if("Parent", queue.parent);
    add_resources(fields, queue.resources);
    fields.count_if_any("MaxApplications", queue.max_applications);
    fields.map_if_any("Properties", queue.properties);
    fields.text_if_any("AdminACL", queue.admin_acl.text);
    fields.text_if_any("SubmitACL", queue.submit_acl.text);
    add_child_template(fields, queue.child_template);
    DocumentItems children;
    if (queue.queues) {
        for (const QueueConfig& child : *queue.queues) children.push_back(queue_node(child, form));
    }
    fields.list_if_any("Queues", std::move(children));
    add_limits(fields, queue.limits);
    return fields.take();
}

void add_filter(Fields& fields, const FilterConfig& filter) {
    Fields inner(fields.form());
    inner.text("Type", filter.type.text);
    inner.texts_if_any("Users", filter.users);
    inner.texts_if_any("Groups", filter.groups);
    const bool any = !filter.type.text.empty() || !filter.users.empty() || !filter.groups.empty();
    fields.structure("Filter", inner.take(), any);
}

DocumentNode rule_node(const PlacementRuleConfig& rule, Form form) {
    Fields fields(form);
    fields.text("Name", rule.name.text);
    fields.flag_if("Create", rule.create);
    add_filter(fields, rule.filter);
    for (const PlacementRuleConfig& parent : rule.parent) fields.add("Parent", rule_node(parent, form));
    fields.text_if_any("Value", rule.value.text);
    return fields.take();
}

void add_preemption(Fields& fields, const PartitionConfig& partition) {
    Fields inner(fields.form());
    if (partition.says_preemption_enabled) inner.add("Enabled", {partition.preemption_enabled});
    if (partition.says_quota_preemption_enabled) {
        inner.add("QuotaPreemptionEnabled", {partition.quota_preemption_enabled});
    }
    const bool any = !inner.empty();
    fields.structure("Preemption", inner.take(), any);
}

void add_node_sort_policy(Fields& fields, const NodeSortPolicyConfig& policy) {
    Fields inner(fields.form());
    inner.text("Type", policy.type.text);
    inner.map_if_any("ResourceWeights", policy.resource_weights);
    fields.structure("NodeSortPolicy", inner.take(), !policy.type.text.empty() || !policy.resource_weights.empty());
}

DocumentNode partition_node(const PartitionConfig& partition, Form form) {
    Fields fields(form);
    fields.text("Name", partition.name.text);
    DocumentItems queues;
    for (const QueueConfig& queue : *partition.queues) queues.push_back(queue_node(queue, form));
    fields.add("Queues", {std::move(queues)});
    DocumentItems rules;
    for (const PlacementRuleConfig& rule : partition.placement_rules) rules.push_back(rule_node(rule, form));
    fields.list_if_any("PlacementRules", std::move(rules));
    add_limits(fields, partition.limits);
    add_preemption(fields, partition);
    add_node_sort_policy(fields, partition.node_sort_policy);
    // Its name stays in lower case in JSON too.
    const std::string& type = partition.user_group_resolver.text;
    DocumentFields inner;
    if (!type.empty()) inner.push_back({"type", DocumentNode{type}});
    fields.structure("UserGroupResolver", {std::move(inner)}, !type.empty());
    return fields.take();
}

}  // namespace

DocumentNode config_document(const ShownConfig& shown, Form form) {
    Fields fields(form);
    DocumentItems partitions;
    for (const PartitionConfig& partition : shown.config.partitions) {
        partitions.push_back(partition_node(partition, form));
    }
    fields.add("Partitions", {std::move(partitions)});
    fields.text_if_any("Checksum", shown.checksum);
    fields.map_if_any("Extra", shown.extra);
    fields.add("DeadlockDetectionEnabled", {kDeadlockDetection});
    fields.add("DeadlockTimeoutSeconds", {kDeadlockTimeoutSeconds});
    return fields.take();
}

}  // namespace bayplan::rest
