// See same_statement.h.
#include "kube_shim/same_statement.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace bayplan::kube_shim {

namespace {

bool same_amounts(std::span<const Amount> one, std::span<const Amount> other) {
    return std::ranges::equal(one, other,
                              [](Amount a, Amount b) { return a.resource == b.resource && a.value == b.value; });
}

bool same_labels(const std::vector<Attribute>& one, const std::vector<Attribute>& other) {
    return std::ranges::equal(one, other,
                              [](Attribute a, Attribute b) { return a.key == b.key && a.value == b.value; });
}

auto numbers_of(const AskItem& ask) {
    return std::tie(ask.application, ask.group, ask.node, ask.required_node, ask.priority, ask.tolerates_unschedulable,
                    ask.spec, ask.terminating, ask.never_preempts, ask.started_ms, ask.node_cpu, ask.node_memory,
                    ask.own_cpu, ask.own_memory, ask.qos, ask.grace_period_s, ask.preempted);
}

auto facts_of(const AskItem& ask) {
    return std::tie(ask.daemonset, ask.is_static, ask.never_victim, ask.originator, ask.group_min_available,
                    ask.group_fault, ask.group_topology_key, ask.group_topology_preferred);
}

}  // namespace

bool same_node(const kube::ConvertedNode& one, const kube::ConvertedNode& other) {
    return one.unschedulable == other.unschedulable && one.taints == other.taints && one.devices == other.devices &&
           same_amounts(one.capacity, other.capacity) && same_labels(one.attributes, other.attributes) &&
           same_amounts(one.images, other.images);
}

bool same_statement(const AskItem& one, const AskItem& other) {
    return numbers_of(one) == numbers_of(other) && facts_of(one) == facts_of(other) &&
           same_amounts(one.requests, other.requests);
}

}  // namespace bayplan::kube_shim
