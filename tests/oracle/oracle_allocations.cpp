// The oracle's asks on nodes: how they come to be there and go, and whom that wakes: rules/asks.md, rules/failure.md.
//
// Thread and errors: see oracle.h.
#include "oracle.h"
#include "oracle_guarantees.h"
#include "oracle_placeholders.h"

namespace bayplan::oracle {

bool has_it_for_good(const Ask& ask) {
    return !ask.node.empty() && ask.state != AskState::queried && ask.state != AskState::on_permit;
}

// By force, now or when the node is there.
void Oracle::run_where_stated(Ask& ask, const std::string& node) {
    if (nodes_.contains(node)) {
        if (!ask.awaited_node.empty()) {
            saw("stated on another node than it waits for");
        }
        place(ask, node, AskState::allocated, ask.stated_devices);
        return;
    }
    end_nomination(ask, true);
    end_reservation(ask, true);
    ask.state = AskState::waiting_for_node;
    ask.failed_by.clear();
    if (ask.awaited_node != node) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, "waiting for node " + node);
        ask.awaited_node = node;
    }
}

void Oracle::place(Ask& ask, const std::string& node_name, AskState state, const std::string& stated_devices) {
    end_nomination(ask, ask.nominated_node != node_name);
    const bool another_may = !ask.reserved_node.empty() &&
                             reservations_on(ask.reserved_node).size() >= options_.preemption.daemonset.of_node_max;
    if (another_may) {
        saw("its place ends one of as many reservations as may be");
    }
    end_reservation(ask, state == AskState::allocated || another_may);
    Node& node = nodes_.at(node_name);
    give_devices(ask, node, stated_devices);
    add(ask.requests, 1, ask.foreign ? node.foreign : node.used);
    ask.node = node_name;
    ask.awaited_node.clear();
    ask.pod.node = node_name;
    ask.state = state;
    ask.nacked = false;
    ask.avoids.clear();
    ask.failed_by.clear();
    ask.guaranteed_since.reset();
    ask.guaranteed_from = INT64_MAX;
    if (state != AskState::queried) {
        node_changes(node_name);
    }
    count_end_anew(ask);
    wake(Event::pod_changed);
}

// The pod is gone from its node. Asks that had left the node out for its sake are woken.
void Oracle::leave_node(Ask& ask) {
    Node& node = nodes_.at(ask.node);
    if (ask.state != AskState::queried) {
        node_changes(ask.node);
    }
    add(ask.requests, -1, ask.foreign ? node.foreign : node.used);
    ask.node.clear();
    ask.pod.node.clear();
    ask.pod.devices.clear();
    ask.bindings.clear();
    ask.allocated_decision = 0;
    ask.chosen = false;
    ask.sent_away = false;
    count_end_anew(ask);
    for (auto& [sequence, other] : asks_) {
        other.victims.erase(ask.sequence);
        if (other.excluded.erase(ask.sequence) > 0 && other.state == AskState::unschedulable) {
            saw("woken as the stuck pod is gone");
            wake(other);
        }
    }
}

// The ask goes, with its allocation if it has one; the end of an allocation wakes unless told
// otherwise.
void Oracle::end_ask(std::uint64_t sequence, bool wakes) {
    Ask& ask = asks_.at(sequence);
    const bool placed = !ask.node.empty();
    PlaceholderRules(*this).forget(ask);
    if (ask.placeholder) {
        PlaceholderRules(*this).goes(ask);
    }
    if (ask.state == AskState::on_permit && gangs_.at(ask.gang).hold_lost.empty()) {
        gangs_.at(ask.gang).hold_lost = ask.key + " is gone";
    }
    if (placed) {
        leave_node(ask);
    }
    const bool held = !ask.nominated_node.empty() || !ask.reserved_node.empty();
    end_nomination(ask, false);
    end_reservation(ask, false);
    leave_gang(ask);
    shims_.at(ask.shim).asks.erase(ask.key);
    add(occupied(ask), -1, total_);
    asks_.erase(sequence);
    if ((placed || held) && wakes) {
        wake(Event::allocation_ended);
    }
}

void Oracle::end_asks_of_application(const std::string& shim, const std::string& application) {
    std::vector<std::uint64_t> going;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.shim == shim && ask.application == application) {
            going.push_back(sequence);
        }
    }
    for (const std::uint64_t sequence : going) {
        end_ask(sequence, true);
    }
}

void Oracle::watch(std::uint64_t sequence) {
    watched_ = sequence;
    failures_watched_ = sequence == 0 ? 0 : asks_.at(sequence).failures;
}

// The table of rules/failure.md, row by row.
void Oracle::wake(Event event, const Ask* except) {
    std::set<std::string> wakes;
    switch (event) {
        case Event::node_changed: break;
        case Event::node_undrained: wakes = {"NodeUnschedulable"}; break;
        case Event::node_gone: wakes = {"VolumeRestrictions", "PodTopologySpread", "InterPodAffinity"}; break;
        case Event::allocation_ended:
            wakes = {"NodePorts",     "NodeResourcesFit",  "VolumeRestrictions", "NodeVolumeLimits",
                     "VolumeBinding", "PodTopologySpread", "InterPodAffinity",   "DynamicResources"};
            break;
        case Event::pod_changed: wakes = {"PodTopologySpread", "InterPodAffinity"}; break;
        case Event::object_changed:
            wakes = {"NodeVolumeLimits", "VolumeRestrictions", "VolumeBinding",
                     "VolumeZone",       "InterPodAffinity",   "DynamicResources"};
            break;
        case Event::claim_given_back: wakes = {"DynamicResources"}; break;
        case Event::placed_pod_stated: break;
    }
    const auto watched = asks_.find(watched_);
    const bool hears = watched != asks_.end() && watched->second.state == AskState::unschedulable &&
                       watched->second.failures == failures_watched_ && &watched->second != except;
    bool wakes_watched = false;
    for (auto& [sequence, ask] : asks_) {
        bool meant = event == Event::node_changed;  // wakes everybody
        for (const std::string& failed : ask.failed_by) {
            meant = meant || wakes.contains(failed) || failed == kByGuarantee ||
                    (failed == kByPlugins && event == Event::allocation_ended);
        }
        if (ask.state == AskState::unschedulable && meant && &ask != except) {
            wake(ask);
            wakes_watched =
                wakes_watched ||
                (hears && (sequence == watched_ || (!ask.gang.empty() && ask.gang == watched->second.gang)));
        }
    }
    if (hears) {
        heard_.push_back({event, wakes_watched});
        watched_ = wakes_watched ? 0 : watched_;
    }
}

}  // namespace bayplan::oracle
