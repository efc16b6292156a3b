// A pod's demands on nodes beside amounts: the part that the replicas of one controller share.
//
// A shim defines a spec once (SpecsMessage) and its asks refer to it by id. Texts are ids everywhere: of
// the shim's dictionary in messages, of the engine's own text table inside the engine (0 = empty text in
// both), so that matching compares numbers. Selectors match what Kubernetes 1.35 matches; the exact rules
// are in src/engine/rules, predicates and scores.
//
// Thread: plain data, owns its vectors. Nothing is defaulted here: the maker of a spec has done that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bayplan {

using Text = std::uint32_t;

// The shim's number of a spec; 0 = none (a pod without labels that nothing restricts).
using SpecNumber = std::uint32_t;

struct Label {
    Text key = 0;
    Text value = 0;
    bool operator==(const Label&) const = default;
};

enum class LabelOperator : std::uint8_t { in = 1, not_in = 2, exists = 3, does_not_exist = 4, greater = 5, less = 6 };

struct LabelRequirement {
    Text key = 0;
    LabelOperator op = LabelOperator::in;
    std::vector<Text> values;
    bool operator==(const LabelRequirement&) const = default;
};

// All requirements hold. Without requirements: matches everything. (matchLabels are `in` with one value.)
// An absent selector (std::nullopt) matches nothing.
struct LabelSelector {
    std::vector<LabelRequirement> requirements;
    bool operator==(const LabelSelector&) const = default;
};

// A term of node affinity. Without any requirement it matches no node.
struct NodeTerm {
    std::vector<LabelRequirement> labels;
    std::vector<LabelRequirement> fields;  // matchFields; the key is metadata.name
    bool operator==(const NodeTerm&) const = default;
};

struct WeightedNodeTerm {
    std::int32_t weight = 0;
    NodeTerm term;
    bool operator==(const WeightedNodeTerm&) const = default;
};

enum class TaintEffect : std::uint8_t { any = 0, no_schedule = 1, prefer_no_schedule = 2, no_execute = 3 };

struct Taint {
    Text key = 0;
    Text value = 0;
    TaintEffect effect = TaintEffect::no_schedule;
    bool operator==(const Taint&) const = default;
};

struct Toleration {
    Text key = 0;         // 0 = every key
    bool exists = false;  // operator Exists; else Equal
    Text value = 0;
    TaintEffect effect = TaintEffect::any;
    bool operator==(const Toleration&) const = default;
};

struct PodTerm {
    std::optional<LabelSelector> selector;
    std::vector<Text> namespaces;
    std::optional<LabelSelector> namespace_selector;  // neither: the pod's own namespace
    Text topology_key = 0;
    bool operator==(const PodTerm&) const = default;
};

struct WeightedPodTerm {
    std::int32_t weight = 0;
    PodTerm term;
    bool operator==(const WeightedPodTerm&) const = default;
};

struct SpreadConstraint {
    std::int32_t max_skew = 1;
    Text topology_key = 0;
    bool hard = true;  // DoNotSchedule; else ScheduleAnyway
    std::optional<LabelSelector> selector;
    std::vector<Text> match_label_keys;
    std::int32_t min_domains = 1;
    bool honor_node_affinity = true;
    bool honor_node_taints = false;
    bool operator==(const SpreadConstraint&) const = default;
};

enum class Protocol : std::uint8_t { tcp = 1, udp = 2, sctp = 3 };

struct HostPort {
    std::uint16_t port = 0;
    Protocol protocol = Protocol::tcp;
    Text address = 0;  // 0 = 0.0.0.0, every address
    bool operator==(const HostPort&) const = default;
};

enum class VolumeKind : std::uint8_t {
    claim = 1,       // name = the claim's name in the pod's namespace
    ephemeral = 2,   // likewise; the claim is made for this pod alone, which `pod` names
    gce_disk = 3,    // name = disk
    aws_disk = 4,    // name = volume id
    iscsi = 5,       // name = IQN
    rbd = 6,         // name = image, pool, monitors
    azure_disk = 7,  // name = data disk URI
    csi = 8,         // inline: name = handle if it has one, driver
    other = 9,       // an in-tree kind that a CSI driver serves: driver and name
};

struct PodVolume {
    VolumeKind kind = VolumeKind::claim;
    Text name = 0;
    Text driver = 0;
    Text pool = 0;
    std::vector<Text> monitors;
    Text pod = 0;
    bool read_only = false;
    bool operator==(const PodVolume&) const = default;
};

// How an entry of a pod's resourceClaims names its claim.
enum class ClaimSource : std::uint8_t {
    named = 1,     // by its own name
    made = 2,      // made from a template for this pod, which must own it
    not_made = 3,  // from a template, not made yet
    unset = 4      // neither a name nor a template
};

struct PodResourceClaim {
    Text entry = 0;  // the name that the pod gives to it
    ClaimSource source = ClaimSource::named;
    Text claim = 0;  // in the pod's namespace
    bool operator==(const PodResourceClaim&) const = default;
};

// Claims on devices (dynamic resource allocation), in the pod's order; an entry that needs no claim is left away. The pod's
// own names stand here alone: for texts, and for the owner of claims made from a template.
struct PodResourceClaims {
    std::vector<PodResourceClaim> claims;
    Text pod = 0;
    Text uid = 0;
    bool operator==(const PodResourceClaims&) const = default;
};

// The controller that owns the pod; its selector decides what the default spread counts.
struct PodOwner {
    Text kind = 0;  // "ReplicaSet", "StatefulSet", "ReplicationController", ...
    Text name = 0;
    bool operator==(const PodOwner&) const = default;
};

struct PodSpec {
    Text name_space = 0;
    std::vector<Label> labels;  // sorted by nothing; keys are distinct
    std::vector<Label> node_selector;
    std::optional<std::vector<NodeTerm>> required_nodes;  // one must match; an empty list matches nothing
    std::vector<WeightedNodeTerm> preferred_nodes;
    std::vector<Toleration> tolerations;
    std::vector<PodTerm> affinity;
    std::vector<PodTerm> anti_affinity;
    std::vector<WeightedPodTerm> preferred_affinity;
    std::vector<WeightedPodTerm> preferred_anti_affinity;
    std::vector<SpreadConstraint> spread;
    std::vector<HostPort> ports;
    std::vector<PodVolume> volumes;
    std::vector<Text> images;  // of init and main containers, each with its tag
    std::vector<Text> gates;   // scheduling gates; the pod waits while there is one
    PodOwner owner;
    std::vector<Text> plugins;  // predicates that the shim serves and the pod needs
    PodResourceClaims resource_claims;
    bool operator==(const PodSpec&) const = default;
};

}  // namespace bayplan
