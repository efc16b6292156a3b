// See awkward_clusters.h.
#include "awkward_clusters.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bayplan::property {

namespace {

const char* const kShim = "s";
constexpr int kSpecs = 16;
const std::vector<std::string> kOwnTexts = {"cpu",         "memory",    "pods",      "example.com/dev",
                                            "application", "zone-east", "zone-west", "zone-moved"};

const char* word_of(VolumeKind kind) {
    switch (kind) {
        case VolumeKind::claim: return "placed: a claim's volume";
        case VolumeKind::ephemeral: return "placed: an ephemeral volume";
        case VolumeKind::csi: return "placed: a volume of CSI";
        case VolumeKind::aws_disk: return "placed: an AWS disk";
        case VolumeKind::gce_disk: return "placed: a GCE disk";
        case VolumeKind::iscsi: return "placed: an iSCSI volume";
        case VolumeKind::rbd: return "placed: an RBD volume";
        default: return "placed: another volume";
    }
}

}  // namespace

AwkwardCluster::AwkwardCluster(std::uint64_t seed) : random_(seed) {
    zones_ = static_cast<Zones>(random_.below(3));
    for (std::int64_t number = random_.between(3, 9); number > 0; --number) {
        nodes_.push_back("n" + std::to_string(number));
    }
    for (const std::vector<std::string>* texts : {&kube_texts(), &claim_texts(), &kOwnTexts, &std::as_const(nodes_)}) {
        for (const std::string& text : *texts) {
            ids_.emplace(text, static_cast<DictId>(ids_.size() + 1));
        }
    }
    for (int number = 0; number < kSpecs; ++number) {
        specs_.push_back(spec());
    }
    state_cluster();
    length_ = plan_.size() + static_cast<std::uint64_t>(random_.between(30, 90));
}

DictId AwkwardCluster::id(const std::string& text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? 0 : found->second;
}

PodSpec AwkwardCluster::spec() {
    PodSpec made = random_spec(random_, ids(), nodes_);
    if (made.volumes.empty() && random_.chance(40)) {  // the kinds that are seldom drawn
        PodVolume volume;
        volume.kind = static_cast<VolumeKind>(random_.between(1, 9));
        volume.name = id(volume.kind == VolumeKind::claim ? "claim-1" : "disk-1");
        volume.read_only = random_.chance(50);
        made.volumes.push_back(volume);
    }
    return made;
}

// --- the beginning

void AwkwardCluster::state_cluster() {
    plan_.push_back(ConnectEvent{kShim, 1, true, Received::last, 0});
    const auto state = [&](oracle::OwnedBody body) { plan_.push_back(StateEvent{kShim, 0, false, std::move(body)}); };
    oracle::OwnedDefine define;
    for (const auto& [text, number] : ids_) {
        define.entries.emplace_back(number, text);
    }
    state(define);
    state(oracle::OwnedResyncBegin{});
    state(oracle::OwnedApplications{{{id("application"), 0, 0}}, {}});
    oracle::OwnedSpecs specs;
    for (SpecNumber number = 0; number < specs_.size(); ++number) {
        specs.define.push_back({number + 1, specs_[number]});
    }
    state(specs);
    oracle::OwnedNodes nodes;
    for (const std::string& name : nodes_) {
        nodes.nodes.push_back(node(name));
    }
    state(nodes);
    state(oracle::OwnedObjects{first_objects(random_, ids(), nodes_)});
    oracle::OwnedAsks placed;
    for (std::size_t count = 2 * nodes_.size(); count > 0; --count) {
        placed.asks.push_back(pod());
        placed.asks.back().node = id(random_.pick(nodes_));
        placed.asks.back().terminating = random_.chance(8);
    }
    state(placed);
    state(oracle::OwnedResyncEnd{});
}

void AwkwardCluster::label_zone(const std::string& name, oracle::OwnedNode& out) {
    const DictId key = id("topology.kubernetes.io/zone");
    std::erase_if(out.attributes, [&](const Attribute& one) { return one.key == key; });
    const bool moved = zones_ == Zones::one_relabelled && random_.chance(15);
    const std::string zone = zones_ == Zones::one_each ? name
                             : moved                   ? "zone-moved"
                                     : random_.pick(std::vector<std::string>{"zone-east", "zone-west"});
    out.attributes.push_back({key, id(zone)});
}

oracle::OwnedNode AwkwardCluster::node(const std::string& name) {
    oracle::OwnedNode out{id(name), NodeAction::create, {{id("cpu"), random_.between(4, 12)}}};
    out.capacity.push_back({id("memory"), random_.between(4, 12)});
    out.capacity.push_back({id("pods"), random_.between(3, 9)});
    if (random_.chance(40)) {
        out.capacity.push_back({id("example.com/dev"), 1000 * random_.between(1, 3)});
        out.devices.push_back(id("example.com/dev"));
    }
    furnish(out, name, random_, ids());
    if (random_.chance(85)) {
        label_zone(name, out);
    }
    return out;
}

// --- pods

oracle::OwnedAsk AwkwardCluster::pod() {
    oracle::OwnedAsk out{.key = "ns-a/pod-" + std::to_string(keys_++), .application = id("application")};
    out.priority = static_cast<std::int32_t>(random_.between(0, 3) * 10);
    out.requests = {{id("cpu"), random_.between(1, 4)}, {id("pods"), 1}};
    if (random_.chance(50)) {
        out.requests.push_back({id("memory"), random_.between(1, 4)});
    }
    if (random_.chance(15)) {
        out.requests.push_back({id("example.com/dev"), random_.chance(50) ? 500 : 1000});
    }
    out.spec = static_cast<SpecNumber>(random_.below(kSpecs + 1));
    out.started_ms = random_.between(0, 4);
    out.grace_period_s = static_cast<std::int32_t>(random_.between(-1, 8));
    out.never_victim = random_.chance(5);
    spec_of_[out.key] = out.spec;
    return out;
}

oracle::OwnedAsk AwkwardCluster::restated(const oracle::Ask& ask) {
    oracle::OwnedAsk out{.key = ask.key, .application = id(ask.application)};
    out.node = id(ask.node);
    out.priority = ask.priority;
    for (const auto& [kind, amount] : ask.requests) {
        out.requests.push_back({id(kind), amount});
    }
    out.spec = spec_of_[ask.key];
    out.terminating = ask.pod.terminating;
    out.preempted = ask.pod.preempted;
    out.started_ms = ask.pod.started_ms;
    return out;
}

const oracle::Ask* AwkwardCluster::any_ask(const oracle::Oracle& oracle, bool placed) {
    std::vector<const oracle::Ask*> found;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (placed == !ask.node.empty()) {
            found.push_back(&ask);
        }
    }
    return found.empty() ? nullptr : random_.pick(found);
}

// --- what happens then

Event AwkwardCluster::next(const oracle::Oracle& oracle) {
    if (!plan_.empty()) {
        Event event = std::move(plan_.front());
        plan_.pop_front();
        return event;
    }
    const std::uint64_t dice = random_.below(100);
    if (dice < 38) return RunEvent{random_.chance(60) ? 1 : random_.chance(50) ? 1 + random_.below(6) : 1000};
    if (dice < 56) return arrivals();
    if (dice < 64) return confirmations(oracle);
    if (dice < 72) return clock(oracle);
    if (dice < 78) return departure(oracle);
    if (dice < 84) return restatement(oracle);
    if (dice < 90) return node_change(oracle);
    if (dice < 97) {
        return StateEvent{kShim, 0, false, oracle::OwnedObjects{{random_object(random_, ids(), nodes_)}}};
    }
    return AcknowledgeEvent{kShim, 1000, 0, false};
}

Event AwkwardCluster::arrivals() {
    oracle::OwnedAsks out;
    for (std::int64_t count = random_.between(1, random_.chance(10) ? 8 : 2); count > 0; --count) {
        out.asks.push_back(pod());
        oracle::OwnedAsk& ask = out.asks.back();
        ask.priority += random_.chance(50) ? 20 : 0;
        ask.never_preempts = random_.chance(5);
        ask.required_node = random_.chance(4) ? id(random_.pick(nodes_)) : 0;
        ask.nominated_node = random_.chance(8) ? id(random_.pick(nodes_)) : 0;
    }
    return StateEvent{kShim, 0, false, out};
}

Event AwkwardCluster::clock(const oracle::Oracle& oracle) {
    const std::int64_t next = oracle.next_timer_ns();
    if (next != std::numeric_limits<std::int64_t>::max() && random_.chance(60)) {
        return TickEvent{next};
    }
    return TickEvent{oracle.now() + random_.between(0, 3000) * kMs};
}

Event AwkwardCluster::departure(const oracle::Oracle& oracle) {
    const oracle::Ask* const ask = any_ask(oracle, random_.chance(85));
    if (ask == nullptr) {
        return arrivals();
    }
    if (!ask->node.empty() && random_.chance(20)) {
        return StateEvent{kShim, 0, false, oracle::OwnedNacks{{ask->key}}};
    }
    return StateEvent{kShim, 0, false, oracle::OwnedReleases{{{ask->key, 0}}}};
}

Event AwkwardCluster::confirmations(const oracle::Oracle& oracle) {
    oracle::OwnedReleases out;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.pod.terminating && random_.chance(55)) {
            out.releases.push_back({ask.key, 0});
        }
    }
    return StateEvent{kShim, 0, false, out};
}

// A pod that terminates, another spec or priority of an ask that waits: a gate that goes, say.
Event AwkwardCluster::restatement(const oracle::Oracle& oracle) {
    const oracle::Ask* const ask = any_ask(oracle, random_.chance(50));
    if (ask == nullptr) {
        return arrivals();
    }
    oracle::OwnedAsk out = restated(*ask);
    if (!ask->node.empty()) {
        out.terminating = random_.chance(70);
    } else if (random_.chance(60)) {
        out.spec = spec_of_[out.key] = static_cast<SpecNumber>(random_.below(kSpecs + 1));
    } else {
        out.priority += 10;
    }
    return StateEvent{kShim, 0, false, oracle::OwnedAsks{{out}}};
}

// Other labels, taints, images, amounts; or it goes, and comes again.
Event AwkwardCluster::node_change(const oracle::Oracle& oracle) {
    const std::string& name = random_.pick(nodes_);
    oracle::OwnedNode out = node(name);
    if (oracle.nodes().contains(name)) {
        out.action =
            random_.pick(std::vector<NodeAction>{NodeAction::update, NodeAction::update, NodeAction::update,
                                                 NodeAction::drain, NodeAction::undrain, NodeAction::decommission});
    }
    return StateEvent{kShim, 0, false, oracle::OwnedNodes{{out}}};
}

void AwkwardCluster::note_placed(const oracle::Oracle& oracle, std::map<std::string, std::uint64_t>& met) const {
    for (const auto& [sequence, ask] : oracle.asks()) {
        const auto known = spec_of_.find(ask.key);
        if (ask.node.empty() || known == spec_of_.end() || known->second == 0) {
            continue;
        }
        const PodSpec& spec = specs_[known->second - 1];
        for (const PodVolume& volume : spec.volumes) {
            ++met[word_of(volume.kind)];
        }
        met["placed: claims on devices"] += spec.resource_claims.claims.size();
        met["placed: soft or hard spread"] += spec.spread.size();
        met["placed: affinity"] += spec.affinity.size() + spec.anti_affinity.size();
    }
}

}  // namespace bayplan::property
