// The part of Inputs about nodes.

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cluster/device_texts.h"
#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "engine/statement_limits.h"
#include "predicates/predicate.h"

namespace bayplan {

namespace {

// More counts as so much, so that the sum over all images of a pod cannot wrap (a spec has fewer than 2^18).
constexpr std::int64_t kImageBytesMax = std::int64_t{1} << 44;

bool states_capacity(NodeAction action) {
    return action == NodeAction::create || action == NodeAction::create_drain || action == NodeAction::update;
}

bool creates(NodeAction action) { return action == NodeAction::create || action == NodeAction::create_drain; }

}  // namespace

std::string Inputs::create_fault(ShimId id, std::string_view name) const {
    const Slot slot = world_.nodes.find(name);
    if (slot != kNone<Slot>) {
        const NodeInfo& node = world_.nodes[slot];
        return node.owner == id && !world_.shims[id].nodes.is_mentioned(slot) ? "" : "node exists already";
    }
    if (world_.shims[id].nodes.size() >= world_.options.nodes_max) {
        return "more than " + std::to_string(world_.options.nodes_max) + " nodes";
    }
    return {};
}

std::string Inputs::node_fault(ShimId id, const NodeItem& record, std::string_view name) {
    if (states_capacity(record.action)) {
        if (std::string fault = list_fault(record); !fault.empty()) {
            return fault;
        }
        if (std::string fault = read_amounts(world_.shims[id], record.capacity, true); !fault.empty()) {
            return fault;
        }
        const ResourceId pods = world_.resources.find("pods");
        for (ResourceAmount& amount : amounts_) {
            amount.value =
                amount.resource == pods ? std::min<std::int64_t>(amount.value, kPodsPerNodeMax) : amount.value;
        }
        if (std::string fault = read_devices(world_.shims[id], record.devices); !fault.empty()) {
            return fault;
        }
        if (std::string fault = read_facts(world_.shims[id], record, name); !fault.empty()) {
            return fault;
        }
    }
    std::string fault;
    if (creates(record.action)) {
        fault = create_fault(id, name);
    } else {
        const Slot slot = world_.nodes.find(name);
        fault = slot == kNone<Slot> || world_.nodes[slot].owner != id ? "no such node" : "";
    }
    return fault.empty() && states_capacity(record.action) ? node_bytes_fault(id, name) : fault;
}

// After read_facts.
std::string Inputs::node_bytes_fault(ShimId id, std::string_view name) const {
    const Slot slot = world_.nodes.find(name);
    return bytes_fault(world_.shims[id], node_bytes(name, *facts_, amounts_, world_),
                       slot == kNone<Slot> ? 0 : world_.node_bytes[raw(slot)]);
}

// What its owner has for it is what it has now.
void Inputs::count_node(Slot slot) {
    world_.node_bytes.resize(std::max<std::size_t>(world_.node_bytes.size(), raw(slot) + 1));
    std::uint64_t& counted = world_.node_bytes[raw(slot)];
    std::uint64_t& own = world_.shims[world_.nodes[slot].owner].bytes;
    world_.bytes.give_back(own, counted);
    counted = node_bytes(world_.nodes.name(slot), *facts_, amounts_, world_);
    world_.bytes.add(own, counted);
    publish(slot);
}

void Inputs::publish(Slot slot) {
    if (Publication* const publication = lifecycle_.publication()) {
        publication->node_changed(slot);
    }
}

// After read_amounts: `amounts_` is the capacity.
std::string Inputs::read_devices(Shim& shim, std::span<const DictId> resources) {
    devices_.clear();
    if (resources.size() > kDeviceResourcesMax) {
        return "more than " + std::to_string(kDeviceResourcesMax) + " kinds of devices";
    }
    for (const DictId id : resources) {
        Dictionary::Entry* entry = shim.dictionary.find(id);
        if (entry == nullptr) {
            return "unknown dictionary id";
        }
        const std::string& name = entry->text;
        const ResourceId resource = world_.resources.find(name);
        const auto capacity = std::find_if(amounts_.begin(), amounts_.end(),
                                           [&](const ResourceAmount& amount) { return amount.resource == resource; });
        if (!can_be_devices(name)) {
            return name + " cannot be devices";
        }
        if (capacity == amounts_.end()) {
            return "no capacity of " + name;
        }
        if (capacity->value % kDevice != 0) {
            return "capacity of " + name + " is not whole devices";
        }
        if (capacity->value / kDevice > kDevicesMax) {
            return "more than " + std::to_string(kDevicesMax) + " devices of " + name;
        }
        if (std::any_of(devices_.begin(), devices_.end(),
                        [&](const auto& before) { return before.resource == resource; })) {
            return "devices " + name + " are given twice";
        }
        devices_.push_back({resource, static_cast<std::uint32_t>(capacity->value / kDevice)});
    }
    return {};
}

// After the capacity is set. Pods on the node get devices of resources that were none before.
void Inputs::declare_devices(Slot slot) {
    if (devices_.empty() && world_.devices.at(slot).empty()) {
        return;
    }
    std::vector<AskId> pods = pods_on(slot);
    const std::vector<ResourceId> fresh = world_.devices.declare(slot, devices_, pods);
    for (const AskId id : fresh.empty() ? std::vector<AskId>() : pods) {
        world_.asks[id].has_entries = true;
        world_.devices.give_more(id, *world_.classes[world_.asks[id].ask_class].spec, slot, fresh);
    }
    world_.holds.devices_changed(slot);
}

// In order of sequence numbers.
std::vector<AskId> Inputs::pods_on(Slot slot) const {
    const NodePods& there = world_.nodes[slot].allocations;
    std::vector<AskId> pods(there.begin(), there.end());
    std::sort(pods.begin(), pods.end(),
              [&](AskId a, AskId b) { return world_.asks[a].sequence < world_.asks[b].sequence; });
    return pods;
}

// After read_amounts, as devices are.
std::string Inputs::read_facts(Shim& shim, const NodeItem& record, std::string_view name) {
    facts_texts_.clear();
    facts_ = std::make_shared<NodeFacts>();
    facts_->name = facts_texts_.hold(name);
    bool nameless = false;  // only values may be empty
    for (const Attribute& attribute : record.attributes) {
        nameless = nameless || attribute.key == 0;
        const Text key = facts_texts_.hold(shim.dictionary, attribute.key);
        facts_->labels.push_back({key, facts_texts_.hold(shim.dictionary, attribute.value)});
    }
    for (const Taint& taint : record.taints) {
        nameless = nameless || taint.key == 0;
        facts_->taints.push_back({facts_texts_.hold(shim.dictionary, taint.key),
                                  facts_texts_.hold(shim.dictionary, taint.value), taint.effect});
    }
    for (const Amount& image : record.images) {
        nameless = nameless || image.resource == 0;
        facts_->images.push_back({facts_texts_.hold(shim.dictionary, image.resource),
                                  std::clamp<std::int64_t>(image.value, 0, kImageBytesMax)});
    }
    std::stable_sort(facts_->images.begin(), facts_->images.end(),
                     [](const NodeImage& a, const NodeImage& b) { return a.name < b.name; });
    const auto twice = std::unique(facts_->images.begin(), facts_->images.end(),
                                   [](const NodeImage& a, const NodeImage& b) { return a.name == b.name; });
    facts_->images.erase(twice, facts_->images.end());
    if (nameless || facts_texts_.unknown() != 0) {
        return "unknown dictionary id";
    }
    for (const ResourceAmount& amount : amounts_) {
        const std::string_view kind = world_.resources.text(amount.resource);
        if (amount.value > 0 && can_be_of_class(kind)) {
            facts_->kinds.push_back(facts_texts_.hold(kind));
        }
    }
    std::ranges::sort(facts_->kinds);
    return take_labels(facts_->labels);
}

namespace {

// The value of the first of these labels that the node has.
std::string_view first_of(const NodeFacts& facts, const TextTable& texts,
                          std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        const Text text = texts.find(key);
        const Label* label = text == kNone<Text> ? nullptr : find_label(facts.labels, text);
        if (label != nullptr) {
            return texts.text(label->value);
        }
    }
    return {};
}

}  // namespace

std::string others_node_text(std::string_view node) { return "node " + std::string(node) + " is of another shim"; }

// Pods of other shims that wait for a node of this one and may not be forced onto it.
void Inputs::reject_guests(ShimId id, std::string_view node) {
    for (const AskId pod : world_.awaited_nodes.waiting_for(node)) {
        const ShimId of = world_.asks[pod].shim;
        if (of != id && !world_.shims[of].rights.force) {
            lifecycle_.decide(of, DecisionKind::ask_rejected, std::string(world_.asks.key(pod)),
                              others_node_text(node));
            release(pod);
        }
    }
}

void Inputs::create_or_mention(ShimId id, const NodeItem& record, std::string_view name) {
    const bool schedulable = record.action == NodeAction::create;
    const Slot known = world_.nodes.find(name);
    if (known != kNone<Slot>) {
        world_.nodes.set_capacity(known, amounts_);
        declare_devices(known);
        world_.nodes.set_schedulable(known, schedulable);
        world_.shims[id].nodes.mention(known);
        world_.topology.set_facts(known, facts_);
        count_node(known);
        note_node_changed(known);
        lifecycle_.wake(kNodeUpdated | (schedulable ? kNodeUndrained : 0u));
        return;
    }
    const NodeTable::Placement placement{
        .zone = first_of(*facts_, world_.texts,
                         {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "zone"}),
        .instance_type =
            first_of(*facts_, world_.texts,
                     {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "instance-type"})};
    const Slot slot = world_.nodes.add(name, id, amounts_, placement, schedulable);
    declare_devices(slot);
    world_.topology.set_facts(slot, facts_);
    count_node(slot);
    note_node_changed(slot);
    world_.shims[id].nodes.add(slot);
    lifecycle_.wake(kNodeAdded);
    reject_guests(id, name);
    for (const AskId pod : world_.awaited_nodes.waiting_for(name)) {
        const std::string devices(world_.devices.expects(pod));
        lifecycle_.withdraw(pod);
        lifecycle_.place_by_force(pod, slot, devices);
    }
}

void Inputs::apply(ShimId id, const NodesMessage& message) {
    for (const NodeItem& record : message.nodes) {
        const std::string name(text_of(world_.shims[id], record.node));
        if (name.empty()) {
            lifecycle_.decide(id, DecisionKind::node_rejected, "#" + std::to_string(record.node),
                              "unknown dictionary id");
            continue;
        }
        if (const std::string fault = node_fault(id, record, name); !fault.empty()) {
            lifecycle_.decide(id, DecisionKind::node_rejected, name, fault);
            continue;
        }
        const Slot slot = world_.nodes.find(name);
        switch (record.action) {
            case NodeAction::create:
            case NodeAction::create_drain: create_or_mention(id, record, name); break;
            case NodeAction::update:
                world_.nodes.set_capacity(slot, amounts_);
                declare_devices(slot);
                world_.topology.set_facts(slot, facts_);
                count_node(slot);
                lifecycle_.wake(kNodeUpdated);
                break;
            case NodeAction::drain:
                world_.nodes.set_schedulable(slot, false);
                publish(slot);
                break;
            case NodeAction::undrain:
                world_.nodes.set_schedulable(slot, true);
                publish(slot);
                lifecycle_.wake(kNodeUndrained);
                break;
            case NodeAction::decommission: decommission(slot); break;
        }
        if (record.action != NodeAction::decommission && !creates(record.action)) {
            note_node_changed(slot);
        }
        lifecycle_.decide(id, DecisionKind::node_accepted, name, {});
    }
}

void Inputs::end_nominations(Slot slot) {
    std::vector<AskId> asks = world_.nominations.on(slot);
    std::sort(asks.begin(), asks.end(),
              [&](AskId a, AskId b) { return world_.asks[a].sequence < world_.asks[b].sequence; });
    for (const AskId id : asks) {
        lifecycle_.lose_nominated_node(id);
    }
    if (!asks.empty()) {
        lifecycle_.wake(kPodGone);
    }
}

void Inputs::note_node_changed(Slot slot) {
    world_.plugins.node_changed(slot);
    world_.reservations.changed(slot);
    world_.reservations.changed_elsewhere();
}

void Inputs::end_reservations(Slot slot) {
    const std::vector<AskId> there = world_.reservations.on(slot);
    for (const AskId id : there) {
        lifecycle_.clear_reservation(id, "node " + std::string(world_.nodes.name(slot)) + " is gone",
                                     Lifecycle::EndOfReservation::by_input);
    }
}

void Inputs::decommission(Slot slot) {
    const std::string why = "node " + std::string(world_.nodes.name(slot)) + " was decommissioned";
    for (const AskId id : pods_on(slot)) {
        if (world_.asks[id].state == AskState::queried) {
            lifecycle_.end_query(id, 0);
        } else if (world_.asks[id].state == AskState::on_permit) {
            const std::string lost = std::string(world_.asks.key(id)) + " has lost node ";
            lifecycle_.lose_hold(id, lost + std::string(world_.nodes.name(slot)), 0);
        } else {
            lifecycle_.remove(id, Termination::unknown, &why);
        }
    }
    world_.plugins.node_goes(slot);
    end_nominations(slot);
    end_reservations(slot);
    world_.excluded.node_gone(slot);
    world_.holds.drop_all_of(slot);
    world_.devices.declare(slot, {}, {});
    Shim& owner = world_.shims[world_.nodes[slot].owner];
    owner.nodes.remove(slot);
    world_.bytes.give_back(owner.bytes, std::exchange(world_.node_bytes[raw(slot)], 0));
    if (Publication* const publication = lifecycle_.publication()) {
        publication->node_goes(slot);
    }
    world_.topology.set_facts(slot, nullptr);
    world_.nodes.remove(slot);
    world_.reservations.changed_elsewhere();
    lifecycle_.wake(kNodeGone);
}

}  // namespace bayplan
