// What a dump tells an engine, in messages that refer only to what was sent before. See cluster_dump.h.
#include <algorithm>

#include "base/closest_name.h"
#include "kube/cluster_dump.h"

namespace bayplan::kube {

namespace {

// `make(items)` gives the message of a run of at most `items_max` items.
template <typename Item, typename Make>
void send_runs(const std::vector<Item>& items, std::size_t items_max, const ClusterDump::Send& send, Make make) {
    for (std::size_t first = 0; first < items.size(); first += items_max) {
        const std::span<const Item> run(items.data() + first, std::min(items_max, items.size() - first));
        send(make(run));
    }
}

}  // namespace

AskItem ClusterDump::ask_of(const ConvertedPod& pod) const {
    AskItem ask = pod.ask;
    ask.key = pod.key;
    ask.requests = pod.requests;
    if (!options_.groups) {
        ask.group = 0;
        ask.group_min_available = 0;
        ask.group_fault = GroupFault::none;
        ask.group_topology_key = 0;
    }
    if (ask.foreign) {
        ask.application = 0;  // they belong to nobody here
        ask.tags = std::span(&foreign_tag_[pod.ask.is_static ? 1 : 0], 1);
    }
    return ask;
}

bool ClusterDump::has_application(Text name) const {
    return std::ranges::binary_search(applications_, name, {}, &ApplicationItem::application);
}

std::vector<AskItem> ClusterDump::asks_of(const std::vector<Pod>& pods) const {
    std::vector<AskItem> asks;
    asks.reserve(pods.size());
    for (const Pod& pod : pods) {
        asks.push_back(ask_of(pod.converted));
    }
    return asks;
}

NodeItem node_record(const ConvertedNode& node, NodeAction action) {
    return {.node = node.name,
            .action = action,
            .capacity = node.capacity,
            .attributes = node.attributes,
            .taints = node.taints,
            .images = node.images,
            .devices = node.devices};
}

void ClusterDump::send_state(const Send& send, std::size_t items_max) const {
    std::vector<DictEntry> entries;
    for (Text id = 1; id <= texts().size(); ++id) {
        entries.push_back({id, texts().text(id)});
    }
    send_runs(entries, items_max, send, [](auto run) { return DefineMessage{run}; });

    const std::vector<SpecItem> specs(converter_.specs().records().begin(), converter_.specs().records().end());
    send_runs(specs, items_max, send, [](auto run) { return SpecsMessage{.define = run, .forget = {}}; });

    std::vector<NodeItem> nodes;
    for (const ConvertedNode& node : nodes_) {
        nodes.push_back(node_record(node, node.unschedulable ? NodeAction::create_drain : NodeAction::create));
    }
    send_runs(nodes, items_max, send, [](auto run) { return NodesMessage{run}; });

    std::vector<ObjectItem> objects;
    for (const ClusterObject& object : objects_) {
        objects.push_back({object, false});
    }
    send_runs(objects, items_max, send, [](auto run) { return ObjectsMessage{run}; });

    send_runs(applications_, items_max, send, [](auto run) { return ApplicationsMessage{.add = run, .remove = {}}; });
    send_runs(asks_of(bound_), items_max, send, [](auto run) { return AsksMessage{run}; });
}

void ClusterDump::send_asks(const Send& send, std::size_t items_max) const {
    send_runs(asks_of(pending_), items_max, send, [](auto run) { return AsksMessage{run}; });
}

std::vector<std::string_view> ClusterDump::pending() const {
    std::vector<std::string_view> keys;
    for (const Pod& pod : pending_) {
        keys.push_back(pod.converted.key);
    }
    return keys;
}

std::string ClusterDump::meant(std::string_view text) const {
    const bool has_namespace = text.find('/') != std::string_view::npos;
    std::vector<std::string_view> names;
    for (const Pod& pod : pending_) {
        const std::string_view key = pod.converted.key;
        const std::string_view name = has_namespace ? key : key.substr(key.find('/') + 1);
        if (name == text) {
            return std::string(key);
        }
        names.push_back(name);
    }
    const std::string_view name = closest_name(text, names);
    const auto same = [&](const Pod& pod) {
        const std::string_view key = pod.converted.key;
        return key == name || (!has_namespace && key.substr(key.find('/') + 1) == name);
    };
    const auto found = name.empty() ? pending_.end() : std::ranges::find_if(pending_, same);
    return found == pending_.end() ? std::string() : found->converted.key;
}

std::string ClusterDump::why_not_pending(std::string_view key) const {
    for (const Pod& pod : pending_) {
        if (pod.converted.key == key) {
            return {};
        }
    }
    const auto found = skipped_.find(std::string(key));
    return found == skipped_.end() ? "is in none of the files" : found->second;
}

std::vector<std::string_view> ClusterDump::gated() const {
    std::vector<std::string_view> keys;
    for (const Pod& pod : pending_) {
        if (!converter_.specs().records()[pod.converted.ask.spec - 1].spec.gates.empty()) {
            keys.push_back(pod.converted.key);
        }
    }
    return keys;
}

}  // namespace bayplan::kube
