// Sorting the pods of a node and summing them up; see victim_index.h.
#include "preemption/victim_index.h"

#include <algorithm>

namespace bayplan {

namespace {

QosClass rank_of(QosClass qos) { return qos == QosClass::unknown ? QosClass::best_effort : qos; }

IndexedPods::Kind& resource_of(IndexedPods& made, ResourceId resource) {
    const auto found = std::find_if(made.resources.begin(), made.resources.end(),
                                    [&](const IndexedPods::Kind& one) { return one.resource == resource; });
    if (found != made.resources.end()) {
        return *found;
    }
    made.resources.push_back({resource, std::vector<std::int64_t>(made.pods.size() + 1)});
    return made.resources.back();
}

}  // namespace

bool more_important(const AskTable& asks, AskId first, AskId second, VictimOrder order) {
    const Ask& a = asks[first];
    const Ask& b = asks[second];
    if (a.priority != b.priority) {
        return a.priority > b.priority;
    }
    if (order == VictimOrder::qos && rank_of(a.qos) != rank_of(b.qos)) {
        return rank_of(a.qos) > rank_of(b.qos);
    }
    if (start_of(a) != start_of(b)) {
        return start_of(a) < start_of(b);
    }
    const int keys = asks.key(first).view().compare(asks.key(second));
    return keys != 0 ? keys < 0 : a.sequence < b.sequence;
}

std::size_t IndexedPods::first_below(std::int32_t priority) const {
    const auto first = std::partition_point(priorities.begin(), priorities.end(),
                                            [&](std::int32_t other) { return other >= priority; });
    return static_cast<std::size_t>(first - priorities.begin());
}

const IndexedPods::Kind* IndexedPods::find(ResourceId wanted) const {
    for (const Kind& one : resources) {
        if (one.resource == wanted) {
            return &one;
        }
    }
    return nullptr;
}

const IndexedPods& VictimIndex::at(Slot slot) {
    if (raw(slot) >= nodes_indexed_.size()) {
        nodes_indexed_.resize(raw(slot) + 1);
    }
    IndexedPods& pods = nodes_indexed_[raw(slot)];
    const std::uint32_t coverage = budgets_.empty() ? IndexedPods::kNotAsked : budgets_.coverage(slot);
    const bool fresh = pods.version != nodes_[slot].pods_version;
    if (fresh) {
        make(slot, pods);
        pods.version = nodes_[slot].pods_version;
    }
    if (fresh || pods.coverage != coverage) {
        find_covers(pods);
        pods.coverage = coverage;
    }
    return pods;
}

void VictimIndex::find_covers(IndexedPods& made) const {
    made.covers.clear();
    if (budgets_.empty()) {
        return;
    }
    for (std::uint32_t at = 0; at < made.pods.size(); ++at) {
        for (const BudgetId budget : budgets_.of_spec(classes_.spec_of(asks_[made.pods[at]]))) {
            made.covers.push_back({at, budget});
        }
    }
}

void VictimIndex::make(Slot slot, IndexedPods& made) const {
    made.pods.clear();
    made.priorities.clear();
    made.starts_ms.clear();
    made.resources.clear();
    // No more room than they need: there may be millions.
    const std::size_t most = nodes_[slot].allocations.size();
    made.pods.reserve(most);
    made.priorities.reserve(most);
    made.starts_ms.reserve(most);
    for (const AskId id : nodes_[slot].allocations) {
        if (may_be_victim(asks_[id], options_)) {
            made.pods.push_back(id);
        }
    }
    std::sort(made.pods.begin(), made.pods.end(),
              [&](AskId a, AskId b) { return more_important(asks_, a, b, options_.victim_order); });
    for (std::size_t at = 0; at < made.pods.size(); ++at) {
        const Ask& pod = asks_[made.pods[at]];
        made.priorities.push_back(pod.priority);
        made.starts_ms.push_back(start_of(pod));
        for (const ResourceAmount& amount : classes_[pod.ask_class].spec->requests) {
            resource_of(made, amount.resource).rest[at] = amount.value;
        }
    }
    for (IndexedPods::Kind& resource : made.resources) {
        for (std::size_t at = made.pods.size(); at-- > 0;) {
            resource.rest[at] += resource.rest[at + 1];
        }
    }
}

}  // namespace bayplan
