// Thread and errors: see small_cases.h.
#include "small_cases.h"

namespace bayplan::property {
namespace {

constexpr DictId kCpu = 1;
constexpr DictId kNode = 2;
constexpr DictId kApplication = 3;
constexpr DictId kZone = 4;
constexpr DictId kEast = 5;
constexpr DictId kWest = 6;
constexpr DictId kSpace = 7;
constexpr DictId kTeam = 8;
constexpr DictId kApp = 9;
constexpr DictId kClass = 10;
constexpr DictId kClaim = 11;
constexpr DictId kVolume = 12;
constexpr DictId kMissing = 13;
constexpr DictId kGate = 14;

// Specs of the kits have their numbers; these come after.
constexpr SpecNumber kOfAnotherZone = kKits;
constexpr SpecNumber kGated = kKits + 1;

std::string key(int ask) { return "p" + std::to_string(ask); }

oracle::OwnedAsk plain_ask(const SmallCase& one, int ask) {
    return {.key = key(ask),
            .application = kApplication,
            .priority = ask == one.low ? 5 : 10,
            .requests = {{kCpu, 1}},
            .spec = static_cast<SpecNumber>(one.kit)};
}

oracle::OwnedNodes node(NodeAction action, std::int64_t cpu, DictId zone = kEast) {
    return {{{kNode, action, {{kCpu, cpu}}, {{kZone, zone}}}}};
}

PodSpec labelled_spec() {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.labels = {{kApp, kApp}};
    return spec;
}

PodSpec repelling_spec() {
    PodSpec spec = labelled_spec();
    PodTerm term;
    term.selector = LabelSelector{{{kApp, LabelOperator::exists, {}}}};
    term.namespace_selector = LabelSelector{{{kTeam, LabelOperator::exists, {}}}};
    term.topology_key = kZone;
    spec.anti_affinity = {term};
    return spec;
}

PodSpec spec_with_claim(DictId claim) {
    PodSpec spec = labelled_spec();
    PodVolume volume;
    volume.kind = VolumeKind::claim;
    volume.name = claim;
    spec.volumes = {volume};
    return spec;
}

oracle::OwnedSpecs all_specs() {
    PodSpec port = labelled_spec();
    port.ports = {{80, Protocol::tcp, 0}};
    PodSpec another_zone = labelled_spec();
    another_zone.node_selector = {{kZone, kWest}};
    PodSpec gated = labelled_spec();
    gated.gates = {kGate};
    return {{{static_cast<SpecNumber>(Kit::port), port},
             {static_cast<SpecNumber>(Kit::repel), repelling_spec()},
             {static_cast<SpecNumber>(Kit::claim), spec_with_claim(kClaim)},
             {static_cast<SpecNumber>(Kit::missing), spec_with_claim(kMissing)},
             {kOfAnotherZone, another_zone},
             {kGated, gated}},
            {}};
}

Namespace space(bool with_team) {
    Namespace out;
    out.name = kSpace;
    if (with_team) {
        out.labels = {{kTeam, kTeam}};
    }
    return out;
}

VolumeClaim claim(DictId name, bool bound) {
    VolumeClaim out;
    out.name_space = kSpace;
    out.name = name;
    out.storage_class = kClass;
    out.has_storage_class = true;
    out.access_modes = static_cast<std::uint8_t>(AccessMode::read_write_once);
    out.bytes = 1;
    out.volume = bound ? kVolume : 0;
    out.bind_completed = bound;
    return out;
}

// For pods in the zone `east`; given to `owner`, if there is one.
Volume volume(DictId owner) {
    Volume out;
    out.name = kVolume;
    out.storage_class = kClass;
    out.access_modes = static_cast<std::uint8_t>(AccessMode::read_write_once);
    out.bytes = 1;
    out.available = owner == 0;
    out.claim_namespace = owner == 0 ? 0 : kSpace;
    out.claim = owner;
    out.claim_has_uid = owner != 0;
    out.nodes = std::vector<NodeTerm>{{{{kZone, LabelOperator::in, {kEast}}}, {}}};
    return out;
}

oracle::OwnedObjects all_objects() {
    StorageClass late;
    late.name = kClass;
    late.wait_for_first_consumer = true;
    return {{{space(true)}, {late}, {claim(kClaim, false)}, {volume(0)}}};
}

oracle::OwnedObjects object(ClusterObject changed, bool removed = false) { return {{{std::move(changed), removed}}}; }

// The target after the change.
oracle::OwnedAsk changed_ask(const SmallCase& one) {
    oracle::OwnedAsk ask = plain_ask(one, one.target);
    switch (one.change) {
        case Change::lower_priority: ask.priority = 1; break;
        case Change::raise_priority: ask.priority = 20; break;
        case Change::other_requests: ask.requests[0].value = 2; break;
        case Change::state_as_placed: ask.node = kNode; break;
        case Change::require_a_node: ask.required_node = kApplication; break;
        case Change::new_ask_above:
            ask.key = "new";
            ask.priority = 15;
            break;
        case Change::new_ask_below:
            ask.key = "new";
            ask.priority = 0;
            break;
        case Change::fill_node: return {.key = "f", .node = kNode, .foreign = true, .requests = {{kCpu, 2}}};
        case Change::spec_of_another_zone: ask.spec = kOfAnotherZone; break;
        case Change::spec_without_demands: ask.spec = 0; break;
        case Change::gates: ask.spec = kGated; break;
        default: break;
    }
    return ask;
}

oracle::OwnedBody changed_body(const SmallCase& one) {
    switch (one.change) {
        case Change::release: return oracle::OwnedReleases{{{key(one.target), 0}}};
        case Change::nack_first: return oracle::OwnedNacks{{key(one.target)}};
        case Change::drain_node: return node(NodeAction::drain, 0);
        case Change::more_capacity: return node(NodeAction::update, 9);
        case Change::forget_specs:
            return oracle::OwnedSpecs{{}, {static_cast<SpecNumber>(Kit::port), static_cast<SpecNumber>(Kit::repel)}};
        case Change::label_node: return node(NodeAction::update, 3, kWest);
        case Change::taint_node: {
            oracle::OwnedNodes tainted = node(NodeAction::update, 3);
            tainted.nodes[0].taints = {{kApp, 0, TaintEffect::no_schedule}};
            return tainted;
        }
        case Change::unlabel_namespace: return object(space(false));
        case Change::bind_claim: return object(claim(one.kit == Kit::missing ? kMissing : kClaim, true));
        case Change::remove_claim: return object(claim(kClaim, false), true);
        case Change::give_volume_away: return object(volume(kMissing));
        default: return oracle::OwnedAsks{{changed_ask(one)}};
    }
}

Event changed(const SmallCase& one) {
    switch (one.change) {
        case Change::acknowledge: return AcknowledgeEvent{"s", 1000, 0, false};
        case Change::disconnect: return DisconnectEvent{"s", false};
        case Change::hold: return HoldEvent{1, "n", 8, {{"cpu", 2}}};
        case Change::tick: return TickEvent{2'000'000'000};
        default: return StateEvent{"s", 0, false, changed_body(one)};
    }
}

History until_change(const SmallCase& one) {
    History history{0, one.options, {}};
    const auto send = [&](oracle::OwnedBody body) {
        history.events.push_back(StateEvent{"s", 0, false, std::move(body)});
    };
    history.events.push_back(ConnectEvent{"s", 1, true, Received::last, 0});
    send(oracle::OwnedDefine{{{kCpu, "cpu"},
                              {kNode, "n"},
                              {kApplication, "a"},
                              {kZone, "zone"},
                              {kEast, "east"},
                              {kWest, "west"},
                              {kSpace, "space"},
                              {kTeam, "team"},
                              {kApp, "app"},
                              {kClass, "late"},
                              {kClaim, "c"},
                              {kVolume, "v"},
                              {kMissing, "missing"},
                              {kGate, "gate"}}});
    send(oracle::OwnedResyncBegin{});
    send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
    if (one.kit != Kit::none || static_cast<int>(one.change) >= kPlainChanges) {
        send(all_specs());
        send(all_objects());
    }
    send(node(NodeAction::create, 3));
    send(oracle::OwnedResyncEnd{});
    oracle::OwnedAsks asks;
    for (int ask = 0; ask < one.asks; ++ask) {
        asks.asks.push_back(plain_ask(one, ask));
    }
    send(asks);
    history.events.push_back(RunEvent{static_cast<std::uint64_t>(one.first)});
    return history;
}

History with_rest(History history) {
    history.events.push_back(RunEvent{1});
    history.events.push_back(RunEvent{100});
    return history;
}

}  // namespace

History history_of(const SmallCase& one) {
    History history = until_change(one);
    history.events.push_back(changed(one));
    return with_rest(std::move(history));
}

History history_without_change(const SmallCase& one) { return with_rest(until_change(one)); }

}  // namespace bayplan::property
