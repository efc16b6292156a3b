// See statements.h.
#include "kube_shim/statements.h"

namespace bayplan::kube_shim {

std::span<const NamedAmount> Statements::amounts(std::span<const Amount> amounts) {
    std::vector<NamedAmount>& made = amounts_.emplace_back();
    for (const Amount& one : amounts) {
        made.push_back({text(one.resource), one.value});
    }
    return made;
}

std::span<const NamedAttribute> Statements::attributes(std::span<const Attribute> attributes) {
    std::vector<NamedAttribute>& made = attributes_.emplace_back();
    for (const Attribute& one : attributes) {
        made.push_back({text(one.key), text(one.value)});
    }
    return made;
}

NodeStatement Statements::node(const NodeItem& item) {
    std::vector<NamedTaint>& taints = taints_.emplace_back();
    for (const Taint& taint : item.taints) {
        taints.push_back({text(taint.key), text(taint.value), taint.effect});
    }
    return {.name = text(item.node),
            .action = item.action,
            .capacity = amounts(item.capacity),
            .attributes = attributes(item.attributes),
            .taints = taints,
            .images = amounts(item.images),
            .devices = texts(item.devices)};
}

PodStatement Statements::pod(const AskItem& item) {
    PodStatement made;
    made.key = item.key;
    made.application = text(item.application);
    made.group = text(item.group);
    made.node = text(item.node);
    made.required_node = text(item.required_node);
    made.priority = item.priority;
    made.foreign = item.foreign;
    made.tolerates_unschedulable = item.tolerates_unschedulable;
    made.created_s = item.created_s;
    made.requests = amounts(item.requests);
    made.tags = attributes(item.tags);
    made.spec = item.spec;
    made.terminating = item.terminating;
    made.never_preempts = item.never_preempts;
    made.nominated_node = text(item.nominated_node);
    made.started_ms = item.started_ms;
    made.node_cpu = item.node_cpu;
    made.node_memory = item.node_memory;
    made.own_cpu = item.own_cpu;
    made.own_memory = item.own_memory;
    made.qos = item.qos;
    made.grace_period_s = item.grace_period_s;
    made.preempted = item.preempted;
    made.devices = item.devices;
    made.daemonset = item.daemonset;
    made.is_static = item.is_static;
    made.never_victim = item.never_victim;
    made.originator = item.originator;
    made.group_min_available = item.group_min_available;
    made.group_fault = item.group_fault;
    made.group_topology_key = text(item.group_topology_key);
    made.group_topology_preferred = item.group_topology_preferred;
    return made;
}

std::span<const std::string_view> Statements::texts(std::span<const DictId> ids) {
    std::vector<std::string_view>& made = texts_.emplace_back();
    for (const DictId id : ids) {
        made.push_back(text(id));
    }
    return made;
}

ApplicationStatement Statements::application(const ApplicationItem& item) {
    return {.name = text(item.application),
            .queue = text(item.queue),
            .user = text(item.user),
            .user_groups = texts(item.user_groups),
            .tags = attributes(item.tags)};
}

}  // namespace bayplan::kube_shim
