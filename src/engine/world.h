// All state of one partition in one place: plain tables, no behaviour. Changes are made by engine/lifecycle.h (asks)
// and engine/inputs.h (everything a message may touch).
//
// Thread: the engine's. Proposal workers read `node_state` through its shards; victim workers read tables while the engine
// waits for them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/amount_totals.h"
#include "apps/applications.h"
#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "apps/gangs.h"
#include "apps/placeholders.h"
#include "cluster/devices.h"
#include "cluster/holds.h"
#include "cluster/node_state.h"
#include "cluster/node_table.h"
#include "cluster/resources.h"
#include "engine/application_rests.h"
#include "engine/failure_cache.h"
#include "engine/guarantee_waits.h"
#include "engine/object_table.h"
#include "engine/quota_clocks.h"
#include "engine/room_clocks.h"
#include "options/engine_options.h"
#include "placement/class_caches.h"
#include "plugins/plugin_table.h"
#include "preemption/budget_tails.h"
#include "preemption/budgets.h"
#include "preemption/departures.h"
#include "preemption/excluded_by_victims.h"
#include "preemption/nominations.h"
#include "preemption/reservations.h"
#include "preemption/victim_index.h"
#include "queue_tree/placement.h"
#include "queues/awaited_nodes.h"
#include "queues/leaf_order.h"
#include "queues/tree_order.h"
#include "queues/waiting_asks.h"
#include "shims/byte_budget.h"
#include "shims/shim.h"
#include "topology/cluster_view.h"

namespace bayplan {

// Predicate parts: what of the topology the predicates in force read, as bits of TopologyPart.
TopologyOptions topology_options(const EngineOptions&, std::uint32_t predicate_parts);

// Shims that state themselves anew.
struct Resyncs {
    std::uint32_t open = 0;
    std::uint32_t holding = 0;  // nothing is decided while any does
    std::uint64_t overdue = 0;  // ever: held the partition up until their deadline
    std::uint64_t changes = 0;  // of any of these
};

struct World {
    // Out of line, as its end is: every file that includes this would build all tables otherwise.
    World(const EngineOptions&, std::uint32_t readers, std::uint32_t predicate_parts);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    const EngineOptions options;
    std::int64_t now_ns = 0;

    ResourceTable resources;
    NameTable<NameId> names;  // of nodes, and of nodes that asks require
    NodeState node_state;
    NodeTable nodes;
    Devices devices;
    Holds holds;

    AskTable asks;
    TextTable texts;
    const KnownTexts known;
    SpecTable specs;
    ClassTable classes;
    ClassCaches caches;
    AmountTotals totals;
    ClusterFacts topology;
    const ClusterView view{asks, classes, specs, nodes, node_state, topology, resources, devices};
    ObjectTable objects;
    std::set<std::string, std::less<>> kinds;  // of resources that amounts of shims have named
    std::deque<ObjectsOfShim> objects_of;      // by shim
    // Volumes that placements took, until the placements end.
    boost::unordered_flat_map<AskId, std::vector<ClaimBinding>> bindings;
    // Claims that placements took devices for, until the placements end.
    boost::unordered_flat_map<AskId, ClaimsOfPod> claims;
    ApplicationTable applications;
    std::uint64_t last_sequence = 0;  // of asks
    Gangs gangs;
    Placeholders placeholders;

    const std::unique_ptr<PendingOrder> order;  // who is next; pending asks are in it
    TreeOrder* const tree;                      // the same, if there are queues
    std::optional<queue_tree::PlacementRules> placement;
    std::shared_ptr<const queue_config::PartitionConfig> queues_config;  // as it stands; null: none was given
    std::string queues_fault;                                            // of the last text of queues
    std::uint64_t capacity_seen = 0;                                     // NodeTable::capacity_version, by the tree
    std::int64_t queues_cleaned_ns = 0;
    BackoffHeap backoff;
    BackoffHeap nacked;  // in backoff too, but never tried before their time
    UnschedulableList unschedulable;
    AwaitedNodes awaited_nodes;

    Nominations nominations;
    Reservations reservations;
    ExcludedByVictims excluded;
    Departures departures;
    GuaranteeWaits guarantee_waits;
    ApplicationRests rests;
    RoomClocks room_clocks;
    QuotaClocks quota_clocks;
    PluginTable plugins;
    Budgets budgets;
    VictimIndex victim_index;
    PodTails pod_tails;
    RoomRanges room_ranges{node_state};
    BudgetTails budget_tails;
    Failures failures{classes};
    std::vector<std::uint32_t> changed_blocks;  // of the look under way

    ShimTable shims;
    Resyncs resyncs;
    ByteBudget bytes;                       // of all shims
    std::vector<std::uint64_t> node_bytes;  // that its owner has for it, by slot
    std::uint64_t allocations = 0;          // ours, now
    std::uint64_t pod_changes = 0;          // on nodes, ever
};

// Its spec names predicates that its shim serves.
// Of an ask that needs plugins: may it preempt?
inline bool plugins_judge_victims(const World& world, AskId id) {
    return world.shims[world.asks[id].shim].judges_victims;
}
inline bool needs_plugins(const World& world, AskId id) {
    return world.classes[world.asks[id].ask_class].spec->needs_plugins;
}

}  // namespace bayplan
