// Nodes, pods and objects as Kubernetes' rules see them, with every name spelled out: what the
// literal second implementation of predicates and scores (kube_judge.h) looks at. Meaning of the
// fields: include/bayplan/pod_spec.h and cluster_object.h, whose enums are used here too.
//
// Thread: plain data that owns its texts; a KubeState borrows nodes and pods from its maker.
// Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/explanation.h"
#include "bayplan/pod_spec.h"
#include "kube_device_requests.h"

namespace bayplan::oracle {

using KubeLabels = std::map<std::string, std::string>;
using KubeAmounts = std::map<std::string, std::int64_t>;  // by name of the kind
inline std::int64_t of(const KubeAmounts& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}
using KubeDevices = std::map<std::string, std::vector<int>>;  // numbers of devices by kind
using KubeName = std::pair<std::string, std::string>;         // namespace, name

struct KubeRequirement {
    std::string key;
    LabelOperator op = LabelOperator::in;
    std::vector<std::string> values;
    bool operator==(const KubeRequirement&) const = default;
};

using KubeSelector = std::vector<KubeRequirement>;      // all must hold; none: everything matches
using KubeMaybeSelector = std::optional<KubeSelector>;  // absent: nothing matches

struct KubeNodeTerm {
    KubeSelector labels;
    KubeSelector fields;
    bool operator==(const KubeNodeTerm&) const = default;
};

struct KubeWeightedNodeTerm {
    std::int64_t weight = 0;
    KubeNodeTerm term;
    bool operator==(const KubeWeightedNodeTerm&) const = default;
};

struct KubeTaint {
    std::string key;
    std::string value;
    TaintEffect effect = TaintEffect::no_schedule;
};

struct KubeToleration {
    std::string key;
    bool exists = false;
    std::string value;
    TaintEffect effect = TaintEffect::any;
    bool operator==(const KubeToleration&) const = default;
};

struct KubePodTerm {
    std::int64_t weight = 0;  // of preferred terms
    KubeMaybeSelector selector;
    std::set<std::string> namespaces;
    KubeMaybeSelector namespace_selector;
    std::string topology_key;
    bool operator==(const KubePodTerm&) const = default;
};

struct KubeSpread {
    std::int64_t max_skew = 1;
    std::string topology_key;
    bool hard = true;
    KubeMaybeSelector selector;
    std::vector<std::string> match_label_keys;
    std::int64_t min_domains = 1;
    bool honor_node_affinity = true;
    bool honor_node_taints = false;
    bool operator==(const KubeSpread&) const = default;
};

struct KubePort {
    int port = 0;
    Protocol protocol = Protocol::tcp;
    std::string address;  // empty: 0.0.0.0
    bool operator==(const KubePort&) const = default;
};

struct KubePodVolume {
    VolumeKind kind = VolumeKind::claim;
    std::string name;
    std::string driver;
    std::string pool;
    std::set<std::string> monitors;
    bool read_only = false;
    std::string pod;  // whose ephemeral volume it is
    bool operator==(const KubePodVolume&) const = default;
};

struct KubeClaimEntry {  // of a claim on devices
    std::string entry;
    ClaimSource source = ClaimSource::named;
    std::string claim;
    bool operator==(const KubeClaimEntry&) const = default;
};

struct KubeSpec {
    std::string name_space;
    KubeLabels labels;
    std::vector<std::pair<std::string, std::string>> node_selector;
    std::optional<std::vector<KubeNodeTerm>> required_nodes;
    std::vector<KubeWeightedNodeTerm> preferred_nodes;
    std::vector<KubeToleration> tolerations;
    std::vector<KubePodTerm> affinity;
    std::vector<KubePodTerm> anti_affinity;
    std::vector<KubePodTerm> preferred_affinity;
    std::vector<KubePodTerm> preferred_anti_affinity;
    std::vector<KubeSpread> spread;
    std::vector<KubePort> ports;
    std::vector<KubePodVolume> volumes;
    std::vector<std::string> images;
    std::vector<std::string> gates;
    std::vector<std::string> plugins;  // that the pod's shim serves
    std::vector<KubeClaimEntry> resource_claims;
    std::string pod;  // of its claims
    std::string uid;
    std::string owner_kind;
    std::string owner_name;
    bool operator==(const KubeSpec&) const = default;
};

struct KubeNode {
    std::string name;
    bool unschedulable = false;
    KubeLabels labels;
    std::vector<KubeTaint> taints;
    KubeAmounts allocatable;
    KubeAmounts images;                           // bytes by name
    std::map<std::string, std::int64_t> devices;  // kinds that are devices: how many
};

struct KubePod {
    std::string name;  // for whoever made it; no rule looks at it
    std::string key;   // for preemption: NAMESPACE/NAME where Kubernetes' budgets are to know it
    std::shared_ptr<const KubeSpec> spec = std::make_shared<KubeSpec>();
    KubeAmounts requests;  // a kind that is not listed: no request at all
    std::string node;      // empty: not placed
    KubeDevices devices;   // of its node
    std::string required_node;
    std::int32_t priority = 0;
    bool tolerates_unschedulable = false;
    bool terminating = false;
    // What scores count, cpu in milli-cores, memory in bytes: on its node, and while it is judged.
    std::int64_t node_cpu = 0;
    std::int64_t node_memory = 0;
    std::int64_t own_cpu = 0;
    std::int64_t own_memory = 0;
    // What preemption looks at.
    std::uint64_t sequence = 0;
    std::uint64_t group_number = 0;
    bool stands_in = false;  // of a trial: is nominated to its node, and counts as if it ran there
    bool spared = false;     // no victim at any priority: foreign, and out of reach by the settings
    bool never_preempts = false;
    bool preempted = false;       // terminates because a preemption chose it
    bool stuck = false;           // terminates, and its time is over
    int qos_rank = 1;             // 1 best effort, 2 burstable, 3 guaranteed
    std::int64_t started_ms = 0;  // 0: not known
};

// A waiting pod, and the node that it waits for.
struct KubeNomination {
    const KubePod* pod = nullptr;
    std::string node;
    std::set<std::uint64_t> guaranteed_by = {};  // victims for a queue's guarantee, by sequence
};

struct KubeNamespace {
    std::string name;
    KubeLabels labels;
};

struct KubePodSet {
    std::string kind;
    std::string name_space;
    std::string name;
    KubeMaybeSelector selector;
};

struct KubeBudget {
    std::string name_space;
    std::string name;
    KubeMaybeSelector selector;
    std::int64_t allowed = 0;
    std::set<std::string> disrupted;  // names of pods
};

struct KubeClaim {
    std::string name_space;
    std::string name;
    std::string storage_class;
    std::string volume;
    bool bind_completed = false;
    bool lost = false;
    bool deleting = false;
    bool block_mode = false;
    std::uint8_t access_modes = 0;
    std::int64_t bytes = 0;
    KubeMaybeSelector selector;
    std::string selected_node;
    std::string owner_pod;
};

struct KubeVolume {
    std::string name;
    KubeLabels labels;
    std::string storage_class;
    std::uint8_t access_modes = 0;
    std::int64_t bytes = 0;
    bool block_mode = false;
    bool deleting = false;
    bool available = false;
    std::string claim_namespace;
    std::string claim;
    bool claim_has_uid = false;
    std::optional<std::vector<KubeNodeTerm>> nodes;
    VolumeKind source = VolumeKind::other;
    std::string driver;
    std::string handle;
};

struct KubeStorageClass {
    std::string name;
    std::string provisioner;
    bool has_binding_mode = true;
    bool wait_for_first_consumer = false;
    std::vector<KubeSelector> allowed_topologies;
};

struct KubeCsiNode {
    std::string node;
    std::map<std::string, std::int64_t> limits;  // by driver; a driver without a count is not here
    std::set<std::string> migrated;              // plugins that its annotation names
};

struct KubeCsiDriver {
    std::string name;
    bool storage_capacity = false;
};

struct KubeCsiCapacity {
    std::string name_space;
    std::string name;
    std::string storage_class;
    KubeMaybeSelector topology;
    std::int64_t bytes = -1;
    std::int64_t bytes_max = -1;
};

struct KubeAttachment {
    std::string name;
    std::string attacher;
    std::string node;
    std::string volume;
};

// --- dynamic resources

struct KubeDeviceValue {
    AttributeType type = AttributeType::text;
    std::string text;
    std::int64_t number = 0;
    bool operator==(const KubeDeviceValue&) const = default;
};

struct KubeSliceDevice {
    std::string name;
    std::map<std::string, KubeDeviceValue> attributes;
    std::map<std::string, std::string> capacities;
    bool withheld = false;
};

struct KubeSlice {
    std::string name;
    std::string driver;
    std::string pool;
    std::int64_t generation = 0;
    std::int64_t pool_slices = 0;
    SliceReach reach = SliceReach::nowhere;
    std::string node;
    KubeNodeTerm nodes;
    bool hidden = false;
    std::vector<KubeSliceDevice> devices;
};

struct KubeAllocation {
    std::vector<KubeAllocatedDevice> devices;
    std::optional<std::vector<KubeNodeTerm>> nodes;
    bool operator==(const KubeAllocation&) const = default;
};

struct KubeResourceClaim {
    std::string name_space;
    std::string name;
    bool deleting = false;
    std::string owner_uid;
    std::vector<KubeDeviceRequest> requests;
    std::vector<KubeDeviceConstraint> constraints;
    std::optional<KubeAllocation> allocation;
    std::vector<std::string> reserved_for;
    bool in_use = false;  // by a placed pod
    bool operator==(const KubeResourceClaim&) const = default;
};

// Objects by what they are known by.
struct KubeObjects {
    std::map<std::string, KubeNamespace> namespaces;
    std::map<std::pair<std::string, KubeName>, KubePodSet> pod_sets;  // by kind first
    std::map<KubeName, KubeBudget> budgets;
    std::map<KubeName, KubeClaim> claims;
    std::map<std::string, KubeVolume> volumes;
    std::map<std::string, KubeStorageClass> classes;
    std::map<std::string, KubeCsiNode> csi_nodes;
    std::map<std::string, KubeCsiDriver> csi_drivers;
    std::map<KubeName, KubeCsiCapacity> capacities;
    std::map<std::string, KubeAttachment> attachments;
    std::map<std::string, KubeSlice> slices;
    std::map<std::string, KubeDeviceClass> device_classes;
    std::map<KubeName, KubeResourceClaim> resource_claims;
};

enum class KubeFitPolicy { least_allocated, most_allocated, requested_to_capacity_ratio };

struct KubeShapePoint {
    std::int64_t utilisation = 0;  // 0 to 100
    std::int64_t score = 0;        // 0 to 100
};

struct KubeOptions {
    // A fault of kubernetes-1.35 (R-PREDICATE-15): a namespace selector of negative requirements only, on a term of
    // the incoming pod, matches pods of every namespace.
    bool copies_namespace_fault = true;
    // Faults of kubernetes-1.35 where it tries what would be: a predicate that does not concern the
    // pod as things are passes everything, and a terminating pod that is taken away lowers the
    // counts of topology spread (R-PREDICATE-16).
    bool copies_trial_faults = true;
    KubeFitPolicy fit = KubeFitPolicy::least_allocated;
    std::vector<KubeShapePoint> shape;                 // of requested_to_capacity_ratio
    std::vector<std::pair<std::string, std::int64_t>>  // kinds that resource scores look at
        fit_resources = {{"cpu", 1}, {"memory", 1}};
    std::set<std::string> predicates_off;
    std::map<std::string, std::int64_t> weights = {{"TaintToleration", 3},   {"NodeAffinity", 2},
                                                   {"PodTopologySpread", 2}, {"InterPodAffinity", 2},
                                                   {"NodeResourcesFit", 1},  {"NodeResourcesBalancedAllocation", 1},
                                                   {"ImageLocality", 1}};
    bool waits_at_gates = true;  // false: judge the pod as if it had none
    bool all_failures = false;   // every failing predicate of a node, not just the first
    bool nominated_node_first = true;
    bool fullest_device = true;        // of those with room for a share; else the emptiest
    bool victims_by_qos = false;       // among pods of one priority
    bool only_marked_stand_in = true;  // terminating pods on the nominated node, marked as preempted
};

// What the judged pod must leave alone on a node, by the operator's word.
struct KubeHold {
    std::string node;
    std::int64_t kept_from_below = 0;
    std::uint64_t owner = 0;
    KubeAmounts amounts;
    bool reserved = false;  // for a DaemonSet pod: its sequence number is `owner`
};

// Word of the pod's plugins on a node: nobody may go, for this reason; or these pods go, by sequence number.
struct KubeVictimsSaid {
    bool refused = false;
    std::string text;
    std::set<std::uint64_t> go;
};

struct KubeState {
    std::vector<const KubeNode*> nodes;  // in order of slots
    std::vector<const KubePod*> pods;    // placed ones
    const KubeObjects* objects = nullptr;
    KubeAmounts image_sizes;                  // of each image that a node has
    std::map<std::string, KubeAmounts> held;  // by node: what the judged pod must leave alone
    std::vector<KubeHold> holds;              // the same one by one, for devices
    std::vector<KubeNomination> nominations;  // of the judged pod too, if it has one
    std::set<std::string> excluded;           // nodes that are not to be looked at
    std::string avoided;                      // of them: the node that is left out because it refused the pod
    // Pods that run in a pod group that is placed whole, and how many each such group can spare.
    std::map<const KubePod*, std::string> gang_of;
    std::map<std::string, std::int64_t> gang_spare;
    // A reservation is looked for: pods of equal priority may go, too, but for its own gang; budgets do not count.
    bool reserving = false;
    std::set<const KubePod*> own_gang;
    // The pod's plugins say who goes; their words so far, by node.
    bool plugins_choose = false;
    std::map<std::string, KubeVictimsSaid> plugins_said;
    // Of a trial: the pods that are not in `pods` for its sake, and what PreFilter skipped before.
    std::vector<const KubePod*> taken_away;
    std::optional<std::set<std::string>> skipped;
    KubeOptions options;
};

// A claim that waits for its first consumer, and the static volume that a placement gives it.
// Or a claim on devices that the pod uses then, with its devices.
struct KubeBinding {
    KubeName claim;
    std::string volume;
    std::optional<KubeAllocation> devices;
    std::string uid;          // of the pod
    bool tells = false;       // the claim had no devices before
    std::uint64_t order = 0;  // of placements
};

struct KubeAnswer {
    Explanation explanation;                  // state: "gated", "scheduled" or "unschedulable"
    std::set<std::string> failed_by;          // first failing predicates
    std::optional<PredicateFailure> finding;  // against the pod as a whole
    std::set<std::string> skipped;            // predicates that PreFilter says do not concern it
    bool not_queued = false;                  // the finding is the whole message
    std::vector<KubeBinding> bindings;        // on the chosen node
};

// R-CLAIM-39: of a kind that a class has devices for, a node that states none has 2^53.
std::int64_t counted_capacity(const KubeObjects&, const KubeAmounts& stated, const std::string& kind);

}  // namespace bayplan::oracle
