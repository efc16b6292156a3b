// The oracle's asks: their records, and how they come and change: rules/asks.md. How they take nodes, and go, is
// oracle_allocations.cpp.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "kube_match.h"
#include "oracle.h"
#include "oracle_placeholders.h"

namespace bayplan::oracle {

namespace {

// `wanted` still lists the kinds of which nothing is asked: they count as asked for, with 0.
KubePod pod_of(const AskItem& record, const Ask& wanted) {
    const auto scored = [&](std::int64_t given, const char* kind, std::int64_t otherwise) {
        const auto listed = wanted.requests.find(kind);
        return given != -1 ? given : listed != wanted.requests.end() ? listed->second : otherwise;
    };
    KubePod pod;
    pod.name = wanted.key;
    pod.key = wanted.key;
    pod.required_node = wanted.required_node;
    pod.priority = wanted.priority;
    pod.tolerates_unschedulable = wanted.tolerates_unschedulable;
    pod.never_preempts = record.never_preempts;
    pod.started_ms = record.started_ms;
    pod.qos_rank = std::max(1, static_cast<int>(record.qos));
    pod.node_cpu = scored(record.node_cpu, "cpu", 100);
    pod.node_memory = scored(record.node_memory, "memory", std::int64_t{200} << 20);
    pod.own_cpu = record.own_cpu == -1 ? pod.node_cpu : record.own_cpu;
    pod.own_memory = record.own_memory == -1 ? pod.node_memory : record.own_memory;
    return pod;
}

bool same_scored_amounts(const KubePod& a, const KubePod& b) {
    return a.node_cpu == b.node_cpu && a.node_memory == b.node_memory && a.own_cpu == b.own_cpu &&
           a.own_memory == b.own_memory;
}

}  // namespace

void Oracle::message(const std::string& name, const AsksMessage& asks) {
    for (const AskItem& record : asks.asks) {
        const std::string fault = ask_record(name, record);
        if (!fault.empty()) {
            decide(name, DecisionKind::ask_rejected, std::string(record.key), fault);
        }
        settle_applications();
    }
}

// Turns the record into an ask with all ids as texts, or tells the first fault.
std::string Oracle::ask_faults(const Shim& shim, const AskItem& record, Ask& wanted) const {
    const auto text = [&](DictId id) {
        const auto found = shim.dictionary.find(id);
        return found == shim.dictionary.end() ? std::string() : found->second;
    };
    if (record.key.empty()) {
        return "empty key";
    }
    if (record.key.size() > 512) {
        return "key is longer than 512 bytes";
    }
    wanted.application = text(record.application);
    const bool of_none = record.foreign && record.application == 0;
    if (!of_none && !shim.applications.contains(wanted.application)) {
        return "unknown application " + number_sign(record.application);
    }
    for (const DictId named :
         {record.node, record.required_node, record.group, record.nominated_node, record.group_topology_key}) {
        if (named != 0 && text(named).empty()) {
            return "unknown dictionary id";
        }
    }
    wanted.node = text(record.node);
    wanted.required_node = text(record.required_node);
    wanted.group = text(record.group);
    wanted.nominated_node = text(record.nominated_node);
    if (record.spec != 0 && !shim.specs.contains(record.spec)) {
        return "unknown spec " + std::to_string(record.spec);
    }
    if (const std::string fault = plugins_fault(shim, record); !fault.empty()) {
        return fault;
    }
    const std::string fault = check_amounts(shim, record.requests, wanted.requests);
    if (!fault.empty()) {
        return fault;
    }
    for (const std::int64_t scored : {record.node_cpu, record.node_memory, record.own_cpu, record.own_memory}) {
        if (scored < -1 || scored > kAmountMax) {
            return "scored amount is out of range";
        }
    }
    wanted.stated_devices = std::string(record.devices);
    if (!read_devices(wanted.stated_devices)) {
        return "devices cannot be read";
    }
    if (options_.allocation_tags && record.tags.size() > 256) {
        return "a list of more than 256 entries";
    }
    for (const Attribute& tag : options_.allocation_tags ? record.tags : std::span<const Attribute>()) {
        if (text(tag.key).empty() || (tag.value != 0 && text(tag.value).empty())) {
            return "unknown dictionary id";
        }
        wanted.tags.emplace_back(text(tag.key), text(tag.value));
    }
    wanted.key = std::string(record.key);
    wanted.priority = record.priority;
    wanted.foreign = record.foreign;
    wanted.tolerates_unschedulable = record.tolerates_unschedulable;
    wanted.qos = record.qos;
    wanted.grace_period_s = record.grace_period_s;
    wanted.stated_terminating = record.terminating;
    wanted.stated_preempted = record.preempted;
    wanted.daemonset = record.daemonset;
    wanted.is_static = record.is_static;
    wanted.opted_out = record.never_victim;
    wanted.originator = record.originator;
    wanted.created_s = record.created_s;
    wanted.placeholder = record.placeholder;
    if (options_.coscheduling.mode != Coscheduling::off && !record.foreign && !wanted.application.empty()) {
        const bool grouped = !wanted.group.empty();
        wanted.group_fault = record.group_fault;
        wanted.group_minimum = grouped || record.group_fault != GroupFault::none ? record.group_min_available : 0;
        if (record.group_fault != GroupFault::none) {
            wanted.group.clear();  // it is in none
        } else if (wanted.group_minimum != 0) {
            wanted.topology.key = text(record.group_topology_key);
            wanted.topology.preferred = !wanted.topology.key.empty() && record.group_topology_preferred;
        }
    }
    wanted.pod = pod_of(record, wanted);
    if (record.spec != 0) {
        wanted.pod.spec = shim.specs.at(record.spec);
    }
    std::erase_if(wanted.requests, [](const auto& request) { return request.second == 0; });
    wanted.pod.requests = wanted.requests;
    return "";
}

std::string Oracle::ask_record(const std::string& name, const AskItem& record) {
    Ask wanted;
    const std::string fault = ask_faults(shims_.at(name), record, wanted);
    if (!fault.empty()) {
        return fault;
    }
    if (const std::int32_t most = rights_of(name).priority_max; record.node == 0 && record.priority > most) {
        saw("an ask of a priority that its shim may not have");
        return "priority " + std::to_string(record.priority) + " is above " + std::to_string(most);
    }
    if (const std::string why = PlaceholderRules::fault_of(options_, record); !why.empty()) {
        saw("a placeholder that cannot be one");
        return why;
    }
    wanted.shim = name;
    const Ask* existing = find_ask(name, wanted.key);
    if (existing == nullptr) {
        return add_ask(name, wanted);
    }
    Ask& ask = asks_.at(existing->sequence);
    const Amounts before = occupied(ask);
    const std::string refused = change_ask(ask, wanted);
    add(before, -1, total_);
    add(occupied(ask), 1, total_);
    return refused;
}

namespace {

// By its flag or by one of its spec's tolerations: which of them says so makes no difference.
bool tolerates_drained(const Ask& ask) {
    return ask.tolerates_unschedulable ||
           any_tolerates(ask.pod.spec->tolerations, {"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule});
}

}  // namespace

std::string Oracle::change_ask(Ask& ask, const Ask& wanted) {
    if (ask.application != wanted.application) {
        return "key is in use by application " + (ask.application.empty() ? "-" : ask.application);
    }
    if (ask.placeholder != wanted.placeholder) {
        return ask.placeholder ? "is a placeholder" : "is no placeholder";
    }
    if (has_it_for_good(ask)) {
        if (!wanted.node.empty() && wanted.node != ask.node) {
            return "is placed on " + ask.node;
        }
        if (wanted.requests != ask.requests && !may_be_resized(ask, wanted)) {
            return "is placed already";
        }
    }
    if (const std::string fault = force_fault(&ask, wanted); !fault.empty()) {
        return fault;
    }
    if (const std::string fault = total_fault(&ask, wanted); !fault.empty()) {
        return fault;
    }
    if (ask.state == AskState::queried || ask.state == AskState::asking) {
        end_query(ask, true);
    }
    if (ask.state == AskState::on_permit && !keeps_its_hold(ask, wanted)) {
        lose_hold(ask, wanted.node.empty() ? ask.key + " was stated otherwise" : "");
        wake(Event::allocation_ended);
    }
    if (!ask.node.empty()) {
        restate_placed(ask, wanted);
        return "";
    }
    forget_plugins(ask);
    const bool changed = ask.requests != wanted.requests || ask.required_node != wanted.required_node ||
                         tolerates_drained(ask) != tolerates_drained(wanted) || *ask.pod.spec != *wanted.pod.spec ||
                         !same_scored_amounts(ask.pod, wanted.pod) || ask.priority != wanted.priority ||
                         ask.pod.never_preempts != wanted.pod.never_preempts || ask.daemonset != wanted.daemonset;
    for (const std::string& node : {ask.nominated_node, ask.reserved_node}) {  // stays, with the new amounts
        if (!node.empty()) {
            add(ask.requests, -1, nodes_.at(node).held);
            add(wanted.requests, 1, nodes_.at(node).held);
        }
    }
    const std::int32_t priority_before = ask.priority;
    ask.priority = wanted.priority;
    ask.requests = wanted.requests;
    ask.required_node = wanted.required_node;
    ask.tolerates_unschedulable = wanted.tolerates_unschedulable;
    ask.qos = wanted.qos;
    ask.grace_period_s = wanted.grace_period_s;
    ask.tags = wanted.tags;
    ask.stated_terminating = wanted.stated_terminating;
    ask.stated_preempted = wanted.stated_preempted;
    ask.stated_devices = wanted.stated_devices;
    take_victim_facts(ask, wanted);
    const bool had_gates = ask.state == AskState::gated && !ask.pod.spec->gates.empty();
    const bool was_in_gang = ask.coscheduled();
    const bool waited = ask.state == AskState::gated && PlaceholderRules::waits(ask);
    const std::string gang_before = ask.gang;
    const std::uint64_t sequence = ask.sequence;
    ask.pod = wanted.pod;
    ask.pod.sequence = sequence;
    ask.pod.spared = is_spared(ask);
    ask.pod.group_number = ask.group_number;
    for (const auto& [kind, amount] : ask.requests) {
        kinds_.insert(kind);
    }
    if (wanted.node.empty() && (!ask.nominated_node.empty() || !ask.reserved_node.empty())) {
        wake(Event::allocation_ended, &ask);  // less may be held now
    }
    regroup(ask, wanted, ask.time);
    if (wanted.node.empty() && ask.coscheduled()) {
        end_reservation(ask, false);
    }
    if (waited && (!wanted.node.empty() || !ask.pod.spec->gates.empty() || ask.coscheduled())) {
        saw("does not wait for a placeholder any more");
        PlaceholderRules(*this).forget(ask);
    }
    if (!wanted.node.empty()) {
        run_where_stated(ask, wanted.node);
    } else if (!ask.awaited_node.empty()) {
        saw("goes on waiting for its node");
    } else if (!ask.pod.spec->gates.empty()) {
        if (!had_gates) {
            ask.state = AskState::pending;
        }
        become_gated(ask);
    } else if (ask.coscheduled()) {
        ask.state = AskState::gated;
        ask.nacked = false;
        ask.failed_by.clear();
    } else if (waited || (had_gates && PlaceholderRules(*this).holds_up(ask))) {
        saw("stated again while it waits for a placeholder");
    } else if (was_in_gang && !had_gates) {
        saw("leaves its gang");
        ask.state = ask.backoff_until > now_ ? AskState::backoff : AskState::pending;
        ask.nacked = false;
        ask.failed_by.clear();
    } else if (ask.state == AskState::gated) {
        ask.state = AskState::pending;
        if (had_gates && ask.group.empty() && options_.coscheduling.mode != Coscheduling::off) {
            ask.time = now_;
        }
    } else if (ask.state == AskState::reserved) {
        restate_reserved(ask);
    } else if (changed && ask.state == AskState::unschedulable) {
        wake(ask);
    }
    const bool other_group = was_in_gang != ask.coscheduled() || gang_before != ask.gang;
    if (!ask.nominated_node.empty() && (other_group || (ask.coscheduled() && ask.priority != priority_before))) {
        saw("a nominated member is another one now");
        clear_nomination(ask, other_group ? "it is of another pod group now" : "it has another priority");
    }
    touch(ask);
    return "";
}

// R-PREEMPT-7.
bool Oracle::is_spared(const Ask& ask) const {
    return ask.foreign && (ask.is_static || !options_.preemption.daemonset.foreign_victims);
}

// R-ASK-11.
bool Oracle::may_be_resized(const Ask& ask, const Ask& wanted) const {
    bool may = options_.resize_in_place;
    for (const auto& [kind, count] : nodes_.at(ask.node).facts.devices) {
        const auto before = ask.requests.find(kind), after = wanted.requests.find(kind);
        may = may && (before == ask.requests.end() ? 0 : before->second) ==
                         (after == wanted.requests.end() ? 0 : after->second);
    }
    return may;
}

// R-ASK-43, R-ASK-44. Returns whether it has less of anything now.
bool Oracle::resize(Ask& ask, const Ask& wanted) {
    bool shrinks = false;
    for (const auto& [kind, amount] : ask.requests) {
        const auto after = wanted.requests.find(kind);
        shrinks = shrinks || after == wanted.requests.end() || after->second < amount;
    }
    if (ask.requests != wanted.requests) {
        saw(shrinks ? "a placed pod has less" : "a placed pod has more");
    }
    Node& node = nodes_.at(ask.node);
    Amounts& sum = ask.foreign ? node.foreign : node.used;
    add(ask.requests, -1, sum);
    add(wanted.requests, 1, sum);
    ask.requests = ask.pod.requests = wanted.requests;
    for (const auto& [kind, amount] : ask.requests) {
        kinds_.insert(kind);
    }
    return shrinks;
}

void Oracle::restate_placed(Ask& ask, const Ask& wanted) {
    const bool shrinks = resize(ask, wanted);
    const bool other_priority = ask.priority != wanted.priority;
    const bool other_spec = *ask.pod.spec != *wanted.pod.spec;
    const bool other_uses =
        ask.pod.spec->ports != wanted.pod.spec->ports || ask.pod.spec->volumes != wanted.pod.spec->volumes;
    const bool was_terminating = ask.pod.terminating;
    const bool was_preempted = ask.pod.preempted;
    ask.priority = wanted.priority;
    ask.qos = wanted.qos;
    ask.grace_period_s = wanted.grace_period_s;
    ask.tags = wanted.tags;
    ask.stated_terminating = wanted.stated_terminating;
    ask.stated_preempted = wanted.stated_preempted;
    take_victim_facts(ask, wanted);
    ask.pod.spared = is_spared(ask);
    ask.pod.priority = wanted.priority;
    ask.pod.started_ms = wanted.pod.started_ms;
    ask.pod.qos_rank = wanted.pod.qos_rank;
    ask.pod.spec = wanted.pod.spec;
    ask.pod.node_cpu = wanted.pod.node_cpu;
    ask.pod.node_memory = wanted.pod.node_memory;
    ask.pod.own_cpu = wanted.pod.own_cpu;
    ask.pod.own_memory = wanted.pod.own_memory;
    count_end_anew(ask);
    node_changes(ask.node);
    regroup(ask, wanted, now_);
    touch(ask);
    wake(other_spec || was_terminating != ask.pod.terminating ? Event::pod_changed : Event::placed_pod_stated);
    if (other_priority || other_uses || shrinks) {
        wake(Event::allocation_ended);
    }
    if ((was_terminating && !ask.pod.terminating) || (was_preempted && !ask.pod.preempted)) {
        wake_behind(ask);
    }
}

void Oracle::become_gated(Ask& ask) {
    if (ask.state == AskState::gated) {
        return;
    }
    end_reservation(ask, true);
    ask.state = AskState::gated;
    ask.nacked = false;
    ask.failed_by.clear();
    decide(ask.shim, DecisionKind::ask_waiting, ask.key, judge({}, ask.pod).explanation.message);
}

std::string Oracle::add_ask(const std::string& name, Ask wanted) {
    Shim& shim = shims_.at(name);
    if (shim.asks.size() >= options_.asks_max) {
        return "more than " + std::to_string(options_.asks_max) + " asks";
    }
    if (wanted.node.empty() && wanted.foreign) {
        return "foreign pod without a node";
    }
    if (!wanted.foreign && PlaceholderRules::has_failed(queues_, name, wanted.application)) {
        saw("an ask of an application that has failed");
        return "application " + wanted.application + " has failed";
    }
    if (const std::string fault = force_fault(nullptr, wanted); !fault.empty()) {
        return fault;
    }
    if (const std::string fault = total_fault(nullptr, wanted); !fault.empty()) {
        return fault;
    }
    add(occupied(wanted), 1, total_);
    wanted.sequence = ++last_sequence_;
    rank(wanted);
    const bool in_gang = wanted.group_fault != GroupFault::none || wanted.group_minimum != 0;
    const std::string node = wanted.node;
    wanted.node.clear();
    const std::string nominated_node = wanted.nominated_node;
    wanted.nominated_node.clear();
    wanted.pod.sequence = wanted.sequence;
    wanted.pod.group_number = wanted.group_number;
    wanted.pod.spared = is_spared(wanted);
    for (const auto& [kind, amount] : wanted.requests) {
        kinds_.insert(kind);
    }
    shim.asks[wanted.key] = wanted.sequence;
    Ask& ask = asks_[wanted.sequence] = wanted;
    if (in_gang) {
        join_group(ask, ask.time);
    }
    if (!node.empty()) {
        run_where_stated(ask, node);
        touch(ask);
        return "";
    }
    if (!ask.pod.spec->gates.empty()) {
        become_gated(ask);
    } else if (ask.coscheduled() || PlaceholderRules(*this).holds_up(ask)) {
        ask.state = AskState::gated;
    }
    touch(ask);
    if (ask.coscheduled()) {
        return "";
    }
    if (nodes_.contains(nominated_node) && nominated_to(nominated_node).size() >= 64) {
        saw("stated nomination to a node with 64");
    } else if (nodes_.contains(nominated_node)) {
        saw("nominated as stated");
        nominate(ask, nominated_node);
        for (const auto& [sequence, other] : asks_) {
            if (other.node == nominated_node && other.pod.terminating && other.priority < ask.priority) {
                ask.victims.insert(sequence);
            }
        }
    }
    return "";
}

}  // namespace bayplan::oracle
