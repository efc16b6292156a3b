// The oracle's nodes and their slots. RULES.md, sections 1 (slots) and 2 (nodes).
//
// Thread and errors: see oracle.h.
#include <bit>
#include <stdexcept>

#include "oracle.h"

namespace bayplan::oracle {

namespace {
constexpr std::uint64_t kBlock = 64;
}  // namespace

void Oracle::message(const std::string& name, const NodesMessage& nodes) {
    for (const NodeRecord& record : nodes.nodes) {
        const auto& dictionary = shims_.at(name).dictionary;
        const auto text = dictionary.find(record.node);
        if (text == dictionary.end()) {
            decide(name, DecisionKind::node_rejected, number_sign(record.node),
                   "unknown dictionary id");
            continue;
        }
        const std::string node = text->second;
        const std::string fault = node_record(name, node, record);
        decide(name, fault.empty() ? DecisionKind::node_accepted : DecisionKind::node_rejected,
               node, fault);
    }
}

std::string Oracle::node_record(const std::string& shim, const std::string& name,
                                const NodeRecord& record) {
    const bool creates =
        record.action == NodeAction::create || record.action == NodeAction::create_drain;
    Amounts capacity;
    if (creates || record.action == NodeAction::update) {
        const std::string fault = check_amounts(shims_.at(shim), record.capacity, capacity);
        if (!fault.empty()) {
            return fault;
        }
    }
    return creates ? create_node(shim, name, record, capacity)
                   : change_node(shim, name, record, capacity);
}

std::string Oracle::create_node(const std::string& shim, const std::string& name,
                                const NodeRecord& record, const Amounts& capacity) {
    const bool schedulable = record.action == NodeAction::create;
    const auto existing = nodes_.find(name);
    if (existing != nodes_.end()) {
        Node& node = existing->second;
        if (node.shim != shim || !node.unmentioned) {
            return "node exists already";
        }
        node.unmentioned = false;
        node.capacity = capacity;
        node.schedulable = schedulable;
        for (const auto& [kind, amount] : capacity) {
            kinds_.insert(kind);
        }
        wake(schedulable ? Event::node_stated_again : Event::node_updated);
        return "";
    }
    std::uint64_t of_shim = 0;
    for (const auto& [other_name, other] : nodes_) {
        of_shim += other.shim == shim;
    }
    if (of_shim >= options_.nodes_max) {
        return "more than " + std::to_string(options_.nodes_max) + " nodes";
    }
    Node node;
    node.name = name;
    node.shim = shim;
    node.slot_group = slot_group(shims_.at(shim), record, capacity);
    node.slot = free_slot(node.slot_group);
    node.schedulable = schedulable;
    node.capacity = capacity;
    nodes_[name] = node;
    for (const auto& [kind, amount] : capacity) {
        kinds_.insert(kind);
    }
    wake(Event::node_created);
    return "";
}

std::string Oracle::change_node(const std::string& shim, const std::string& name,
                                const NodeRecord& record, const Amounts& capacity) {
    const auto existing = nodes_.find(name);
    if (existing == nodes_.end() || existing->second.shim != shim) {
        return "no such node";
    }
    Node& node = existing->second;
    switch (record.action) {
    case NodeAction::update:
        node.capacity = capacity;
        for (const auto& [kind, amount] : capacity) {
            kinds_.insert(kind);
        }
        wake(Event::node_updated);
        return "";
    case NodeAction::drain: node.schedulable = false; return "";
    case NodeAction::undrain:
        node.schedulable = true;
        wake(Event::node_undrained);
        return "";
    case NodeAction::decommission: decommission(name); return "";
    default: throw std::logic_error("not an action on an existing node");
    }
}

// Its going wakes nobody: the node is gone, and the end of a resync wakes everybody.
void Oracle::decommission(const std::string& name) {
    std::vector<std::uint64_t> on_it;  // in order of sequence number, as asks_ is
    for (const auto& [sequence, ask] : asks_) {
        if (ask.node == name) {
            on_it.push_back(sequence);
        }
    }
    const std::string text = "node " + name + " was decommissioned";
    for (const std::uint64_t sequence : on_it) {
        const Ask& ask = asks_.at(sequence);
        if (!ask.foreign) {
            decide(ask.shim, DecisionKind::released, ask.key, text, name,
                   Termination::stopped_by_rm);
            log_line("release", ask, name, text);
        }
        end_ask(sequence, false);
    }
    std::erase_if(holds_, [&](const auto& hold) { return hold.second.node == name; });
    nodes_.erase(name);
}

// The group as one text: lengths keep two different tuples from reading alike.
std::string Oracle::slot_group(const Shim& shim, const NodeRecord& record,
                               const Amounts& capacity) const {
    std::string zone;
    std::string type;
    for (const Attribute& attribute : record.attributes) {
        const auto key = shim.dictionary.find(attribute.key);
        const auto value = shim.dictionary.find(attribute.value);
        if (key == shim.dictionary.end() || value == shim.dictionary.end()) {
            continue;
        }
        if (key->second == "zone") {
            zone = value->second;
        } else if (key->second == "instance-type") {
            type = value->second;
        }
    }
    const auto with_length = [](const std::string& text) {
        return std::to_string(text.size()) + ":" + text;
    };
    std::string group = with_length(zone) + with_length(type);
    for (const auto& [kind, amount] : capacity) {  // std::map: in byte order of the names
        if (amount > 0) {
            group += with_length(kind) +
                     std::to_string(std::bit_width(static_cast<std::uint64_t>(amount))) + ";";
        }
    }
    return group;
}

std::uint64_t Oracle::free_slot(const std::string& group) const {
    std::map<std::uint64_t, std::string> group_of_block;
    std::set<std::uint64_t> taken;
    for (const auto& [name, node] : nodes_) {
        group_of_block[node.slot / kBlock] = node.slot_group;
        taken.insert(node.slot);
    }
    for (const auto& [block, block_group] : group_of_block) {
        for (std::uint64_t slot = block * kBlock;
             block_group == group && slot < (block + 1) * kBlock; ++slot) {
            if (!taken.contains(slot)) {
                return slot;
            }
        }
    }
    std::uint64_t block = 0;  // the lowest without a node: an empty one, or the one to append
    while (group_of_block.contains(block)) {
        ++block;
    }
    return block * kBlock;
}

}  // namespace bayplan::oracle
