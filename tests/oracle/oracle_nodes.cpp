// The oracle's nodes and their slots. rules/world.md (slots), rules/nodes.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>

#include "oracle.h"

namespace bayplan::oracle {

namespace {
constexpr std::uint64_t kBlock = 64;

std::string node_lists_fault(const NodeItem& node) {
    const std::pair<std::size_t, std::size_t> lists[] = {{node.capacity.size(), 256},
                                                         {node.attributes.size(), 1024},
                                                         {node.taints.size(), 256},
                                                         {node.images.size(), 1024}};
    for (const auto& [size, most] : lists) {
        if (size > most) {
            return "a list of more than " + std::to_string(most) + " entries";
        }
    }
    return "";
}
}  // namespace

void Oracle::message(const std::string& name, const NodesMessage& nodes) {
    for (const NodeItem& record : nodes.nodes) {
        const auto& dictionary = shims_.at(name).dictionary;
        const auto text = dictionary.find(record.node);
        if (text == dictionary.end()) {
            decide(name, DecisionKind::node_rejected, number_sign(record.node), "unknown dictionary id");
            continue;
        }
        const std::string node = text->second;
        const std::string fault = node_record(name, node, record);
        decide(name, fault.empty() ? DecisionKind::node_accepted : DecisionKind::node_rejected, node, fault);
    }
}

std::string Oracle::node_record(const std::string& shim, const std::string& name, const NodeItem& record) {
    const bool creates = record.action == NodeAction::create || record.action == NodeAction::create_drain;
    KubeNode facts;
    facts.name = name;
    if (creates || record.action == NodeAction::update) {
        std::string fault = node_lists_fault(record);
        fault = fault.empty() ? check_amounts(shims_.at(shim), record.capacity, facts.allocatable) : fault;
        if (facts.allocatable.contains("pods")) {
            std::int64_t& pods = facts.allocatable.at("pods");
            pods = std::min<std::int64_t>(pods, 4096);
        }
        fault = fault.empty() ? check_devices(shims_.at(shim), record, facts) : fault;
        fault = fault.empty() ? check_facts(shims_.at(shim), record, facts) : fault;
        if (!fault.empty()) {
            return fault;
        }
    }
    return creates ? create_node(shim, name, record, facts) : change_node(shim, name, record, facts);
}

// Labels, taints and images. Values may be empty, keys may not.
std::string Oracle::check_facts(const Shim& shim, const NodeItem& record, KubeNode& into) {
    TextReader read(shim.dictionary);
    std::string twice;
    bool keyless = false;
    for (const Attribute& label : record.attributes) {
        const std::string key = read(label.key);
        if (!into.labels.emplace(key, read(label.value)).second && twice.empty()) {
            twice = "label " + key + " is given twice";
        }
        keyless = keyless || label.key == 0;
    }
    for (const Taint& taint : record.taints) {
        const std::string key = read(taint.key);
        into.taints.push_back({key, read(taint.value), taint.effect});
        keyless = keyless || taint.key == 0;
    }
    for (const Amount& image : record.images) {
        into.images.emplace(read(image.resource), std::clamp<std::int64_t>(image.value, 0, std::int64_t{1} << 44));
        keyless = keyless || image.resource == 0;
    }
    return keyless || read.unknown() ? "unknown dictionary id" : twice;
}

// What a node is now; whether it is schedulable is told apart.
void Oracle::take_facts(Node& node, const KubeNode& facts) {
    const bool unschedulable = node.facts.unschedulable;
    const KubeNode before = node.facts;
    node.facts.images.clear();
    forget_images_without_node();
    image_sizes_.insert(facts.images.begin(), facts.images.end());  // those that are known stay as they are
    node.facts = facts;
    node.facts.unschedulable = unschedulable;
    node.capacity = facts.allocatable;
    for (const auto& [kind, amount] : node.capacity) {
        kinds_.insert(kind);
    }
    declare_devices(node, before);
}

void Oracle::forget_images_without_node() {
    std::erase_if(image_sizes_, [&](const auto& image) {
        return std::none_of(nodes_.begin(), nodes_.end(),
                            [&](const auto& node) { return node.second.facts.images.contains(image.first); });
    });
}

void Oracle::set_schedulable(Node& node, bool schedulable) {
    node.schedulable = schedulable;
    node.facts.unschedulable = !schedulable;
}

std::string Oracle::create_node(const std::string& shim, const std::string& name, const NodeItem& record,
                                const KubeNode& facts) {
    const bool schedulable = record.action == NodeAction::create;
    const auto existing = nodes_.find(name);
    if (existing != nodes_.end()) {
        Node& node = existing->second;
        if (node.shim != shim || !node.unmentioned) {
            return "node exists already";
        }
        if (const std::string fault = node_bytes_fault(shim, facts); !fault.empty()) {
            return fault;
        }
        node.unmentioned = false;
        take_facts(node, facts);
        set_schedulable(node, schedulable);
        node_changes(name);
        wake(Event::node_changed);
        return "";
    }
    std::uint64_t of_shim = 0;
    for (const auto& [other_name, other] : nodes_) {
        of_shim += other.shim == shim;
    }
    if (of_shim >= options_.nodes_max) {
        return "more than " + std::to_string(options_.nodes_max) + " nodes";
    }
    if (const std::string fault = node_bytes_fault(shim, facts); !fault.empty()) {
        return fault;
    }
    Node node;
    node.name = name;
    node.creation = ++last_creation_;
    node.shim = shim;
    node.slot_group = slot_group(facts);
    node.slot = free_slot(node.slot_group);
    take_facts(node, facts);
    set_schedulable(node, schedulable);
    nodes_[name] = node;
    wake(Event::node_changed);
    for (const std::uint64_t sequence : kept_out_of(name)) {
        saw("its node came from a shim that does not let it in");
        decide(asks_.at(sequence).shim, DecisionKind::ask_rejected, asks_.at(sequence).key,
               "node " + name + " is of another shim");
        end_ask(sequence, true);
    }
    for (auto& [sequence, ask] : asks_) {
        if (ask.awaited_node == name) {
            saw(ask.shim == shim ? "its node came" : "its node came from another shim");
            place(ask, name, AskState::allocated, ask.stated_devices);
        }
    }
    return "";
}

std::string Oracle::change_node(const std::string& shim, const std::string& name, const NodeItem& record,
                                const KubeNode& facts) {
    const auto existing = nodes_.find(name);
    if (existing == nodes_.end() || existing->second.shim != shim) {
        return "no such node";
    }
    Node& node = existing->second;
    switch (record.action) {
        case NodeAction::update:
            if (const std::string fault = node_bytes_fault(shim, facts); !fault.empty()) {
                return fault;
            }
            take_facts(node, facts);
            node_changes(name);
            wake(Event::node_changed);
            return "";
        case NodeAction::drain:
            set_schedulable(node, false);
            node_changes(name);
            return "";
        case NodeAction::undrain:
            node_changes(name);
            set_schedulable(node, true);
            wake(Event::node_undrained);
            return "";
        case NodeAction::decommission: decommission(name); return "";
        default: throw std::logic_error("not an action on an existing node");
    }
}

// The ends of its allocations wake nobody; its going does.
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
        if (ask.state == AskState::queried) {
            end_query(asks_.at(sequence), false);
            continue;
        }
        if (ask.state == AskState::on_permit) {
            lose_hold(asks_.at(sequence), ask.key + " has lost node " + name);
            continue;
        }
        if (!ask.foreign) {
            decide(ask.shim, DecisionKind::released, ask.key, text, name, Termination::stopped_by_rm);
            log_line("release", ask, name, text);
        }
        end_ask(sequence, false);
    }
    for (auto& [sequence, ask] : asks_) {
        if (ask.avoids == name) {
            ask.avoids.clear();
        }
        if (ask.nominated_node == name) {
            saw("nominated node gone");
            end_nomination(ask, true);
            if (ask.state == AskState::unschedulable) {
                wake(ask);
            }
        }
    }
    for (const Ask* ask : reservations_on(name)) {
        saw("reserved node gone");
        clear_reservation(asks_.at(ask->sequence), "node " + name + " is gone");
    }
    std::erase_if(holds_, [&](const auto& hold) { return hold.second.node == name; });
    nodes_.erase(name);
    forget_images_without_node();
    wake(Event::node_gone);
}

// The group as one text: lengths keep two different tuples from reading alike.
std::string Oracle::slot_group(const KubeNode& facts) const {
    const auto first_of = [&](std::initializer_list<const char*> keys) {
        for (const char* key : keys) {
            const auto found = facts.labels.find(key);
            if (found != facts.labels.end()) {
                return found->second;
            }
        }
        return std::string();
    };
    const std::string zone =
        first_of({"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "zone"});
    const std::string type =
        first_of({"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "instance-type"});
    const auto with_length = [](const std::string& text) { return std::to_string(text.size()) + ":" + text; };
    std::string shape;
    for (const auto& [kind, amount] : facts.allocatable) {  // std::map: in byte order of the names
        if (amount > 0) {
            shape += with_length(kind) + std::to_string(std::bit_width(static_cast<std::uint64_t>(amount))) + ";";
        }
    }
    std::set<std::string> there;
    for (const auto& [name, node] : nodes_) {
        there.insert(node.slot_group);
    }
    const std::string group = with_length(zone) + with_length(type) + shape;
    const std::string of_shape = with_length("") + with_length("") + shape;
    const std::size_t most = 64 + nodes_.size() / 64;
    if (there.contains(group) || there.size() < most) {
        return group;
    }
    if (there.contains(of_shape) || there.size() < 2 * most) {
        return of_shape;
    }
    return with_length("") + with_length("");
}

std::uint64_t Oracle::free_slot(const std::string& group) const {
    std::vector<const std::string*> group_of_block;  // null: no node in it
    std::vector<bool> taken;
    for (const auto& [name, node] : nodes_) {
        const std::uint64_t block = node.slot / kBlock;
        if (block >= group_of_block.size()) {
            group_of_block.resize(block + 1);
            taken.resize((block + 1) * kBlock);
        }
        group_of_block[block] = &node.slot_group;
        taken[node.slot] = true;
    }
    for (std::uint64_t block = 0; block < group_of_block.size(); ++block) {
        if (group_of_block[block] == nullptr || *group_of_block[block] != group) {
            continue;
        }
        for (std::uint64_t slot = block * kBlock; slot < (block + 1) * kBlock; ++slot) {
            if (!taken[slot]) {
                return slot;
            }
        }
    }
    // The lowest without a node: an empty one, or the one to append.
    const auto empty = std::ranges::find(group_of_block, nullptr);
    return static_cast<std::uint64_t>(empty - group_of_block.begin()) * kBlock;
}

}  // namespace bayplan::oracle
