// The items of one message: mostly what the state allows, a few percent spoilt in every way there
// is.
//
// Thread and errors: see generator.h.
#include <algorithm>

#include "generator.h"

namespace bayplan::property {

namespace {
constexpr std::int64_t kAmountMax = std::int64_t{1} << 53;
}  // namespace

DictId Generator::id_of(const oracle::Oracle& oracle, const ShimModel& model, const std::string& text) const {
    for (const auto& [id, known] : oracle.shims().at(model.name).dictionary) {
        if (known == text) {
            return id;
        }
    }
    const auto usual = model.ids.find(text);
    return usual == model.ids.end() ? kUndefined : usual->second;
}

std::vector<Amount> Generator::amounts(const oracle::Oracle& oracle, const ShimModel& model, const Shape& shape,
                                       std::int64_t permille_low, std::int64_t permille_high) {
    std::vector<Amount> out;
    for (const auto& [kind, amount] : shape.amounts) {
        const std::int64_t permille = random_.between(permille_low, permille_high);
        const bool exact = permille_low == permille_high && permille_low == 1000;
        out.push_back({id_of(oracle, model, kind), exact ? amount : amount / 1000 * permille + amount % 1000});
    }
    if (random_.chance(spoil_percent_)) {
        spoil(out);
    }
    return out;
}

std::vector<Amount> Generator::amounts_of(const oracle::Oracle& oracle, const ShimModel& model,
                                          const oracle::Amounts& amounts) const {
    std::vector<Amount> out;
    for (const auto& [kind, amount] : amounts) {
        out.push_back({id_of(oracle, model, kind), amount});
    }
    return out;
}

void Generator::spoil(std::vector<Amount>& amounts) {
    if (amounts.empty()) {
        amounts.push_back({kUndefined, 1});
        return;
    }
    Amount& one = amounts[random_.below(amounts.size())];
    switch (random_.below(5)) {
        case 0: one.resource = kUndefined; break;
        case 1: one.value = -1 - one.value; break;
        case 2: one.value = kAmountMax + 1; break;
        case 3: amounts.push_back(one); break;
        default: one.value = kAmountMax; break;  // allowed
    }
}

oracle::OwnedNode Generator::create_node(const oracle::Oracle& oracle, ShimModel& model, const std::string& name) {
    oracle::OwnedNode node;
    node.node = id_of(oracle, model, name);
    node.action = random_.chance(5) ? NodeAction::create_drain : NodeAction::create;
    const bool jitter = random_.chance(large_ ? 10 : 40);
    node.capacity = amounts(oracle, model, random_.pick(node_shapes_), jitter ? 800 : 1000, jitter ? 1200 : 1000);
    const DictId gpu = id_of(oracle, model, "example.com/gpu");
    const bool has_gpu =
        std::any_of(node.capacity.begin(), node.capacity.end(), [&](const Amount& one) { return one.resource == gpu; });
    if (!has_gpu && random_.chance(15)) {
        node.capacity.push_back({gpu, 0});  // as good as none, for its slot group too
    }
    if (random_.chance(50)) {
        const std::string zone = random_.chance(60) ? "zone-east" : "zone-west";
        node.attributes.push_back({id_of(oracle, model, "zone"), id_of(oracle, model, zone)});
    }
    if (spread_out_) {
        node.attributes.push_back({id_of(oracle, model, "instance-type"), node.node});
    } else if (random_.chance(30)) {
        const std::string type = random_.chance(60) ? "type-small" : "type-large";
        node.attributes.push_back({id_of(oracle, model, "instance-type"), id_of(oracle, model, type)});
    }
    if (devices_) {
        declare_devices(oracle, model, node);
    }
    if (!plain_) {
        furnish(node, name, random_, ids(oracle, model));
        odd_.change(node, ids(oracle, model));
    }
    if (random_.chance(spoil_percent_)) {
        switch (plain_ ? 0 : random_.below(4)) {
            case 0: node.node = kUndefined; break;
            case 1: node.attributes.push_back({kUndefined, 0}); break;
            case 2: node.taints.push_back({0, 0, TaintEffect::no_schedule}); break;
            default:
                node.attributes.push_back({id_of(oracle, model, "zone"), 0});
                node.attributes.push_back({id_of(oracle, model, "zone"), 0});
                break;
        }
    }
    return node;
}

oracle::OwnedNodes Generator::node_changes(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedNodes out;
    for (std::int64_t i = random_.between(1, 4); i > 0; --i) {
        const std::string name = random_.chance(96) ? random_.pick(model.nodes) : any_node(oracle);
        const auto existing = oracle.nodes().find(name);
        oracle::OwnedNode record = create_node(oracle, model, name);
        const std::uint64_t dice = random_.below(100);
        if (existing == oracle.nodes().end() ? dice < 92 : dice < 4) {
            out.nodes.push_back(record);
            continue;
        }
        if (crowded_ && random_.chance(60)) {
            record.action = NodeAction::undrain;
        } else if (dice < 40) {
            record.action = NodeAction::update;
            if (random_.chance(30)) {  // below what is in use, as often as not
                record.capacity = amounts(oracle, model, random_.pick(node_shapes_), 0, 600);
                record.devices.clear();
                if (devices_) {
                    declare_devices(oracle, model, record);
                }
            }
        } else if (dice < 60) {
            record.action = NodeAction::drain;
        } else if (dice < 84) {
            record.action = NodeAction::undrain;
        } else {
            record.action = NodeAction::decommission;
        }
        out.nodes.push_back(record);
    }
    return out;
}

oracle::OwnedAsk Generator::new_ask(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedAsk ask;
    const bool again = model.keys > 0 && random_.chance(4);
    const std::uint64_t number = again ? random_.below(model.keys) : model.keys++;
    ask.key = (number % 2 == 0 ? "ns-a/pod-" : "pod-") + std::to_string(number);
    ask.application = id_of(oracle, model, any_application(oracle, model));
    ask.priority = random_.pick(priorities_);
    ask.created_s = options_.queues && random_.chance(40) ? random_.between(0, 5) : 0;
    const bool known_class = random_.chance(80);
    ask.requests = amounts(oracle, model, random_.pick(ask_shapes_), known_class ? 1000 : 0, known_class ? 1000 : 2500);
    if (random_.chance(20)) {
        const std::size_t which = random_.below(model.groups.size());
        ask.group = id_of(oracle, model, model.groups[which]);
        if (random_.chance(70)) {
            ask.group_min_available = random_.chance(90) ? static_cast<std::uint32_t>(2 + which % 3) : 1;
            ask.priority = random_.chance(90) ? priorities_[which % priorities_.size()] : ask.priority;
            choose_topology(oracle, model, topology_random_.chance(95) ? which : topology_random_.below(8), ask);
        }
    }
    if (random_.chance(1)) {
        ask.group_fault = random_.chance(50) ? GroupFault::no_name : GroupFault::no_minimum;
        ask.group_fault = topology_random_.chance(33) ? GroupFault::no_topology_mode : ask.group_fault;
    }
    ask.created_s = random_.chance(50) ? random_.between(0, 3) : 0;
    if (random_.chance(7)) {
        ask.required_node = id_of(oracle, model, any_node(oracle));
    }
    ask.tolerates_unschedulable = random_.chance(8);
    if (random_.chance(5)) {
        ask.node = id_of(oracle, model, stated_node(oracle, model));
    } else if (random_.chance(5)) {
        ask.node = random_.chance(90) ? id_of(oracle, model, stated_node(oracle, model)) : 0;
        ask.foreign = true;
        ask.application = random_.chance(70) ? 0 : ask.application;
    }
    if (devices_ && (ask.node != 0 ? random_.chance(50) : random_.chance(5))) {
        ask.devices = any_devices();
    }
    ask.tags = tags(oracle, model);
    ask_for_nodes(oracle, model, ask);
    ask_for_preemption(oracle, model, ask);
    join_task_group(oracle, model, ask);
    odd_.change(ask);
    if (odd_.nominates()) {
        ask.nominated_node = id_of(oracle, model, any_node(oracle));
    }
    return ask;
}

// What only preemption looks at, and how far the pod is on its way out.
void Generator::ask_for_preemption(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedAsk& ask) {
    ask.qos = static_cast<QosClass>(random_.below(4));
    ask.started_ms = random_.chance(60) ? random_.between(1, 6) : 0;
    ask.grace_period_s = static_cast<std::int32_t>(random_.between(-1, 40));
    ask.never_preempts = random_.chance(5);
    ask.terminating = random_.chance(8);
    ask.preempted = random_.chance(ask.terminating ? 40 : 2);
    if (random_.chance(6)) {
        ask.nominated_node = id_of(oracle, model, any_node(oracle));
    }
    ask_for_its_node(oracle, model, ask);
}

// Facts that the simple preemptor looks at, and pods that it acts for.
void Generator::ask_for_its_node(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedAsk& ask) {
    ask.daemonset = random_.chance(crowded_ ? 15 : 6);
    ask.is_static = random_.chance(3);
    ask.never_victim = random_.chance(12);
    ask.originator = random_.chance(12);
    if (ask.daemonset && ask.node == 0 && random_.chance(85)) {
        ask.required_node = id_of(oracle, model, any_node(oracle));
    }
}

// Mostly the same for all members of a group.
void Generator::choose_topology(const oracle::Oracle& oracle, const ShimModel& model, std::size_t which,
                                oracle::OwnedAsk& ask) {
    const std::size_t kind = which + topologies_from_;
    if (topologies_ && kind % 2 == 1) {
        ask.group_topology_key = id_of(oracle, model, kind % 8 == 7 ? "instance-type" : "zone");
        ask.group_topology_preferred = kind % 4 == 3;
    }
}

oracle::OwnedAsk Generator::restated(const oracle::Oracle& oracle, const ShimModel& model,
                                     const oracle::Ask& ask) const {
    oracle::OwnedAsk out;
    out.key = ask.key;
    out.application = ask.application.empty() ? 0 : id_of(oracle, model, ask.application);
    const std::string group = ask.gang.empty() ? ask.group : ask.gang.substr(ask.gang.rfind('/') + 1);
    out.group = group.empty() ? 0 : id_of(oracle, model, group);
    out.group_min_available = ask.group_minimum;
    out.group_topology_key = ask.topology.key.empty() ? 0 : id_of(oracle, model, ask.topology.key);
    out.group_topology_preferred = ask.topology.preferred;
    out.group_fault = ask.group_fault;
    out.created_s = ask.created_s;
    const std::string& node = ask.node.empty() ? ask.awaited_node : ask.node;
    out.node = node.empty() ? 0 : id_of(oracle, model, node);
    out.required_node = ask.required_node.empty() ? 0 : id_of(oracle, model, ask.required_node);
    out.priority = ask.priority;
    out.created_s = ask.created_s;
    out.foreign = ask.foreign;
    out.tolerates_unschedulable = ask.tolerates_unschedulable;
    out.requests = amounts_of(oracle, model, ask.requests);
    out.devices = oracle::devices_text(ask.pod.devices);
    for (const auto& [key, value] : ask.tags) {
        out.tags.push_back({id_of(oracle, model, key), value.empty() ? 0 : id_of(oracle, model, value)});
    }
    const auto spec = model.spec_of.find(ask.key);
    out.spec = spec == model.spec_of.end() ? 0 : spec->second;
    out.terminating = ask.pod.terminating || ask.stated_terminating;
    out.preempted = ask.pod.preempted || ask.stated_preempted;
    out.qos = ask.qos;
    out.grace_period_s = ask.grace_period_s;
    out.never_preempts = ask.pod.never_preempts;
    out.nominated_node = ask.nominated_node.empty() ? 0 : id_of(oracle, model, ask.nominated_node);
    out.started_ms = ask.pod.started_ms;
    out.node_cpu = ask.pod.node_cpu;
    out.node_memory = ask.pod.node_memory;
    out.own_cpu = ask.pod.own_cpu;
    out.own_memory = ask.pod.own_memory;
    out.daemonset = ask.daemonset;
    out.is_static = ask.is_static;
    out.never_victim = ask.opted_out;
    out.originator = ask.originator;
    out.placeholder = ask.placeholder;
    return out;
}

oracle::OwnedAsk Generator::changed_ask(const oracle::Oracle& oracle, ShimModel& model, const oracle::Ask& ask) {
    oracle::OwnedAsk out = restated(oracle, model, ask);
    if (random_.chance(60)) {
        out.priority = random_.pick(priorities_);
    }
    out.is_static = out.is_static != random_.chance(5);
    if (out.group != 0 && random_.chance(15)) {
        out.group_min_available = static_cast<std::uint32_t>(random_.between(0, 4));
        choose_topology(oracle, model, topology_random_.below(8), out);
    } else if (random_.chance(5)) {
        out.group = id_of(oracle, model, random_.pick(model.groups));
        out.group_min_available = static_cast<std::uint32_t>(random_.between(1, 3));
    }
    if (random_.chance(ask.node.empty() ? 30 : 10)) {  // in place: more often, and nodes are mostly full
        out.requests = amounts(oracle, model, random_.pick(ask_shapes_), 1000, 1000);
    }
    if (random_.chance(15)) {
        out.required_node = random_.chance(50) ? 0 : id_of(oracle, model, any_node(oracle));
    }
    if (random_.chance(10)) {
        out.tolerates_unschedulable = !out.tolerates_unschedulable;
    }
    if (random_.chance(15)) {
        out.node = random_.chance(40) ? 0 : id_of(oracle, model, stated_node(oracle, model));
        if (devices_ && random_.chance(50)) {
            out.devices = any_devices();
        }
    }
    if (!plain_ && random_.chance(35)) {
        ask_for_nodes(oracle, model, out);
    }
    if (random_.chance(35)) {
        ask_for_preemption(oracle, model, out);
    }
    if (random_.chance(20)) {
        out.tags = tags(oracle, model);
    }
    if (random_.chance(5)) {
        out.application = id_of(oracle, model, random_.pick(model.applications));
    }
    if (random_.chance(3)) {
        out.foreign = !out.foreign;
    }
    out.placeholder = out.placeholder != (placeholders_ && placeholder_random_.chance(3));
    return out;
}

void Generator::spoil(oracle::OwnedAsk& ask) {
    switch (random_.below(7)) {
        case 0: ask.key = random_.chance(50) ? std::string() : std::string(512 + random_.below(2), 'k'); break;
        case 1: ask.application = random_.chance(50) ? 0 : kUndefined; break;
        case 2: ask.node = kUndefined; break;
        case 3: ask.required_node = kUndefined; break;
        case 4: ask.group = kUndefined; break;
        case 5: ask.tags.push_back({kUndefined, 0}); break;
        default: spoil(ask.requests); break;
    }
}

oracle::OwnedAsks Generator::asks(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedAsks out;
    for (std::int64_t i = random_.between(1, random_.chance(15) ? 80 : 10); i > 0; --i) {
        const oracle::Ask* existing = random_.chance(15) ? any_ask(oracle, model, random_.chance(30)) : nullptr;
        out.asks.push_back(existing == nullptr ? new_ask(oracle, model) : changed_ask(oracle, model, *existing));
        if (random_.chance(spoil_percent_)) {
            spoil(out.asks.back());
        }
    }
    return out;
}

oracle::OwnedReleases Generator::releases(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedReleases out;
    for (std::int64_t i = random_.between(1, 6); i > 0; --i) {
        const oracle::Ask* ask = any_ask(oracle, model, random_.chance(75));
        oracle::OwnedRelease release{ask == nullptr ? "nobody" : ask->key, 0};
        if (ask != nullptr && !ask->application.empty() && random_.chance(60)) {
            release.application = id_of(oracle, model, ask->application);
        }
        if (random_.chance(3)) {
            release = {"", id_of(oracle, model, random_.pick(model.applications))};
        } else if (random_.chance(spoil_percent_)) {
            switch (random_.below(4)) {
                case 0: release.key = "nobody"; break;
                case 1: release.application = kUndefined; break;
                case 2: release = {"", 0}; break;
                default: release.application = id_of(oracle, model, random_.pick(model.applications)); break;
            }
        }
        out.releases.push_back(release);
    }
    return out;
}

// Victims that were chosen of this shim's pods, told to be gone.
oracle::OwnedReleases Generator::confirmations(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedReleases out;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim == model.name && ask.chosen && random_.chance(70)) {
            out.releases.push_back({ask.key, 0});
        }
    }
    return out;
}

oracle::OwnedNacks Generator::nacks(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedNacks out;
    for (std::int64_t i = random_.between(1, 3); i > 0; --i) {
        const oracle::Ask* ask = any_ask(oracle, model, !random_.chance(5));
        out.keys.push_back(ask == nullptr || random_.chance(spoil_percent_) ? "nobody" : ask->key);
    }
    return out;
}

oracle::OwnedDefine Generator::define(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedDefine out = define_missing(oracle, model);
    const auto& known = oracle.shims().at(model.name).dictionary;
    if (!known.empty()) {
        out.entries.emplace_back(known.begin()->first, random_.chance(50) ? known.begin()->second : "another");
    }
    switch (random_.below(4)) {
        case 0: out.entries.emplace_back(0, "nought"); break;
        case 1:
            out.entries.emplace_back(kUndefined + 1,
                                     random_.chance(50) ? std::string() : std::string(512 + random_.below(2), 't'));
            break;
        case 2: out.entries.emplace_back(30'000 + random_.below(5), "cpu"); break;  // one text, two ids
        default: break;
    }
    return out;
}

oracle::OwnedForget Generator::forget(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedForget out;
    const auto& known = oracle.shims().at(model.name).dictionary;
    for (std::int64_t i = random_.between(1, 4); i > 0 && !known.empty(); --i) {
        auto entry = known.begin();
        std::advance(entry, static_cast<std::ptrdiff_t>(random_.below(known.size())));
        out.ids.push_back(entry->first);
    }
    if (random_.chance(15)) {
        out.ids.push_back(kUndefined);
    }
    return out;
}

std::string Generator::any_node(const oracle::Oracle& oracle) {
    if (oracle.nodes().empty() || random_.chance(4)) {
        return "nowhere";
    }
    auto node = oracle.nodes().begin();
    std::advance(node, static_cast<std::ptrdiff_t>(random_.below(oracle.nodes().size())));
    return node->first;
}

// Of a pod that runs: sometimes its node is one that this shim or another has not created (yet).
std::string Generator::stated_node(const oracle::Oracle& oracle, const ShimModel& model) {
    if (random_.chance(70)) {
        return any_node(oracle);
    }
    return random_.pick(random_.chance(50) ? model.nodes : random_.pick(shims_).nodes);
}

const oracle::Ask* Generator::any_ask(const oracle::Oracle& oracle, const ShimModel& model, bool placed) {
    std::vector<const oracle::Ask*> fitting;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim == model.name && placed == !ask.node.empty()) {
            fitting.push_back(&ask);
        }
    }
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

}  // namespace bayplan::property
