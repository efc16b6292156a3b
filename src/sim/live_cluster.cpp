// See live_cluster.h.
#include "sim/live_cluster.h"

#include <algorithm>
#include <span>

namespace bayplan::sim {

namespace {

constexpr std::int64_t kDefaultGraceMs = 30'000;  // terminationGracePeriodSeconds, if the pod has none

std::int64_t grace_ms(const kube::ConvertedPod& pod) {
    return pod.ask.grace_period_s < 0 ? kDefaultGraceMs : std::int64_t{pod.ask.grace_period_s} * 1'000;
}

template <typename Message, typename Record>
Message one(const Record& record) {
    return Message{std::span<const Record>(&record, 1)};
}

// That is placed together: what the object says of its nominated node means nothing then.
bool of_a_group(const LiveCluster::Pod& pod) {
    return pod.made.ask.group_min_available != 0 || pod.made.ask.group_fault != GroupFault::none;
}

}  // namespace

LiveCluster::LiveCluster(kube::ClusterDump& dump, std::int64_t base_ms, Send send)
    : dump_(dump),
      base_ms_(base_ms),
      send_(std::move(send)),
      classes_(dump.priority_classes()),
      owners_(dump.owners()) {
    for (const kube::ConvertedNode& node : dump.nodes()) {
        nodes_.emplace(node.name, node);
        changes_.nodes.insert(node.name);
    }
    for (const auto* const pods : {&dump.bound_pods(), &dump.pending_pods()}) {
        for (const kube::ClusterDump::Pod& given : *pods) {
            Pod& pod =
                pods_.emplace(given.converted.key, Pod{given.converted, kNever, {}, {}, {}, false}).first->second;
            applications_.insert(pod.made.ask.application);
            changes_.pods.insert(given.converted.key);
            pod.nominated_node = pod.made.ask.node == 0 && !of_a_group(pod) ? text(pod.made.ask.nominated_node) : "";
            if (pod.made.ask.terminating) {
                pod.ends_ms = grace_ms(pod.made);
                if (!pod.made.stuck) {
                    ends_.emplace(pod.ends_ms, pod.made.key);
                }
            }
        }
    }
}

LiveCluster::Pod* LiveCluster::find(const std::string& key) {
    const auto found = pods_.find(key);
    return found == pods_.end() ? nullptr : &found->second;
}

bool LiveCluster::is_gated(const Pod& pod) const {
    const AskItem& ask = pod.made.ask;
    return ask.node == 0 && !dump_.converter().specs().records()[ask.spec - 1].spec.gates.empty();
}

void LiveCluster::remark(const std::string& place, const std::string& key, std::string what) {
    remarks_.push_back({place, "Pod " + key, "", std::move(what), false});
}

void LiveCluster::state(const Pod& pod) {
    changes_.pods.insert(pod.made.key);
    if (begun_.contains(pod.made.key)) {
        return;
    }
    need_application(pod.made);
    if (pod.made.ask.node == 0 && pod.made.extended != nullptr && pod.made.extended->claim) {
        send_(one<ObjectsMessage>(ObjectItem{*pod.made.extended->claim, false}));
    }
    send_(one<AsksMessage>(dump_.ask_of(pod.made)));
}

void LiveCluster::need_application(const kube::ConvertedPod& pod) {
    if (applications_.insert(pod.application.application).second) {
        const kube::StatedApplication stated = dump_.converter().application_of(pod);
        send_(ApplicationsMessage{.add = std::span(&stated.item, 1), .remove = {}});
    }
}

// --- objects that come, or change

void LiveCluster::apply(std::int64_t now_ms, const kube::ConvertedObject& object, const std::string& place) {
    if (const auto* const pod = std::get_if<kube::ConvertedPod>(&object)) {
        apply_pod(now_ms, *pod, place);
    } else if (const auto* const node = std::get_if<kube::ConvertedNode>(&object)) {
        apply_node(*node);
    } else if (const auto* const priority_class = std::get_if<kube::PriorityClass>(&object)) {
        classes_.put(*priority_class);
    } else if (const auto* const other = std::get_if<ClusterObject>(&object)) {
        send_(one<ObjectsMessage>(ObjectItem{*other, false}));
    }
}

void LiveCluster::apply_node(const kube::ConvertedNode& node) {
    changes_.nodes.insert(node.name);
    const auto [at, fresh] = nodes_.try_emplace(node.name, node);
    if (fresh) {
        const NodeAction create = node.unschedulable ? NodeAction::create_drain : NodeAction::create;
        send_(one<NodesMessage>(kube::node_record(node, create)));
        return;
    }
    const bool switched = at->second.unschedulable != node.unschedulable;
    at->second = node;
    send_(one<NodesMessage>(kube::node_record(node, NodeAction::update)));
    if (switched) {
        const NodeAction action = node.unschedulable ? NodeAction::drain : NodeAction::undrain;
        send_(one<NodesMessage>(NodeItem{.node = node.name, .action = action, .capacity = {}, .attributes = {}}));
    }
}

void LiveCluster::apply_pod(std::int64_t now_ms, kube::ConvertedPod made, const std::string& place) {
    Pod* const known = find(made.key);
    if (made.finished) {
        owners_changed(owners_.take_out(made.key));
        if (known != nullptr) {
            gone(made.key);
        }
        return;
    }
    owners_changed(owners_.put(made));
    made.ask.originator = owners_.is_owner(made);
    if (known == nullptr) {
        if (!classes_.resolve(made, dump_.options().defaults)) {
            remarks_.push_back(kube::unknown_class(place, made));
        }
        add_pod(now_ms, std::move(made), place);
        return;
    }
    // A class is looked at once, when the pod is made.
    if (!made.allows_preemption && !known->made.allows_preemption) {
        made.ask.never_victim = known->made.ask.never_victim;
    }
    if (!made.priority_known && (!made.priority_class.empty() || dump_.options().defaults)) {
        made.ask.priority = known->made.ask.priority;
        made.ask.never_preempts = known->made.ask.never_preempts;
    }
    if (known->made.ask.node != 0) {
        update_bound(now_ms, *known, std::move(made), place);
    } else {
        update_pending(now_ms, *known, std::move(made), place);
    }
}

void LiveCluster::add_pod(std::int64_t now_ms, kube::ConvertedPod&& made, const std::string& place) {
    const bool ours = dump_.is_ours(made);
    const bool bound = made.ask.node != 0;
    if (bound && !is_node(made.ask.node)) {
        remark(place, made.key,
               "is on the node " + std::string(text(made.ask.node)) + ", which is not there; left out");
        return;
    }
    if (!bound && (!ours || made.ask.terminating)) {
        return;  // another scheduler's, or deleted before it was begun
    }
    if (bound || !is_node(made.ask.nominated_node)) {
        made.ask.nominated_node = 0;
    }
    made.ask.foreign = bound && !ours;
    const std::string key = made.key;
    Pod& pod = pods_.emplace(key, Pod{std::move(made), kNever, {}, {}, {}, false}).first->second;
    pod.nominated_node = of_a_group(pod) ? "" : text(pod.made.ask.nominated_node);
    const bool terminating = std::exchange(pod.made.ask.terminating, false);
    state(pod);
    if (terminating) {
        terminate(now_ms, pod, false);
    }
}

void LiveCluster::update_bound(std::int64_t now_ms, Pod& pod, kube::ConvertedPod&& made, const std::string& place) {
    const AskItem before = pod.made.ask;
    if (made.ask.node != 0 && made.ask.node != before.node) {
        remark(place, made.key, "stays on " + std::string(text(before.node)) + ": a pod does not move");
    }
    const bool deleted = made.ask.terminating && !before.terminating;
    made.ask.node = before.node;
    made.ask.foreign = before.foreign;
    made.ask.terminating = before.terminating;
    made.ask.preempted = made.ask.preempted || before.preempted;
    made.ask.started_ms = made.ask.started_ms == 0 ? before.started_ms : made.ask.started_ms;
    made.ask.nominated_node = 0;
    const bool was_stuck = pod.made.stuck;
    pod.made = std::move(made);
    state(pod);
    if (deleted) {
        terminate(now_ms, pod, false);
    } else if (before.terminating && was_stuck != pod.made.stuck) {
        set_end(now_ms, pod, pod.ends_ms);
    }
}

void LiveCluster::update_pending(std::int64_t now_ms, Pod& pod, kube::ConvertedPod&& made, const std::string& place) {
    const bool bound = made.ask.node != 0;
    if (made.ask.terminating && !bound) {
        gone(made.key);
        return;
    }
    if (bound && !is_node(made.ask.node)) {
        remark(place, made.key,
               "is on the node " + std::string(text(made.ask.node)) + ", which is not there; left out");
        gone(made.key);
        return;
    }
    made.ask.nominated_node = 0;  // it counts when a pod is new
    const bool terminating = std::exchange(made.ask.terminating, false);
    pod.made = std::move(made);
    if (bound) {
        pod.nominated_node.clear();
        pod.message.clear();
    }
    if (bound || is_gated(pod)) {
        pod.reserved_node.clear();
    }
    state(pod);
    if (terminating) {
        terminate(now_ms, pod, false);
    }
}

// --- objects that go

void LiveCluster::remove(std::int64_t now_ms, const Removal& removal, const std::string& place) {
    if (removal.kind == "Pod") {
        const std::string key = removal.name_space + "/" + removal.name;
        if (Pod* const pod = find(key)) {
            terminate(now_ms, *pod, removal.now);
        } else {
            owners_changed(owners_.take_out(key));
            remark(place, key, "is not there (any more)");
        }
    } else if (removal.kind == "Node") {
        remove_node(removal.name);
    } else if (removal.kind == "PriorityClass") {
        classes_.remove(removal.name);
    } else {
        // The dictionary has the names already: events.cpp saw to that.
        if (auto object =
                kube::named_object(dump_.converter().texts(), removal.kind, removal.name_space, removal.name)) {
            send_(one<ObjectsMessage>(ObjectItem{std::move(*object), true}));
        }
    }
}

void LiveCluster::remove_node(std::string_view name) {
    const Text id = dump_.texts().find(name);
    if (nodes_.erase(id) == 0) {
        return;
    }
    changes_.nodes.insert(id);
    // The engine lets go of its pods and of nominations to it by itself.
    send_(
        one<NodesMessage>(NodeItem{.node = id, .action = NodeAction::decommission, .capacity = {}, .attributes = {}}));
    std::vector<std::string> lost;
    for (auto at = pods_.begin(); at != pods_.end();) {
        if (at->second.nominated_node == name) {
            at->second.nominated_node.clear();
        }
        if (at->second.made.ask.node == id) {
            const std::vector<std::string> owners = owners_.take_out(at->first);
            lost.insert(lost.end(), owners.begin(), owners.end());
            forget_end(at->second);
            begun_.erase(at->first);
            changes_.pods.insert(at->first);
            ++gone_;
            at = pods_.erase(at);
        } else {
            ++at;
        }
    }
    owners_changed(lost);
}

void LiveCluster::terminate(std::int64_t now_ms, Pod& pod, bool at_once) {
    if (pod.made.ask.node == 0 || at_once) {
        gone(pod.made.key);
        return;
    }
    const std::int64_t ends_ms = now_ms + grace_ms(pod.made);
    if (!pod.made.ask.terminating) {
        pod.made.ask.terminating = true;
        begun_.insert(pod.made.key);
    }
    set_end(now_ms, pod, std::min(ends_ms, pod.ends_ms));
}

void LiveCluster::set_end(std::int64_t now_ms, Pod& pod, std::int64_t ends_ms) {
    forget_end(pod);
    pod.ends_ms = ends_ms;
    if (pod.made.stuck) {
        return;  // it never comes
    }
    if (ends_ms <= now_ms) {
        gone(pod.made.key);
    } else {
        ends_.emplace(ends_ms, pod.made.key);
    }
}

void LiveCluster::end_graces(std::int64_t now_ms) {
    while (next_end_ms() <= now_ms) {
        gone(std::string(ends_.begin()->second));
    }
}

void LiveCluster::forget_end(const Pod& pod) { ends_.erase({pod.ends_ms, pod.made.key}); }

void LiveCluster::gone(const std::string& key) {
    const auto at = pods_.find(key);
    const std::string name = key;  // it may be the pod's own
    forget_end(at->second);
    begun_.erase(name);
    changes_.pods.insert(name);
    pods_.erase(at);
    ++gone_;
    send_(one<ReleasesMessage>(ReleaseItem{.key = name, .message = {}}));
    owners_changed(owners_.take_out(name));
}

// A pod that was deleted before it was begun, or is another scheduler's, owns and is owned like any other.
void LiveCluster::owners_changed(const std::vector<std::string>& owners) {
    if (owners.empty()) {
        return;
    }
    for (auto& [key, pod] : pods_) {
        const bool concerned =
            std::find(owners.begin(), owners.end(), kube::PodOwners::name_of(key, pod.made.uid)) != owners.end();
        const bool is_owner = owners_.is_owner(pod.made);
        if (concerned && std::exchange(pod.made.ask.originator, is_owner) != is_owner && pod.made.ask.node != 0) {
            state(pod);
        }
    }
}

void LiveCluster::state_terminations() {
    for (const std::string& key : std::exchange(begun_, {})) {
        state(pods_.at(key));
    }
}

// --- what the engine decided

void LiveCluster::place(std::int64_t now_ms, const std::string& key, std::string_view node) {
    Pod* const pod = find(key);
    if (pod == nullptr) {
        return;
    }
    pod->made.ask.node = dump_.texts().find(node);
    pod->made.ask.nominated_node = 0;
    pod->made.ask.started_ms = base_ms_ + now_ms;
    pod->nominated_node.clear();
    pod->reserved_node.clear();
    pod->message.clear();
    state(*pod);
}

bool LiveCluster::preempt(std::int64_t now_ms, const std::string& key) {
    Pod* const pod = find(key);
    if (pod == nullptr) {
        return false;
    }
    pod->made.ask.preempted = true;
    if (pod->made.ask.terminating) {
        return false;
    }
    pod->made.ask.terminating = true;  // the engine knows
    set_end(now_ms, *pod, now_ms + grace_ms(pod->made));
    return true;
}

}  // namespace bayplan::sim
