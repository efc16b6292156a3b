// The nodes by name: who owns each, where it lies, what it has and which pods it carries.
//
// Thread: the engine's. Keeps NodeState (what readers see) in step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/node_facts.h"
#include "cluster/node_pods.h"
#include "cluster/node_state.h"
#include "cluster/resources.h"
#include "cluster/slot_groups.h"

namespace bayplan {

struct NodeInfo {
    NameId name = kNone<NameId>;  // kNone: no node in this slot
    ShimId owner = kNone<ShimId>;
    bool schedulable = false;
    std::vector<ResourceAmount> capacity;
    std::shared_ptr<const NodeFacts> facts;  // never null while there is a node; set by ClusterFacts's caller
    std::uint64_t pods_version = 0;          // another one after each change of the pods on it; 0 = none was ever there
    NodePods allocations;                    // ours and foreign, in no particular order
};

class NodeTable {
public:
    NodeTable(NodeState& state, ResourceTable& resources, NameTable<NameId>& names)
        : state_(state), resources_(resources), names_(names) {}

    Slot find(std::string_view name) const;  // kNone if there is no such node
    Slot find(NameId name) const {
        return name != kNone<NameId> && raw(name) < slot_of_name_.size() ? slot_of_name_[raw(name)] : kNone<Slot>;
    }
    NodeInfo& operator[](Slot slot) { return nodes_[raw(slot)]; }
    const NodeInfo& operator[](Slot slot) const { return nodes_[raw(slot)]; }
    std::string_view name(Slot slot) const { return names_.text(nodes_[raw(slot)].name); }
    // Prefetches the entry, and then the name, of a node that gets a pod, some hundred instructions before they are
    // read.
    void prefetch(Slot slot) const {
        __builtin_prefetch(&nodes_[raw(slot)]);
        __builtin_prefetch(&nodes_[raw(slot)].allocations);
    }
    void prefetch_name(Slot slot) const { names_.prefetch(nodes_[raw(slot)].name); }
    std::uint32_t count() const { return count_; }
    // Capacity of all nodes, by ResourceId, at most 2^62 of each; the version is another one after each change of it.
    std::vector<std::int64_t> total() const;
    std::uint64_t capacity_version() const { return capacity_version_; }
    // Nodes whose capacity is below what is on them: shrunk, or taken by force, by foreign pods, or without a look at amounts.
    std::size_t overcommitted() const { return overcommitted_.size(); }
    void note_usage_changed(Slot);  // after capacity, use or foreign use of the node changed unchecked
    void note_usage_fell(Slot slot) {
        if (!overcommitted_.empty()) {
            note_usage_changed(slot);
        }
    }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(nodes_.size()); }

    struct Placement {
        std::string_view zone;
        std::string_view instance_type;
    };
    // The name must be free. `capacity` has distinct resources.
    Slot add(std::string_view name, ShimId owner, std::vector<ResourceAmount> capacity, const Placement&,
             bool schedulable);
    void set_capacity(Slot, std::vector<ResourceAmount> capacity);
    void set_schedulable(Slot, bool);
    // Kinds that devices stand for where a node states none of them; one reference on each comes with them. True: they are
    // others than before, and all nodes were gone through.
    bool serve(std::vector<ResourceId> kinds);
    // With what devices stand for: as placements see it, and as it follows from what was stated.
    std::int64_t counted_capacity(Slot, ResourceId) const;
    std::int64_t meant_capacity(Slot, ResourceId) const;
    void remove(Slot);  // without allocations and holds

private:
    std::array<std::string, 3> group_keys(const std::vector<ResourceAmount>& capacity, const Placement&) const;
    // Of so many nodes, each with as much as one amount may be, there is more than 64 bits.
    __extension__ using Int128 = __int128;

    void take_resources(const std::vector<ResourceAmount>&);
    void give_resources(const std::vector<ResourceAmount>&);

    NodeState& state_;
    ResourceTable& resources_;
    NameTable<NameId>& names_;
    SlotGroups groups_;
    std::vector<NodeInfo> nodes_;     // by slot
    std::vector<Slot> slot_of_name_;  // by NameId
    std::uint32_t count_ = 0;
    std::set<Slot> overcommitted_;
    std::vector<ResourceId> served_;
    std::vector<Int128> total_;  // by ResourceId
    std::uint64_t capacity_version_ = 0;
};

}  // namespace bayplan
