// See cluster_use.h.
#include "sim/cluster_use.h"

#include <algorithm>
#include <map>
#include <set>

#include "kube/resource_names.h"

namespace bayplan::sim {

namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kType = "node.kubernetes.io/instance-type";

// The resources that everybody asks for come first.
std::size_t rank(std::string_view resource) {
    if (resource == kube::kCpuName) return 0;
    if (resource == kube::kMemoryName) return 1;
    return resource == kube::kPodsName ? 2 : 3;
}

void add_to(UseRow& row, const std::vector<Use>& uses) {
    ++row.nodes;
    row.uses.resize(uses.size());
    for (std::size_t column = 0; column < uses.size(); ++column) {
        row.uses[column].capacity += uses[column].capacity;
        row.uses[column].before += uses[column].before;
        row.uses[column].after += uses[column].after;
    }
}

}  // namespace

ClusterUse::ClusterUse(const kube::ClusterDump& dump) : dump_(dump) {
    know_resources();
    for (const kube::ConvertedNode& node : dump.nodes()) {
        add_node(node);
    }
    for (const auto* const pods : {&dump.bound_pods(), &dump.pending_pods()}) {
        for (const kube::ClusterDump::Pod& pod : *pods) {
            pods_.emplace(pod.converted.key, Pod{&pod.converted, kNowhere});
        }
    }
    for (const kube::ClusterDump::Pod& pod : dump.bound_pods()) {
        place(pod.converted.key, dump.texts().text(pod.converted.ask.node));
    }
    for (Node& node : nodes_) {
        node.before = node.after;
    }
}

void ClusterUse::know_resources() {
    std::set<Text> wanted;
    for (const auto* const pods : {&dump_.bound_pods(), &dump_.pending_pods()}) {
        for (const kube::ClusterDump::Pod& pod : *pods) {
            for (const Amount& amount : pod.converted.requests) wanted.insert(amount.resource);
        }
    }
    std::set<Text> shown;
    for (const kube::ConvertedNode& node : dump_.nodes()) {
        for (const Amount& amount : node.capacity) {
            if (wanted.contains(amount.resource) || rank(dump_.texts().text(amount.resource)) < 3) {
                shown.insert(amount.resource);
            }
        }
    }
    resources_.assign(shown.begin(), shown.end());
    std::ranges::sort(resources_, {}, [this](Text id) {
        const std::string_view name = dump_.texts().text(id);
        return std::pair(rank(name), name);
    });
    for (const Text id : resources_) column_of_.emplace(id, column_of_.size());
}

void ClusterUse::add_node(const kube::ConvertedNode& node) {
    Node made{"-", "-", Amounts(resources_.size()), {}, Amounts(resources_.size())};
    count(node.capacity, 1, made.capacity);
    for (const Attribute& label : node.attributes) {
        const std::string_view key = dump_.texts().text(label.key);
        if (key == kZone) made.zone = dump_.texts().text(label.value);
        if (key == kType) made.type = dump_.texts().text(label.value);
    }
    node_of_.emplace(dump_.texts().text(node.name), nodes_.size());
    nodes_.push_back(std::move(made));
}

void ClusterUse::count(const std::vector<Amount>& requests, std::int64_t sign, Amounts& sums) const {
    for (const Amount& amount : requests) {
        if (const auto found = column_of_.find(amount.resource); found != column_of_.end()) {
            sums[found->second] += sign * amount.value;
        }
    }
}

void ClusterUse::add(const kube::ConvertedPod& pod) { pods_.emplace(pod.key, Pod{&pod, kNowhere}); }

void ClusterUse::place(std::string_view pod, std::string_view node) {
    const auto found = pods_.find(pod);
    const auto at = node_of_.find(node);
    if (found == pods_.end() || at == node_of_.end() || found->second.node != kNowhere) return;
    found->second.node = at->second;
    count(found->second.converted->requests, 1, nodes_[at->second].after);
}

void ClusterUse::gone(std::string_view pod) {
    const auto found = pods_.find(pod);
    if (found == pods_.end() || found->second.node == kNowhere) return;
    count(found->second.converted->requests, -1, nodes_[found->second.node].after);
    found->second.node = kNowhere;
}

std::optional<std::size_t> ClusterUse::find(std::string_view node) const {
    const auto found = node_of_.find(node);
    return found == node_of_.end() ? std::nullopt : std::optional(found->second);
}

ClusterUse::Room ClusterUse::room(std::size_t node, Text resource) const {
    const auto found = column_of_.find(resource);
    if (found == column_of_.end()) return {};
    return {nodes_[node].capacity[found->second], nodes_[node].after[found->second]};
}

std::vector<Use> ClusterUse::uses_of(const Node& node) const {
    std::vector<Use> uses;
    for (std::size_t column = 0; column < resources_.size(); ++column) {
        uses.push_back({node.capacity[column], node.before[column], node.after[column]});
    }
    return uses;
}

UseReport ClusterUse::report() const {
    UseReport report;
    for (const Text id : resources_) report.resources.emplace_back(dump_.texts().text(id));
    std::map<std::string_view, UseRow> zones;
    std::map<std::string_view, UseRow> types;
    report.all.name = "all";
    report.all.uses.resize(resources_.size());
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
        const Node& node = nodes_[index];
        const std::vector<Use> uses = uses_of(node);
        add_to(report.all, uses);
        add_to(zones[node.zone], uses);
        add_to(types[node.type], uses);
        report.nodes.push_back({std::string(dump_.texts().text(dump_.nodes()[index].name)), 1, uses});
    }
    for (auto* const groups : {&zones, &types}) {
        for (auto& [name, row] : *groups) {
            row.name = name;
            (groups == &zones ? report.zones : report.types).push_back(std::move(row));
        }
    }
    return report;
}

}  // namespace bayplan::sim
