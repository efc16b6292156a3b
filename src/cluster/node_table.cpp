// Nodes that come, change and go; see node_table.h.
#include "cluster/node_table.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace bayplan {

Slot NodeTable::find(std::string_view name) const {
    return find(names_.find(name));  // which may be known because an ask requires it, without a node
}

// The node's group, and the groups that it may have instead: of its shape alone, and of nothing.
std::array<std::string, 3> NodeTable::group_keys(const std::vector<ResourceAmount>& capacity,
                                                 const Placement& placement) const {
    std::map<std::string_view, int> widths;
    for (const ResourceAmount& amount : capacity) {
        if (amount.value > 0) {
            widths[resources_.text(amount.resource)] = std::bit_width(static_cast<std::uint64_t>(amount.value));
        }
    }
    // LF cannot occur in a name: the codec refuses control characters.
    std::string shape;
    for (const auto& [resource, width] : widths) {
        shape += '\n' + std::string(resource) + '\n' + std::to_string(width);
    }
    return {std::string(placement.zone) + '\n' + std::string(placement.instance_type) + shape, '\n' + shape, "\n"};
}

void NodeTable::take_resources(const std::vector<ResourceAmount>& amounts) {
    for (const ResourceAmount& amount : amounts) {
        resources_.add_reference(amount.resource);
        total_.resize(std::max<std::size_t>(total_.size(), raw(amount.resource) + std::size_t{1}));
        total_[raw(amount.resource)] += amount.value;
    }
    ++capacity_version_;
}

void NodeTable::give_resources(const std::vector<ResourceAmount>& amounts) {
    for (const ResourceAmount& amount : amounts) {
        resources_.release(amount.resource);
        total_[raw(amount.resource)] -= amount.value;
    }
    ++capacity_version_;
}

std::vector<std::int64_t> NodeTable::total() const {
    std::vector<std::int64_t> result;
    for (const Int128 sum : total_) {
        result.push_back(static_cast<std::int64_t>(std::min<Int128>(sum, std::int64_t{1} << 62)));
    }
    return result;
}

Slot NodeTable::add(std::string_view name, ShimId owner, std::vector<ResourceAmount> capacity,
                    const Placement& placement, bool schedulable) {
    bool new_block = false;
    const Slot slot = groups_.take(group_keys(capacity, placement), new_block);
    if (new_block) {
        state_.add_block();
        nodes_.resize(std::size_t{groups_.block_count()} * kLanes);
    }
    const NameId id = names_.acquire(name);
    if (raw(id) >= slot_of_name_.size()) {
        slot_of_name_.resize(raw(id) + 1, kNone<Slot>);
    }
    slot_of_name_[raw(id)] = slot;
    take_resources(capacity);
    state_.put_node(slot, id, capacity, schedulable);
    nodes_[raw(slot)] = NodeInfo{};
    NodeInfo& node = nodes_[raw(slot)];
    node.name = id;
    node.owner = owner;
    node.schedulable = schedulable;
    node.capacity = std::move(capacity);
    node.facts = std::make_shared<const NodeFacts>();
    ++count_;
    return slot;
}

void NodeTable::set_capacity(Slot slot, std::vector<ResourceAmount> capacity) {
    NodeInfo& node = nodes_[raw(slot)];
    take_resources(capacity);
    state_.set_capacity(slot, capacity);
    give_resources(node.capacity);
    node.capacity = std::move(capacity);
    note_usage_changed(slot);
}

bool NodeTable::serve(std::vector<ResourceId> kinds) {
    const bool others = kinds != served_;
    if (others) {
        state_.set_boundless(kinds);
        for (std::uint32_t at = 0; at < slot_count(); ++at) {
            const Slot slot = static_cast<Slot>(at);
            if (nodes_[at].name != kNone<NameId>) {
                state_.set_capacity(slot, nodes_[at].capacity);
                note_usage_changed(slot);
            }
        }
        std::swap(served_, kinds);
    }
    for (const ResourceId kind : kinds) {
        resources_.release(kind);
    }
    return others;
}

std::int64_t NodeTable::counted_capacity(Slot slot, ResourceId resource) const {
    const ResourceColumns* const columns = state_.block(block_of(slot)).columns(resource);
    return columns == nullptr ? 0 : columns->capacity[lane_of(slot)];
}

std::int64_t NodeTable::meant_capacity(Slot slot, ResourceId resource) const {
    const std::vector<ResourceAmount>& stated = nodes_[raw(slot)].capacity;
    const auto found = std::ranges::find(stated, resource, &ResourceAmount::resource);
    if (found != stated.end() && found->value != 0) {
        return found->value;
    }
    return std::ranges::find(served_, resource) != served_.end() ? kBoundless : 0;
}

void NodeTable::note_usage_changed(Slot slot) {
    const NodeBlock& block = state_.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    bool beyond = false;
    for (std::uint32_t number = 0; number < block.resources.size(); ++number) {
        const ResourceColumns* columns = block.resources[number].get();
        beyond = beyond || (columns && is_resource(static_cast<ResourceId>(number)) &&
                            columns->used[lane] + columns->foreign[lane] > columns->capacity[lane]);
    }
    if (beyond) {
        overcommitted_.insert(slot);
    } else {
        overcommitted_.erase(slot);
    }
}

void NodeTable::set_schedulable(Slot slot, bool schedulable) {
    nodes_[raw(slot)].schedulable = schedulable;
    state_.set_schedulable(slot, schedulable);
}

void NodeTable::remove(Slot slot) {
    NodeInfo& node = nodes_[raw(slot)];
    BP_CHECK(node.allocations.empty());
    state_.remove_node(slot);
    give_resources(node.capacity);
    slot_of_name_[raw(node.name)] = kNone<Slot>;
    names_.release(node.name);
    node = NodeInfo{};
    overcommitted_.erase(slot);
    groups_.give_back(slot);
    --count_;
}

}  // namespace bayplan
