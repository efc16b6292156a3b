// A DaemonSet pod on its node, and the steps of the simple preemptor: rules/daemonsets.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <limits>
#include <tuple>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::int64_t amount_in(const Amounts& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}

// Smaller comes first.
auto daemon_rank(const Ask& ask) {
    const std::int64_t never = std::numeric_limits<std::int64_t>::max();
    return std::tuple(-std::int64_t{ask.priority}, ask.reserved_node.empty() ? never : ask.reserved_since,
                      ask.sequence);
}

std::vector<std::string> names_of(VictimStrategies order) {
    switch (order) {
        case VictimStrategies::single_multiple: return {"single", "multiple"};
        case VictimStrategies::multiple_single: return {"multiple", "single"};
        case VictimStrategies::single: return {"single"};
        case VictimStrategies::multiple: return {"multiple"};
    }
    return {};
}

bool comes_free(const Ask& ask) { return ask.pod.terminating && !ask.pod.stuck; }

}  // namespace

// --- the ask and its node

bool Oracle::is_daemon_pod(const Ask& ask) const {
    if (!ask.daemonset || !options_.preemption.daemonset.enabled || needs_plugins(ask)) {
        return false;
    }
    if (!ask.required_node.empty()) {
        return true;
    }
    const auto& terms = ask.pod.spec->required_nodes;
    std::set<std::string> named;
    for (const KubeNodeTerm& term : terms ? *terms : std::vector<KubeNodeTerm>()) {
        std::string name;
        for (const KubeRequirement& field : term.fields) {
            if (name.empty() && field.key == "metadata.name" && field.op == LabelOperator::in &&
                field.values.size() == 1) {
                name = field.values.front();
            }
        }
        named.insert(name);
    }
    return named.size() == 1 && !named.begin()->empty();
}

std::string Oracle::daemon_node(const Ask& ask) const {
    if (!is_daemon_pod(ask)) {
        return "";
    }
    std::string name = ask.required_node;
    if (name.empty()) {
        for (const KubeRequirement& field : ask.pod.spec->required_nodes->front().fields) {
            if (name.empty() && field.key == "metadata.name" && field.op == LabelOperator::in &&
                field.values.size() == 1) {
                name = field.values.front();
            }
        }
    }
    const auto node = nodes_.find(name);
    if (node == nodes_.end()) {
        return "";
    }
    for (const auto& [kind, count] : node->second.facts.devices) {
        if (amount_in(ask.requests, kind) > 0) {
            return "";
        }
    }
    return name;
}

std::vector<const Ask*> Oracle::reservations_on(const std::string& node) const {
    std::vector<const Ask*> out;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.reserved_node == node) {
            out.push_back(&ask);
        }
    }
    std::sort(out.begin(), out.end(), [](const Ask* a, const Ask* b) { return daemon_rank(*a) < daemon_rank(*b); });
    return out;
}

Oracle::Respected Oracle::respected_by(const Ask& ask, const std::string& node) const {
    Respected out;
    for (const Ask* other : reservations_on(node)) {
        if (other == &ask || daemon_rank(ask) < daemon_rank(*other)) {
            continue;
        }
        const Steps theirs = steps_of(*other, node, out);
        if (theirs.blocked()) {
            continue;
        }
        out.asks.push_back(other);
        if (out.uncovered == nullptr && !theirs.need.empty()) {
            out.uncovered = other;
        }
    }
    return out;
}

// --- the steps

Amounts Oracle::need_of(const Ask& ask, const std::string& name, const Respected& respected) const {
    const Node& node = nodes_.at(name);
    Amounts need;
    for (const auto& [kind, asked] : ask.requests) {
        std::int64_t free = counted_capacity(objects_, node.capacity, kind);
        std::int64_t coming = 0;
        for (const auto& [sequence, pod] : asks_) {
            if (pod.node == name) {
                free -= amount_in(pod.requests, kind);
                coming += comes_free(pod) ? amount_in(pod.requests, kind) : 0;
            }
        }
        for (const auto& [owner, hold] : holds_) {
            free -= hold.node == name && ask.priority < hold.kept_from_below ? amount_in(hold.amounts, kind) : 0;
        }
        for (const Ask* other : respected.asks) {
            free -= amount_in(other->requests, kind);
        }
        if (asked - free - coming > 0) {
            need[kind] = asked - free - coming;
        }
    }
    return need;
}

bool Oracle::is_pending(const Ask& ask) const {
    bool any = false;
    for (const std::uint64_t victim : ask.reservation_victims) {
        const auto found = asks_.find(victim);
        if (found == asks_.end() || found->second.node != ask.reserved_node || !found->second.pod.terminating) {
            continue;
        }
        if (found->second.pod.stuck) {
            return false;
        }
        any = true;
    }
    return any;
}

Oracle::Steps Oracle::steps_of(const Ask& ask, const std::string& node, const Respected& respected) const {
    Steps out;
    const std::int64_t age = ask.reserved_node.empty() ? 0 : now_ - ask.reserved_since;
    out.need = need_of(ask, node, respected);
    if (age < daemonset_settings(ask).delay_ns) {
        out.state = "delay";
    } else if (is_pending(ask)) {
        out.state = "pending";
    } else if (respected.uncovered != nullptr) {
        out.state = "behind";
        out.behind = respected.uncovered;
    } else if (out.need.empty()) {
        out.state = "coming";
    } else if (ask.pod.never_preempts) {
        out.state = "never";
    } else {
        out.choice = victims_for(ask, node, out.need);
        out.state = out.choice.victims.empty() ? "nothing-found" : "chosen";
    }
    return out;
}

DaemonsetChoice Oracle::victims_for(const Ask& ask, const std::string& node, const Amounts& need) const {
    const DaemonsetOptions settings = daemonset_settings(ask);
    std::vector<DaemonsetCandidate> candidates;
    for (const auto& [sequence, pod] : asks_) {
        const bool useful = std::any_of(
            need.begin(), need.end(), [&pod = pod](const auto& one) { return amount_in(pod.requests, one.first) > 0; });
        const bool filtered = pod.daemonset || pod.pod.terminating || pod.is_static ||
                              (pod.foreign && !settings.foreign_victims) || pod.priority > ask.priority || !useful ||
                              pod.state == AskState::on_permit;
        if (pod.node != node || filtered) {
            continue;
        }
        candidates.push_back({sequence, pod.key, pod.priority, pod.pod.started_ms,
                              pod.opted_out    ? "optout"
                              : pod.originator ? "owner"
                                               : "regular",
                              pod.requests});
    }
    std::vector<DaemonsetNeed> needs;
    for (const auto& [kind, amount] : need) {
        needs.push_back({kind, amount, amount_in(ask.requests, kind)});
    }
    return choose_for_daemonset(candidates, needs,
                                {names_of(settings.strategies), settings.single_deviation, settings.multiple_max});
}

// --- a look

Oracle::DaemonLook Oracle::look_at_its_node(const Ask& ask, const std::string& node) const {
    const Respected respected = respected_by(ask, node);
    const KubeObjects objects = assumed_objects();
    KubeState state = state_for(ask, objects);
    state.nominations.clear();
    state.excluded.clear();
    for (const auto& [name, other] : nodes_) {
        if (name != node) {
            state.excluded.insert(name);
        }
    }
    std::erase_if(state.holds, [&](const KubeHold& hold) {
        return hold.reserved && std::none_of(respected.asks.begin(), respected.asks.end(),
                                             [&](const Ask* other) { return other->sequence == hold.owner; });
    });
    state.held.clear();
    for (const KubeHold& hold : state.holds) {
        add(hold.amounts, 1, state.held[hold.node]);
    }
    state.options.all_failures = true;
    const KubeAnswer answer = judge(state, ask.pod);
    DaemonLook look;
    if (answer.explanation.node == node) {
        look.fits = true;
        look.bindings = answer.bindings;
        return look;
    }
    std::vector<PredicateFailure> failures;
    for (const NodeExplanation& one : answer.explanation.nodes) {
        if (one.node == node) {
            failures = one.failures;
        }
    }
    for (const PredicateFailure& one : failures) {
        look.failed_by.insert(one.predicate);
    }
    const Amounts& capacity = nodes_.at(node).capacity;
    const bool small_enough = std::all_of(ask.requests.begin(), ask.requests.end(), [&](const auto& asked) {
        return asked.second <= counted_capacity(objects_, capacity, asked.first);
    });
    const bool has_room_for_it =
        !ask.reserved_node.empty() || reservations_on(node).size() < options_.preemption.daemonset.of_node_max;
    look.is_short =
        failures.size() == 1 && failures.front().predicate == "NodeResourcesFit" && small_enough && has_room_for_it;
    look.too_many = !has_room_for_it;
    if (look.is_short) {
        std::vector<std::string> reasons = failures.front().reasons;
        std::sort(reasons.begin(), reasons.end());
        for (const std::string& reason : reasons) {
            look.reasons += (look.reasons.empty() ? "" : ", ") + reason;
        }
        look.steps = steps_of(ask, node, respected);
    }
    return look;
}

std::string Oracle::reservation_state(const Ask& ask) const {
    return steps_of(ask, ask.reserved_node, respected_by(ask, ask.reserved_node)).state;
}

bool Oracle::would_have_its_node(const Ask& ask) const {
    const std::string node = daemon_node(ask);
    const DaemonLook look = node.empty() ? DaemonLook() : look_at_its_node(ask, node);
    return look.fits || look.is_short;
}

}  // namespace bayplan::oracle
