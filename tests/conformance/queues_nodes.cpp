// Nodes by resources.
#include "queues_nodes.h"

#include <algorithm>
#include <set>

#include "queue_tree/node_sort_policy.h"

namespace bayplan::conformance {

using queue_config::Missing;

namespace {

void add_signed(Resources& sum, const Resources& more, int sign) {
    for (const auto& [name, value] : more) sum[name] += sign * value;
}

}  // namespace

Resources Node::available() const {
    Resources left = capacity;
    add_signed(left, allocated, -1);
    add_signed(left, occupied, -1);
    return left;
}

bool Nodes::fits(const std::string& id, const Resources& ask) const {
    return queue_config::fits_in(ask, all.at(id).available(), Missing::zero);
}

std::vector<std::string> Nodes::in_order(const queue_config::NodeSortPolicyConfig& policy) const {
    std::set<std::pair<double, std::string>> order;
    for (const auto& [id, node] : all)
        order.emplace(queue_tree::node_score(policy, node.capacity, node.available()), id);
    std::vector<std::string> ids;
    for (const auto& [score, id] : order) ids.push_back(id);
    return ids;
}

std::string Nodes::find(const Resources& ask, const queue_config::NodeSortPolicyConfig& policy) const {
    for (const std::string& id : in_order(policy)) {
        const Node& node = all.at(id);
        if (node.schedulable && node.reserved_by.empty() && fits(id, ask)) return id;
    }
    return "";
}

std::string Nodes::find_to_reserve(const Resources& ask, const queue_config::NodeSortPolicyConfig& policy) const {
    std::string best;
    double least = 0;
    for (const std::string& id : in_order(policy)) {
        const Node& node = all.at(id);
        if (!node.schedulable || !node.reserved_by.empty()) continue;
        if (!queue_config::fits_in(ask, node.capacity, Missing::zero)) continue;
        double lacking = 0;
        const Resources left = node.available();
        for (const auto& [name, value] : ask) {
            const auto found = left.find(name);
            const std::int64_t free = found == left.end() ? 0 : found->second;
            if (value > free) lacking += static_cast<double>(value - free) / static_cast<double>(value);
        }
        if (best.empty() || lacking < least) {
            best = id;
            least = lacking;
        }
    }
    return best;
}

void Nodes::charge(const std::string& id, const Resources& ask, int sign) {
    add_signed(all.at(id).allocated, ask, sign);
}

// A drained node has what it has: nothing can be added there.
Resources Nodes::usable() const {
    Resources sum;
    for (const auto& [id, node] : all) {
        add_signed(sum, node.schedulable ? node.capacity : node.allocated, +1);
        if (node.schedulable) add_signed(sum, node.occupied, -1);
    }
    return sum;
}

Resources Nodes::total() const {
    Resources sum;
    for (const auto& [id, node] : all) add_signed(sum, node.capacity, +1);
    return sum;
}

}  // namespace bayplan::conformance
