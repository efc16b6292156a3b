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
        nodes_.push_back({names_.at(record.node), capacity, capacity, {}, {}});
    }
}

void PreemptionScan::take(const AsksMessage& message) {
    for (const AskItem& record : message.asks) {
        const Pod pod = {room_of(record.requests), record.started_ms, record.priority,
                         static_cast<std::uint32_t>(keys_.size())};
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

bool PreemptionScan::nominate_all() {
    for (Node& node : nodes_) {
        std::ranges::sort(node.pods, {}, [this](const Pod& pod) {
            return std::tuple(-std::int64_t{pod.priority}, pod.started_ms, std::string_view(keys_[pod.number]));
        });
        node.leaves.assign(node.pods.size(), 0);
    }
    return std::ranges::all_of(asked_, [this](const Pod& ask) { return nominate(ask); });
}

PreemptionScan::Price PreemptionScan::search(const Pod& ask, const Node& node,
                                             std::vector<std::size_t>& victims) const {
    victims.clear();
    Room left = node.spared;
    take_from(left, ask.amounts);
    Price price;
    price.latest_start = -std::numeric_limits<std::int64_t>::max();
    if (!fits(Room{}, left)) return price;  // not even without them
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
        const Pod& pod = node.pods[i];
        if (fits(pod.amounts, left)) {
            take_from(left, pod.amounts);  // it may stay
            continue;
        }
        if (victims.empty()) price.highest_priority = pod.priority;
        victims.push_back(i);
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
    nominations_.add(keys_[ask.number], best->name);
    for (const std::size_t victim : best_victims) {
        if (best->leaves[victim] != 0) continue;  // it goes already
        best->leaves[victim] = 1;
        nominations_.add(keys_[best->pods[victim].number], "");
    }
    return true;
}

}  // namespace bayplan::measure
