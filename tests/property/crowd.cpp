// What happens in a crowd: arrivals, attempts, victims that go or stay, and changes of what there is.
//
// Thread and errors: see crowd.h.
#include "crowd.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "crowd_queues.h"
#include "crowd_texts.h"

namespace bayplan::property {

namespace {

DictId id_of(const std::string& node) {
    return node.empty() ? 0 : kNode + static_cast<DictId>(std::stoul(node.substr(1)));
}

DictId id_of_application(const std::string& name) {
    constexpr std::string_view kOther = "application-";
    if (name.starts_with(kOther)) {
        return kOtherApplication + static_cast<DictId>(name[kOther.size()] - '0');
    }
    return name.empty() ? 0 : kApplication + 0U;
}

// Groups are "group0" and so on.
DictId id_of_kind(const std::string& kind) { return kind == "cpu" ? kCpu : kind == "memory" ? kMemory : kPods; }

}  // namespace

Event Crowd::next(const oracle::Oracle& oracle) {
    if (!plan_.empty()) {
        Event event = std::move(plan_.front());
        plan_.pop_front();
        return event;
    }
    if (options_.queues && random_.chance(2)) {
        return QueuesEvent{crowd_queues(random_)};
    }
    if (options_.queues && random_.chance(10)) {
        return TickEvent{oracle.now() + 2 * kMs};  // delays are short
    }
    const std::uint64_t dice = random_.below(100);
    if (dice < 36) {
        return RunEvent{random_.chance(65) ? 1 : random_.chance(50) ? 1 + random_.below(6) : 1000};
    }
    if (dice < 54) {
        return arrivals();
    }
    if (dice < 64) {
        return confirmations(oracle);
    }
    if (dice < 74) {
        return clock(oracle);
    }
    if (dice < 80) {
        return departures(oracle);
    }
    if (dice < 88) {
        return restatement(oracle);
    }
    if (dice < 92) {
        return node_change(oracle);
    }
    if (dice < 95) {
        return StateEvent{"s", 0, false, oracle::OwnedObjects{{budget()}}};
    }
    return dice < 97 ? hold(oracle) : AcknowledgeEvent{any_shim(), 1000, 0, false};
}

std::string Crowd::any_shim() { return random_.pick(shims_); }

DictId Crowd::any_node() { return kNode + static_cast<DictId>(random_.below(static_cast<std::uint64_t>(nodes_))); }

Event Crowd::arrivals() {
    const std::string shim = any_shim();
    oracle::OwnedAsks out;
    for (std::int64_t i = random_.between(1, random_.chance(10) ? 8 * scale_ : 2 * scale_); i > 0; --i) {
        out.asks.push_back(pod("ns/" + shim + std::to_string(keys_++)));
        oracle::OwnedAsk& ask = out.asks.back();
        if (ask.group == 0 && random_.chance(60)) {
            ask.priority = std::max(ask.priority, random_.pick(priorities_));
        }
        ask.never_preempts = random_.chance(5);
        if (random_.chance(daemon_percent_)) {
            ask.daemonset = true;
            ask.requests = requests();
        }
        if (random_.chance(ask.daemonset ? 95 : 5)) {
            ask.required_node = any_node();
        }
        if (random_.chance(5)) {
            ask.nominated_node = any_node();
        }
    }
    return StateEvent{shim, 0, false, out};
}

// To the next thing that is due, or a little on.
Event Crowd::clock(const oracle::Oracle& oracle) {
    const std::int64_t next = oracle.next_timer_ns();
    if (next != std::numeric_limits<std::int64_t>::max() && random_.chance(60)) {
        return TickEvent{next};
    }
    return TickEvent{oracle.now() + random_.between(0, random_.chance(20) ? 60'000 : 3000) * kMs};
}

const oracle::Ask* Crowd::any_ask(const oracle::Oracle& oracle, bool placed) {
    std::vector<const oracle::Ask*> found;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (placed == !ask.node.empty()) {
            found.push_back(&ask);
        }
    }
    return found.empty() ? nullptr : random_.pick(found);
}

// Pods that end by themselves, asks that are withdrawn, placements that a node refuses.
Event Crowd::departures(const oracle::Oracle& oracle) {
    const oracle::Ask* ask = any_ask(oracle, random_.chance(85));
    if (ask == nullptr) {
        return arrivals();
    }
    if (!ask->foreign && !ask->node.empty() && random_.chance(20)) {
        return StateEvent{ask->shim, 0, false, oracle::OwnedNacks{{ask->key}}};
    }
    return StateEvent{ask->shim, 0, false, oracle::OwnedReleases{{{ask->key, 0}}}};
}

// Victims that are gone at last.
Event Crowd::confirmations(const oracle::Oracle& oracle) {
    const std::string shim = any_shim();
    oracle::OwnedReleases out;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim == shim && ask.pod.terminating && random_.chance(55)) {
            out.releases.push_back({ask.key, 0});
        }
    }
    return StateEvent{shim, 0, false, out};
}

oracle::OwnedAsk Crowd::restated(const oracle::Ask& ask) {
    oracle::OwnedAsk out{.key = ask.key, .application = id_of_application(ask.application)};
    const bool waits = ask.state == oracle::AskState::on_permit && random_.chance(80);
    out.node = waits ? 0 : id_of(ask.node);
    out.required_node = id_of(ask.required_node);
    out.priority = ask.priority;
    out.foreign = ask.foreign;
    const bool resized = random_.chance(15);
    for (const auto& [kind, amount] : ask.requests) {
        out.requests.push_back({id_of_kind(kind), resized ? random_.between(amount / 2, 2 * amount) : amount});
    }
    out.spec = random_.pick(specs_);
    out.terminating = ask.pod.terminating;
    out.preempted = ask.pod.preempted;
    out.qos = ask.qos;
    out.grace_period_s = ask.grace_period_s;
    out.never_preempts = ask.pod.never_preempts;
    out.started_ms = ask.pod.started_ms;
    out.daemonset = ask.daemonset;
    out.is_static = ask.is_static != random_.chance(3);
    out.never_victim = ask.opted_out;
    out.originator = ask.originator;
    if (!ask.gang_group.empty() && random_.chance(95)) {
        out.group = kGroup + static_cast<DictId>(ask.gang_group.back() - '0');
        out.group_min_available = ask.group_minimum;
        out.group_topology_key = ask.topology.key.empty() ? DictId{0} : DictId{kZone};
        out.group_topology_preferred = ask.topology.preferred;
    }
    return out;
}

// A pod stated again: waiting ones with anything changed, placed ones with what may change.
Event Crowd::restatement(const oracle::Oracle& oracle) {
    const oracle::Ask* ask = any_ask(oracle, random_.chance(60));
    if (ask == nullptr) {
        return arrivals();
    }
    oracle::OwnedAsk out = restated(*ask);
    switch (random_.below(7)) {
        case 5: out.daemonset = !out.daemonset; break;
        case 6: out.required_node = random_.chance(50) ? 0 : any_node(); break;
        case 0: out.priority = random_.pick(priorities_); break;
        case 1:
        case 2: out.terminating = !out.terminating; break;
        case 3: out.grace_period_s = static_cast<std::int32_t>(random_.between(-1, 8)); break;
        case 4: out.requests = ask->node.empty() ? requests() : out.requests; break;
        default: break;
    }
    if (out.spec == kGated && random_.chance(70)) {
        out.spec = kLabelA;
    }
    return StateEvent{ask->shim, 0, false, oracle::OwnedAsks{{out}}};
}

Event Crowd::node_change(const oracle::Oracle& oracle) {
    const DictId name = kNode + static_cast<DictId>(random_.below(static_cast<std::uint64_t>(nodes_ + 2)));
    oracle::OwnedNode out = node(name);
    if (oracle.nodes().contains("n" + std::to_string(name - kNode))) {
        static const std::vector<NodeAction> actions = {NodeAction::update, NodeAction::drain, NodeAction::undrain,
                                                        NodeAction::undrain, NodeAction::decommission};
        out.action = random_.pick(actions);
    }
    return StateEvent{"s", 0, false, oracle::OwnedNodes{{out}}};
}

Event Crowd::hold(const oracle::Oracle& oracle) {
    const std::uint64_t owner = random_.below(2);
    if (oracle.holds().contains(owner)) {
        return DropEvent{owner};
    }
    return HoldEvent{owner,
                     "n" + std::to_string(random_.below(static_cast<std::uint64_t>(nodes_))),
                     random_.pick(priorities_),
                     {{"cpu", random_.between(0, 4)}}};
}

}  // namespace bayplan::property
