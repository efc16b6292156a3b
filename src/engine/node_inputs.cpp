// The part of Inputs about nodes.

#include <algorithm>
#include <vector>

#include "engine/inputs.h"
#include "predicates/predicate.h"

namespace bayplan {

namespace {

bool states_capacity(NodeAction action) {
    return action == NodeAction::create || action == NodeAction::create_drain || action == NodeAction::update;
}

bool creates(NodeAction action) { return action == NodeAction::create || action == NodeAction::create_drain; }

}  // namespace

std::string Inputs::create_fault(ShimId id, std::string_view name) const {
    const Slot slot = world_.nodes.find(name);
    if (slot != kNone<Slot>) {
        const NodeInfo& node = world_.nodes[slot];
        return node.owner == id && !node.mentioned ? "" : "node exists already";
    }
    if (world_.shims[id].node_count >= world_.options.nodes_max) {
        return "more than " + std::to_string(world_.options.nodes_max) + " nodes";
    }
    return {};
}

std::string Inputs::node_fault(ShimId id, const NodeRecord& record, std::string_view name) {
    if (states_capacity(record.action)) {
        if (std::string fault = read_amounts(world_.shims[id], record.capacity, true); !fault.empty()) {
            return fault;
        }
    }
    if (creates(record.action)) {
        return create_fault(id, name);
    }
    const Slot slot = world_.nodes.find(name);
    return slot == kNone<Slot> || world_.nodes[slot].owner != id ? "no such node" : "";
}

void Inputs::create_or_mention(ShimId id, const NodeRecord& record, std::string_view name) {
    const bool schedulable = record.action == NodeAction::create;
    const Slot known = world_.nodes.find(name);
    if (known != kNone<Slot>) {
        world_.nodes.set_capacity(known, amounts_);
        world_.nodes.set_schedulable(known, schedulable);
        world_.nodes[known].mentioned = true;
        lifecycle_.wake(kNodeUpdated | (schedulable ? kNodeUndrained : 0u));
        return;
    }
    NodeTable::Placement placement;
    for (const Attribute& attribute : record.attributes) {
        const std::string_view key = text_of(world_.shims[id], attribute.key);
        if (key == "zone") {
            placement.zone = text_of(world_.shims[id], attribute.value);
        } else if (key == "instance-type") {
            placement.instance_type = text_of(world_.shims[id], attribute.value);
        }
    }
    world_.nodes.add(name, id, amounts_, placement, schedulable);
    ++world_.shims[id].node_count;
    lifecycle_.wake(kNodeAdded);
}

void Inputs::state(ShimId id, const NodesMessage& message) {
    for (const NodeRecord& record : message.nodes) {
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
                lifecycle_.wake(kNodeUpdated);
                break;
            case NodeAction::drain: world_.nodes.set_schedulable(slot, false); break;
            case NodeAction::undrain:
                world_.nodes.set_schedulable(slot, true);
                lifecycle_.wake(kNodeUndrained);
                break;
            case NodeAction::decommission: decommission(slot); break;
        }
        lifecycle_.decide(id, DecisionKind::node_accepted, name, {});
    }
}

void Inputs::decommission(Slot slot) {
    const std::string name(world_.nodes.name(slot));
    const std::string why = "node " + name + " was decommissioned";
    std::vector<AskId> ending;
    AskList<&Ask::on_node>& allocations = world_.nodes[slot].allocations;
    for (AskId id = allocations.front(); id != kNone<AskId>; id = allocations.next(world_.asks, id)) {
        ending.push_back(id);
    }
    std::sort(ending.begin(), ending.end(),
              [&](AskId a, AskId b) { return world_.asks[a].sequence < world_.asks[b].sequence; });
    for (const AskId id : ending) {
        const Ask& ask = world_.asks[id];
        const ShimId shim = ask.shim;
        const bool foreign = ask.foreign;
        const std::string key = ask.key;
        lifecycle_.remove(id);
        if (!foreign) {
            lifecycle_.log_release(shim, key, name, why);
            lifecycle_.decide(shim, DecisionKind::released, key, why, Termination::stopped_by_rm, name);
        }
    }
    world_.holds.drop_all_of(slot);
    --world_.shims[world_.nodes[slot].owner].node_count;
    world_.nodes.remove(slot);
}

}  // namespace bayplan
