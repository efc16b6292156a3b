// Owned inputs to plain records.
//
// Thread and ownership: see owned.h. Errors: none.
#include "owned.h"

namespace bayplan::oracle {

Borrowed::Borrowed(const OwnedBody& owned)
    : body_(std::visit([this](const auto& one) { return borrow(one); }, owned)) {}

StateBody Borrowed::borrow(const OwnedDefine& owned) {
    for (const auto& [id, text] : owned.entries) {
        entries_.push_back({id, text});
    }
    return DefineMessage{entries_};
}

StateBody Borrowed::borrow(const OwnedForget& owned) { return ForgetMessage{owned.ids}; }

StateBody Borrowed::borrow(const OwnedNodes& owned) {
    for (const OwnedNode& node : owned.nodes) {
        nodes_.push_back(
            {node.node, node.action, node.capacity, node.attributes, node.taints, node.images, node.devices});
    }
    return NodesMessage{nodes_};
}

StateBody Borrowed::borrow(const OwnedApplications& owned) {
    for (const OwnedApplication& one : owned.add) {
        applications_.push_back({one.application, one.queue, one.user, one.user_groups, one.placeholder_ask,
                                 one.gang_style, one.placeholder_timeout_ms, one.tags});
    }
    return ApplicationsMessage{applications_, owned.remove};
}

StateBody Borrowed::borrow(const OwnedAsks& owned) {
    for (const OwnedAsk& ask : owned.asks) {
        AskItem record;
        record.key = ask.key;
        record.application = ask.application;
        record.group = ask.group;
        record.group_min_available = ask.group_min_available;
        record.group_fault = ask.group_fault;
        record.group_topology_key = ask.group_topology_key;
        record.group_topology_preferred = ask.group_topology_preferred;
        record.node = ask.node;
        record.required_node = ask.required_node;
        record.priority = ask.priority;
        record.created_s = ask.created_s;
        record.foreign = ask.foreign;
        record.tolerates_unschedulable = ask.tolerates_unschedulable;
        record.requests = ask.requests;
        record.spec = ask.spec;
        record.terminating = ask.terminating;
        record.never_preempts = ask.never_preempts;
        record.nominated_node = ask.nominated_node;
        record.started_ms = ask.started_ms;
        record.node_cpu = ask.node_cpu;
        record.node_memory = ask.node_memory;
        record.own_cpu = ask.own_cpu;
        record.own_memory = ask.own_memory;
        record.qos = ask.qos;
        record.grace_period_s = ask.grace_period_s;
        record.preempted = ask.preempted;
        record.devices = ask.devices;
        record.tags = ask.tags;
        record.daemonset = ask.daemonset;
        record.is_static = ask.is_static;
        record.never_victim = ask.never_victim;
        record.originator = ask.originator;
        record.placeholder = ask.placeholder;
        asks_.push_back(record);
    }
    return AsksMessage{asks_};
}

StateBody Borrowed::borrow(const OwnedReleases& owned) {
    for (const OwnedRelease& release : owned.releases) {
        releases_.push_back({release.key, release.application, Termination::stopped_by_rm, ""});
    }
    return ReleasesMessage{releases_};
}

StateBody Borrowed::borrow(const OwnedNacks& owned) {
    for (const std::string& key : owned.keys) {
        nacks_.push_back({key, "bind failed"});
    }
    return NacksMessage{nacks_};
}

StateBody Borrowed::borrow(const OwnedResyncBegin&) { return ResyncBeginMessage{}; }

StateBody Borrowed::borrow(const OwnedResyncEnd&) { return ResyncEndMessage{}; }

StateBody Borrowed::borrow(const OwnedConfiguration& owned) { return ConfigurationMessage{owned.text}; }

StateBody Borrowed::borrow(const OwnedSpecs& owned) { return SpecsMessage{owned.define, owned.forget}; }

StateBody Borrowed::borrow(const OwnedObjects& owned) { return ObjectsMessage{owned.objects}; }

StateBody Borrowed::borrow(const OwnedAnswers& owned) {
    reasons_.resize(owned.answers.size());
    for (std::size_t i = 0; i < owned.answers.size(); ++i) {
        const OwnedAnswer& answer = owned.answers[i];
        for (const auto& [node, text] : answer.reasons) {
            reasons_[i].push_back({node, text});
        }
        answers_.push_back({answer.query, answer.verdicts, reasons_[i], answer.failure, answer.lasting,
                            answer.first_victims, answer.victims});
    }
    return PluginAnswersMessage{answers_};
}

}  // namespace bayplan::oracle
