// See preemption_scan.h.
#include "measure/preemption_scan.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <variant>

namespace bayplan::measure {

namespace {

template <typename Room>
bool fits(const Room& amounts, const Room& free) {
    for (std::size_t resource = 0; resource < amounts.size(); ++resource) {
        if (amounts[resource] > free[resource]) return false;
    }
    return true;
}

template <typename Room>
void take_from(Room& free, const Room& amounts) {
    for (std::size_t resource = 0; resource < amounts.size(); ++resource) free[resource] -= amounts[resource];
}

}  // namespace

void PreemptionScan::apply(const Input& input) {
    const auto* const message = std::get_if<StateMessage>(&input);
    if (message == nullptr) return;
    if (const auto* define = std::get_if<DefineMessage>(&message->body)) take(*define);
    if (const auto* nodes = std::get_if<NodesMessage>(&message->body)) take(*nodes);
    if (const auto* asks = std::get_if<AsksMessage>(&message->body)) take(*asks);
    if (const auto* specs = std::get_if<SpecsMessage>(&message->body)) take(*specs);
    if (const auto* objects = std::get_if<ObjectsMessage>(&message->body)) take(*objects);
}

// Each has one label, and one term against its own kind or none.
void PreemptionScan::take(const SpecsMessage& message) {
    for (const SpecItem& record : message.define) {
        labels_.resize(std::max<std::size_t>(labels_.size(), record.number + 1));
        labels_[record.number] = record.spec.labels.front().value;
        stays_apart_.resize(labels_.size());
        stays_apart_[record.number] = record.spec.anti_affinity.empty() ? 0 : 1;
    }
}

void PreemptionScan::take(const ObjectsMessage& message) {
    for (const ObjectItem& record : message.objects) {
        const auto& budget = std::get<PodBudget>(record.object);
        const DictId value = budget.selector->requirements.front().values.front();
        left_.resize(labels_.size(), std::numeric_limits<std::int64_t>::max());
        for (std::size_t spec = 0; spec < labels_.size(); ++spec) {
            if (labels_[spec] == value) left_[spec] = budget.disruptions_allowed;
        }
        any_budget_ = true;
    }
    counts_.assign(labels_.size(), 0);
}

void PreemptionScan::take(const DefineMessage& message) {
    constexpr std::array<std::string_view, kResources> kNames = {"cpu", "memory", "pods"};
    for (const DictEntry& entry : message.entries) {
        names_[entry.id] = entry.text;
        const auto resource = std::ranges::find(kNames, entry.text);
        if (resource != kNames.end()) resources_[entry.id] = static_cast<std::size_t>(resource - kNames.begin());
    }
}

PreemptionScan::Room PreemptionScan::room_of(std::span<const Amount> amounts) const {
    Room room{};
    for (const Amount& amount : amounts) room[resources_.at(amount.resource)] = amount.value;
    return room;
}

void PreemptionScan::take(const NodesMessage& message) {
    for (const NodeItem& record : message.nodes) {
        node_ids_[record.node] = nodes_.size();
        const Room capacity = room_of(record.capacity);
        nodes_.push_back({names_.at(record.node), capacity, capacity, {}, {}, {}});
    }
}

void PreemptionScan::take(const AsksMessage& message) {
    for (const AskItem& record : message.asks) {
        const Pod pod = {room_of(record.requests), record.started_ms, record.priority,
                         static_cast<std::uint32_t>(keys_.size()), record.spec};
        keys_.emplace_back(record.key);
        if (record.node == 0) {
            asked_.push_back(pod);
            continue;
        }
        Node& node = nodes_[node_ids_.at(record.node)];
        take_from(node.free, pod.amounts);
        node.pods.push_back(pod);
    }
}

// Pods that may go for the asks, which are of one priority.
void PreemptionScan::find_pools() {
    for (Node& node : nodes_) {
        std::erase_if(node.pods, [this](const Pod& pod) { return pod.priority >= asked_.front().priority; });
        std::ranges::sort(node.pods, {}, [this](const Pod& pod) {
            return std::tuple(-std::int64_t{pod.priority}, pod.started_ms, std::string_view(keys_[pod.number]));
        });
        node.leaves.assign(node.pods.size(), 0);
        node.spared = node.free;
        for (const Pod& pod : node.pods) {
            for (std::size_t resource = 0; resource < kResources; ++resource) {
                node.spared[resource] += pod.amounts[resource];
            }
        }
    }
}

bool PreemptionScan::nominate_all() {
    find_pools();
    return std::ranges::all_of(asked_, [this](const Pod& ask) { return nominate(ask); });
}

bool PreemptionScan::refuse_all() {
    find_pools();
    return std::ranges::none_of(asked_, [this](const Pod& ask) { return nominate(ask); });
}

void PreemptionScan::find_violating(const Node& node) {
    violating_.assign(node.pods.size(), 0);
    if (!any_budget_) return;
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
        const SpecNumber spec = node.pods[i].spec;
        violating_[i] = spec != 0 && ++counts_[spec] > left_[spec] ? 1 : 0;
    }
    for (const Pod& pod : node.pods) {
        if (pod.spec != 0) counts_[pod.spec] = 0;
    }
}

bool PreemptionScan::keeps_off(const Pod& ask, const Node& node) const {
    return ask.spec != 0 && stays_apart_[ask.spec] != 0 &&
           std::ranges::find(node.nominated, ask.spec) != node.nominated.end();
}

PreemptionScan::Price PreemptionScan::search(const Pod& ask, const Node& node, std::vector<std::size_t>& victims) {
    victims.clear();
    Room left = node.spared;
    take_from(left, ask.amounts);
    Price price;
    price.latest_start = -std::numeric_limits<std::int64_t>::max();
    if (!fits(Room{}, left) || keeps_off(ask, node)) return price;  // not even without them
    find_violating(node);
    for (const char violating : {1, 0}) {
        for (std::size_t i = 0; i < node.pods.size(); ++i) {
            if (violating_[i] != violating) continue;
            if (fits(node.pods[i].amounts, left)) {
                take_from(left, node.pods[i].amounts);  // it may stay
                continue;
            }
            victims.push_back(i);
            price.violations += violating;
        }
    }
    if (any_budget_) std::ranges::sort(victims);
    for (const std::size_t i : victims) {
        const Pod& pod = node.pods[i];
        if (i == victims.front()) price.highest_priority = pod.priority;
        price.sum += std::int64_t{pod.priority} + (std::int64_t{1} << 31);
        ++price.count;
        if (pod.priority == price.highest_priority) price.latest_start = std::max(price.latest_start, -pod.started_ms);
    }
    return price;
}

bool PreemptionScan::nominate(const Pod& ask) {
    Node* best = nullptr;
    Price least;
    std::vector<std::size_t> victims;
    std::vector<std::size_t> best_victims;
    for (Node& node : nodes_) {
        if (fits(ask.amounts, node.free)) return false;
        const Price price = search(ask, node, victims);
        if (!victims.empty() && (best == nullptr || price < least)) {
            best = &node;
            least = price;
            best_victims.swap(victims);
        }
    }
    if (best == nullptr) return false;
    take_from(best->free, ask.amounts);
    take_from(best->spared, ask.amounts);
    best->nominated.push_back(ask.spec);
    nominations_.add(keys_[ask.number], best->name);
    for (const std::size_t victim : best_victims) {
        if (best->leaves[victim] != 0) continue;  // it goes already
        best->leaves[victim] = 1;
        const SpecNumber spec = best->pods[victim].spec;
        if (any_budget_ && spec != 0 && left_[spec] > 0) --left_[spec];
        nominations_.add(keys_[best->pods[victim].number], "");
    }
    return true;
}

}  // namespace bayplan::measure
