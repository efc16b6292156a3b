// Settings of one engine. The first group decides placements (rules/settings.md); the second must not.
//
// Thread: plain data, fixed when the engine is made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "options/score_rows.h"

namespace bayplan {

// A kind of resource that NodeResourcesFit looks at, and how much it counts: 1 to 100.
struct ScoredResource {
    std::string name;
    std::int32_t weight = 1;
    bool operator==(const ScoredResource&) const = default;
};
inline constexpr std::size_t kScoredResourcesMax = 16;

enum class ScorePolicy : std::uint8_t { least_allocated, most_allocated, requested_to_capacity_ratio };
// A corner of the broken line of requested_to_capacity_ratio, as in Kubernetes' configuration.
struct ScorePoint {
    std::int32_t utilization = 0;  // 0 to 100, rising from corner to corner
    std::int32_t score = 0;        // 0 to 10
};
// Where the preemption document and today's Kubernetes differ (rules/settings.md says where).
enum class Compat : std::uint8_t { bayplan, kubernetes_1_35 };

// The four places where preemption differs between the two (R-SETTING-2).
enum class VictimOrder : std::uint8_t { qos, start };           // among pods of one priority: QoS class first, or not
enum class LowerNominations : std::uint8_t { recheck, clear };  // on a node that is nominated
enum class PreemptAgain : std::uint8_t { any, marked };         // terminating pods that keep a nominated pod waiting

// How victims for a DaemonSet pod are chosen, and in which order that is tried: the next one is the fall-back.
enum class VictimStrategy : std::uint8_t { single, multiple };
enum class VictimStrategies : std::uint8_t { single_multiple, multiple_single, single, multiple };

inline std::span<const VictimStrategy> strategies_of(VictimStrategies order) {
    static constexpr VictimStrategy kAll[] = {VictimStrategy::single, VictimStrategy::multiple, VictimStrategy::single};
    switch (order) {
        case VictimStrategies::single_multiple: return {kAll, 2};
        case VictimStrategies::multiple_single: return {kAll + 1, 2};
        case VictimStrategies::single: return {kAll, 1};
        case VictimStrategies::multiple: break;
    }
    return {kAll + 1, 1};
}

// As settings, options and queues' properties spell them.
struct VictimStrategiesName {
    const char* name;
    VictimStrategies strategies;
};
inline constexpr VictimStrategiesName kVictimStrategies[] = {{"single,multiple", VictimStrategies::single_multiple},
                                                             {"multiple,single", VictimStrategies::multiple_single},
                                                             {"single", VictimStrategies::single},
                                                             {"multiple", VictimStrategies::multiple}};

// A percent, in the unit of `single_deviation`.
inline constexpr std::int64_t kPercent = 1'000'000;

// DaemonSet pods: their node is reserved for them, and room is made there (rules/daemonsets.md). Queues may have a delay, an
// expiry, strategies, a deviation and a maximum of their own.
struct DaemonsetOptions {
    bool enabled = true;                         // off: they are ordinary pods
    std::int64_t delay_ns = 30'000'000'000;      // age from which a reservation may preempt
    std::int64_t expiry_ns = 3'600'000'000'000;  // age at which it ends; 0: never
    VictimStrategies strategies = VictimStrategies::single_multiple;
    std::int64_t single_deviation = 10 * kPercent;  // how much too large a single victim may be
    std::uint32_t multiple_max = 10;                // victims
    bool foreign_victims = false;
    std::uint32_t of_node_max = 32;  // reservations: each change of the node costs so many looks at its pods
    bool operator==(const DaemonsetOptions&) const = default;
};

struct PreemptionOptions {
    bool enabled = true;
    bool guarantee = true;  // between queues (rules/guarantees.md)
    VictimOrder victim_order = VictimOrder::qos;
    bool nominated_node_first = false;
    LowerNominations lower_nominations = LowerNominations::recheck;
    PreemptAgain preempt_again = PreemptAgain::any;
    std::int64_t stuck_after_ns = 30'000'000'000;  // after the end of a pod's grace
    std::uint32_t victim_retries = 2;
    DaemonsetOptions daemonset;

    static PreemptionOptions of(Compat compat) {
        PreemptionOptions options;
        if (compat == Compat::kubernetes_1_35) {
            options.victim_order = VictimOrder::start;
            options.nominated_node_first = true;
            options.lower_nominations = LowerNominations::clear;
            options.preempt_again = PreemptAgain::marked;
            options.daemonset.enabled = false;
        }
        return options;
    }
};

// Pods of one group: tried whole; one by one, each holding its node until the group has its minimum; or as if they had
// no group.
enum class Coscheduling : std::uint8_t { unit, permit, off };

struct CoschedulingOptions {
    Coscheduling mode = Coscheduling::unit;
    std::int64_t backoff_initial_ns = 1'000'000'000;  // of a group
    std::int64_t backoff_max_ns = 10'000'000'000;
    std::int64_t memory_ns = 600'000'000'000;  // how long a group without pods keeps its time
    // How long members hold nodes: so much, and so much for each that counts.
    std::int64_t permit_timeout_ns = 10'000'000'000;
    std::int64_t permit_timeout_per_member_ns = 10'000'000;
    static constexpr std::int64_t kPermitTimeoutMax_ns = 900'000'000'000;
    // With unit: how old a group's first failure is when nodes are reserved for it (0: never), and for how long they are.
    std::int64_t reserve_after_ns = 60'000'000'000;
    std::int64_t reserve_for_ns = 300'000'000'000;
};

// Predicates that shims serve (rules/plugins.md).
struct PluginOptions {
    std::int64_t deadline_ns = 5'000'000'000;  // of an answer
    std::uint32_t nodes = 16;           // of an ask's first query; each later one has twice as many, to a maximum
    std::uint32_t queries_max = 4'096;  // open at a time, per shim
    static constexpr std::uint32_t kNodesMax = 1'024;
    static constexpr std::uint32_t kVictimsMax = 512;  // on a node, that plugins may choose among
};

// Which of the devices with room for a share is taken (R-DEVICE-23).
enum class DeviceChoice : std::uint8_t { fullest, emptiest };

// Vector instructions; automatic: see lanes/lane_kernels.h.
enum class SimdLevel : std::uint8_t { automatic, scalar, avx2, avx512 };
enum class ExecutorKind : std::uint8_t { inline_, threads, tbb };
enum class BatchPath : std::uint8_t { automatic, inline_, graph };
// How victims are looked for where amounts alone decide: by the engine's thread, or on the victim workers too
// (automatic: where that pays); plain: pod by pod on every node, nothing kept.
enum class VictimPath : std::uint8_t { automatic, inline_, workers, plain };

// The thread that formats and hashes decisions, keeps them until they are acknowledged, and calls the sink: the
// engine's own thread after every input and turn, or a second thread.
enum class TellerMode : std::uint8_t { inline_, thread };

// Rights of shims towards others of their partition. The defaults: none.
struct ShimRights {
    std::string shim = "*";         // a glob over names
    std::int32_t priority_max = 0;  // of asks that are to be placed
    bool force = false;             // may state pods as running on nodes of others, and applications as running already
    bool change = false;            // may restate and remove objects of others

    static ShimRights all() { return {"*", INT32_MAX, true, true}; }
    bool operator==(const ShimRights&) const = default;
};

struct EngineOptions {
    // Decide.
    std::uint64_t daemon_instance = 1;
    std::uint32_t credit_window = 65'536;
    std::uint32_t unacknowledged_max = 262'144;
    std::uint32_t dictionary_max = 1'000'000;
    std::uint32_t nodes_max = 200'000;
    std::uint32_t applications_max = 100'000;
    std::uint32_t asks_max = 10'000'000;
    std::uint32_t made_queues_max = 4'096;  // by placement rules, for applications of a shim
    std::vector<ShimRights> shim_rights;    // the first that matches counts; none at all: all shims have all
    std::int64_t backoff_initial_ns = 1'000'000'000;
    std::int64_t backoff_max_ns = 10'000'000'000;
    std::uint32_t specs_max = 200'000;
    std::uint32_t label_terms_max = 1'024;  // pod terms of a shim that want one label
    std::uint32_t topology_keys_max = 256;  // that the specs of a shim name
    std::uint32_t objects_max = 2'000'000;
    ScorePolicy score = ScorePolicy::least_allocated;           // of NodeResourcesFit
    std::vector<ScorePoint> score_shape = {{0, 0}, {100, 10}};  // of requested_to_capacity_ratio; at least one
    std::vector<ScoredResource> score_resources = {{"cpu", 1}, {"memory", 1}};  // at least one, each once
    ScoreWeights weights;
    std::vector<std::string> predicates;              // white-list by name; empty = all
    std::vector<std::string> reservation_predicates;  // the same, of the reservation phase
    Compat compat = Compat::bayplan;
    PreemptionOptions preemption;
    CoschedulingOptions coscheduling;
    PluginOptions plugins;
    bool backoff_early = true;                         // an ask in backoff is tried when nothing else waits
    std::int64_t avoid_rejecting_ns = 60'000'000'000;  // a node that refused a pod is tried last for so long
    std::int32_t scale_up_cutoff = 0;                  // pods of lower priority are no reason for more nodes
    std::uint64_t bytes_max = 0;                       // of what all shims have stated; 0: no limit
    std::uint64_t unacknowledged_bytes_max = 0;        // of a shim's decisions; 0: no limit
    std::int64_t resync_deadline_ns = 30'000'000'000;  // how long a shim's resync holds others up
    DeviceChoice device_choice = DeviceChoice::fullest;
    bool resize_in_place = true;  // of pods that have their node; else other requests of such a pod are refused
    bool allocation_tags = true;  // tags of pods are kept for operators; else they are not looked at
    std::int64_t application_idle_ns = 30'000'000'000;  // completing for so long it is complete; 0: never
    bool application_tags = true;  // that shims state of applications count; else they are not looked at
    bool forced_by_right = true;   // an application is forced for shims alone that have the right; else for any
    bool user_groups = true;       // groups that shims state of users count; else a user is in that of its own name
    bool queues = false;           // a tree of queues, as the operator's text says; else there is one leaf

    // Do not decide.
    ExecutorKind executor = ExecutorKind::tbb;
    BatchPath path = BatchPath::automatic;
    VictimPath victim_path = VictimPath::automatic;
    SimdLevel simd = SimdLevel::automatic;
    std::uint32_t workers = 1;         // proposal workers
    std::uint32_t victim_workers = 1;  // beside the engine's thread; 0: none
    bool preemption_reports = false;   // DecisionSink::preemption is called
    std::uint32_t shards = 4;
    std::uint32_t batch = 64;  // asks selected at a time
    TellerMode teller = TellerMode::inline_;
    // Between the two; the engine waits while it is full. Some thousand decisions; a larger one costs cache.
    std::uint32_t teller_ring_bytes = 256u << 10;
    std::uint32_t depth = 2;  // batches under way: 2 = the next is proposed while one commits
    // Of the caches of classes of asks, and again of columns of pods by node. A cache has 15 KB at 100,000 nodes, and 0.5 MB
    // if other pods matter to the class: then it knows each node's score. A class that has lost its cache looks at all
    // nodes again.
    std::uint64_t class_caches_bytes = 512u << 20;
};

}  // namespace bayplan
