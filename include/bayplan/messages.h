// The plain records that cross between a shim and an engine.
//
// src/wire turns flatbuffers into these and back; the engine, the shim client, the recorder and the
// oracle of the tests speak nothing else. Records own nothing: spans and string views point into the
// message they were decoded from and are valid while that message lives (for the engine: during
// Engine::apply).
//
// Thread: plain data, any. Source of the fields: YuniKorn's scheduler interface (si.proto v1), extended.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"

namespace bayplan::queue_config {
struct PartitionConfig;
}

namespace bayplan {

// An entry of one shim's dictionary (its own numbering, chosen by the shim). 0 means "not given".
using DictId = std::uint32_t;

// A connection of a shim, numbered by the data plane; never used twice in the life of a daemon.
using ConnectionId = std::uint64_t;

// An amount of one resource kind. Units by kind: cpu in milli-cores, memory and storage in bytes,
// everything else in whole items.
struct Amount {
    DictId resource = 0;
    std::int64_t value = 0;
};

struct Attribute {
    DictId key = 0;
    DictId value = 0;
};

struct DictEntry {
    DictId id = 0;
    std::string_view text;
};

// Numbers are YuniKorn's NodeInfo.ActionFromRM.
enum class NodeAction : std::uint8_t {
    create = 1,
    update = 2,        // new capacity and attributes
    drain = 3,         // no new pods; what runs stays
    decommission = 4,  // the node is gone; its allocations are released
    undrain = 5,
    create_drain = 6,  // create, not schedulable until undrain
};

struct NodeItem {
    DictId node = 0;
    NodeAction action = NodeAction::create;
    std::span<const Amount> capacity;
    // The node's labels. Labels of place and machine type decide the slot group (R-WORLD-8).
    std::span<const Attribute> attributes;
    std::span<const Taint> taints = {};
    std::span<const Amount> images = {};  // resource = image name, value = bytes
    // Resources of the capacity that are devices: 1000 of the amount each (R-DEVICE-1).
    std::span<const DictId> devices = {};
};

// How an application ends, or goes on, whose placeholders are not all placed in time (rules/placeholders.md). Numbers are from
// the schema.
enum class GangStyle : std::uint8_t { unknown = 0, soft = 1, hard = 2 };  // unknown is as soft

struct ApplicationItem {
    DictId application = 0;
    DictId queue = 0;  // 0 = the default leaf, root.default
    DictId user = 0;
    std::span<const DictId> user_groups = {};  // none: the user is in the group of its own name
    // Sum of its placeholders' requests: it starts when they are all placed. None: it waits for no placeholders.
    std::span<const Amount> placeholder_ask = {};
    GangStyle gang_style = GangStyle::unknown;
    std::int64_t placeholder_timeout_ms = 0;  // from when the first of them is placed; 0 or less: 15 minutes
    // As YuniKorn's: what placement rules of the kind `tag` ask for, quotas of a namespace, application.create.force. Of a key
    // that is said twice the last counts.
    std::span<const Attribute> tags = {};
};

// Numbers are from the schema. Order of importance: guaranteed above burstable above best_effort.
enum class QosClass : std::uint8_t { unknown = 0, best_effort = 1, burstable = 2, guaranteed = 3 };

// One pod. With `node` it is a statement (this pod runs there: recovery or foreign), else an ask.
// A fault of the labels that name a pod's group; such a pod is never tried.
enum class GroupFault : std::uint8_t { none = 0, no_name = 1, no_minimum = 2, no_topology_mode = 3 };

struct AskItem {
    std::string_view key;  // unique within the shim
    DictId application = 0;
    DictId group = 0;          // pod group; 0 = on its own
    DictId node = 0;           // runs there already; any shim may state that node, before or after
    DictId required_node = 0;  // NodeName predicate: this node or none
    std::int32_t priority = 0;
    bool foreign = false;                  // placed by another scheduler; counts on its node alone
    bool tolerates_unschedulable = false;  // tolerates the taint node.kubernetes.io/unschedulable
    std::int64_t created_s = 0;            // wall clock of the cluster manager; for display only
    std::span<const Amount> requests;
    std::span<const Attribute> tags;

    SpecNumber spec = 0;          // defined by a SpecsMessage before
    bool terminating = false;     // being deleted: still counts, but not for topology spread
    bool never_preempts = false;  // preemptionPolicy Never
    DictId nominated_node = 0;
    std::int64_t started_ms = 0;  // status.startTime, milliseconds since 1970; 0 = not started
    // Amounts that resource scores count for the pod, in milli-cores and bytes; -1 = its request, or Kubernetes'
    // default of 100m and 200 MiB if it has none. `node_`: added to its node; `own_`: its own while it is scheduled
    // (they differ with pod-level resources).
    std::int64_t node_cpu = -1;
    std::int64_t node_memory = -1;
    std::int64_t own_cpu = -1;
    std::int64_t own_memory = -1;

    QosClass qos = QosClass::unknown;  // unknown counts as best_effort
    std::int32_t grace_period_s = -1;  // how long it may take to go when it is deleted; -1 = 30
    bool preempted = false;            // it terminates because a preemption chose it
    // Of a pod that runs: which devices it has, as its `allocated` decision told. Empty: not known.
    std::string_view devices = {};
    // Facts of victims: how room is made for a DaemonSet pod (rules/daemonsets.md).
    bool daemonset = false;     // a DaemonSet controls it; with a required node its node is reserved for it
    bool is_static = false;     // its node runs it by itself: it is never moved
    bool never_victim = false;  // opted out of preemption
    bool originator = false;    // other pods are owned by it (driver)
    // With a group: so many of its members must have a node, or none gets one. 0: the group only says what follows what.
    std::uint32_t group_min_available = 0;
    GroupFault group_fault = GroupFault::none;
    // With such a minimum: all members lie on nodes with one value of this label, or if possible. 0: anywhere.
    DictId group_topology_key = 0;
    bool group_topology_preferred = false;
    // It keeps a place for another pod of its group (YuniKorn: task group), which takes it over.
    bool placeholder = false;
};

// A spec under the shim's own number. Defining a number again with the same content is fine.
struct SpecItem {
    SpecNumber number = 0;
    PodSpec spec;
    bool operator==(const SpecItem&) const = default;
};

struct ObjectItem {
    ClusterObject object;
    bool removed = false;  // only its kind and names count then
    bool operator==(const ObjectItem&) const = default;
};

// Numbers are YuniKorn's TerminationType.
enum class Termination : std::uint8_t {
    unknown = 0,
    stopped_by_rm = 1,
    timeout = 2,
    preempted_by_scheduler = 3,
    placeholder_replaced = 4,
};

struct ReleaseItem {
    std::string_view key;  // empty = every ask and allocation of the application
    DictId application = 0;
    Termination termination = Termination::stopped_by_rm;
    std::string_view message;
};

// The shim could not carry out a placement: the ask goes back into backoff.
struct NackItem {
    std::string_view key;
    std::string_view reason;
};

// A verdict of the shim's plugins on one node. Numbers are from the schema.
enum class PluginVerdict : std::uint8_t {
    unknown = 0,
    feasible = 1,
    unschedulable = 2,  // not now; other pods are in the way
    unresolvable = 3,   // never on this node
};
struct PluginReason {
    std::uint32_t node = 0;  // index into the query's nodes
    std::string_view text;
};
// The answer to a `queried` decision (rules/plugins.md).
struct PluginAnswer {
    std::uint64_t query = 0;
    std::span<const PluginVerdict> verdicts;  // one for each node of the query, in its order
    std::span<const PluginReason> reasons = {};
    std::string_view failure = {};  // not empty: the query could not be answered, and why
    bool lasting = false;           // the verdicts do not hang on the pods of the nodes
    // Of a yes to `victims_queried`, one of these: so many of the victims, from the first on; or these, by index.
    std::uint32_t first_victims = 0;
    std::span<const std::uint32_t> victims = {};
};

// --- the numbered state stream of a shim (each message has a sequence number, applied exactly once)
struct DefineMessage {
    std::span<const DictEntry> entries;
};
struct ForgetMessage {
    std::span<const DictId> ids;
};  // these dictionary ids may be used anew
struct NodesMessage {
    std::span<const NodeItem> nodes;
};
struct ApplicationsMessage {
    std::span<const ApplicationItem> add;
    std::span<const DictId> remove;
};
struct AsksMessage {
    std::span<const AskItem> asks;
};
struct ReleasesMessage {
    std::span<const ReleaseItem> releases;
};
struct NacksMessage {
    std::span<const NackItem> nacks;
};
// Between these two the shim states all it knows. At the end, what was not mentioned goes.
struct ResyncBeginMessage {};
struct ResyncEndMessage {};
struct ConfigurationMessage {
    std::string_view text;
};  // queue configuration as YuniKorn's shims send it
struct SpecsMessage {
    std::span<const SpecItem> define;
    std::span<const SpecNumber> forget;  // these numbers may be used anew; asks keep what they have
};
struct ObjectsMessage {
    std::span<const ObjectItem> objects;
};
struct PluginAnswersMessage {
    std::span<const PluginAnswer> answers;
};

using StateBody = std::variant<DefineMessage, ForgetMessage, NodesMessage, ApplicationsMessage, AsksMessage,
                               ReleasesMessage, NacksMessage, ResyncBeginMessage, ResyncEndMessage,
                               ConfigurationMessage, SpecsMessage, ObjectsMessage, PluginAnswersMessage>;

// --- every input of an engine; the recorder stores exactly these, in this order
struct Tick {
    std::int64_t now_ns = 0;
};  // monotonic, never goes back

// A shim's hello on a fresh connection, with what the transport proved of it.
struct Connect {
    ConnectionId connection = 0;
    std::string_view shim;                 // certificate subject (common name): the identity
    std::uint64_t shim_instance = 0;       // chosen at random when the shim process starts
    std::uint64_t daemon_instance = 0;     // the daemon instance it last spoke to; 0 = none
    std::uint64_t decisions_received = 0;  // last decision sequence number it has taken
    std::string_view plugins = {};         // that it serves, each ended by LF
    bool gives_claims_back = false;        // it carries out `claim_given_back`
    bool judges_victims = false;           // its plugins answer `victims_queried`
};
struct Disconnect {
    ConnectionId connection = 0;
};
struct StateMessage {
    ConnectionId connection = 0;
    std::uint64_t sequence = 0;  // 1, 2, 3... per shim instance
    StateBody body;
    // 0: a whole message, or its end. Else a piece that the daemon applies ahead of the rest, so that other shims' work runs
    // in between; of a body without items so many things (rules/sessions.md).
    std::uint32_t piece = 0;
};
// The shim has taken every decision up to and including this one; returns credit.
struct Acknowledge {
    ConnectionId connection = 0;
    std::uint64_t up_to = 0;
};

// Holds: capacity of a node kept from asks of a priority below `kept_from_below`. Nominations,
// reservations and permit waits use the same mechanism from inside; this input is the operator's.
struct HoldPlace {
    std::uint64_t owner = 0;  // chosen by the caller; one owner has one hold
    std::string_view node;
    std::int32_t kept_from_below = 0;
    std::span<const std::pair<std::string_view, std::int64_t>> amounts;
};
struct HoldDrop {
    std::uint64_t owner = 0;
};

// The queues of the partition from now on, as a YuniKorn queues.yaml says; also the operator's. All of it, or nothing.
struct QueuesText {
    std::string_view partition;  // which of the file's, unless it has but one
    std::string_view text;
    // Model that queue_config::read_own_partition() made of the two elsewhere, as reading takes long. It decides nothing, and
    // a recording does without. Null: the engine reads.
    std::shared_ptr<const queue_config::PartitionConfig> read = nullptr;
};

using Input = std::variant<Tick, Connect, Disconnect, StateMessage, Acknowledge, HoldPlace, HoldDrop, QueuesText>;

// --- what goes back, one ordered stream per shim, each item numbered and sent until acknowledged
enum class DecisionKind : std::uint8_t {
    node_accepted = 1,
    node_rejected = 2,
    application_accepted = 3,
    application_rejected = 4,
    ask_rejected = 5,
    allocated = 6,  // name = ask key, node = where
    // name = ask key, termination and text say why. preempted_by_scheduler, and placeholder_replaced or timeout with a
    // node: the shim is to delete the pod, which counts until a ReleaseItem says that it is gone; otherwise it is gone
    // as far as the engine is concerned.
    released = 7,
    ask_waiting =
        8,  // name = ask key; text says why: the first attempt failed (YuniKorn: FAILED), gates, no such node yet
    message_rejected = 9,  // a state message as a whole made no sense; name = what
    // The ask `name` waits for the pods on `node` to go; no node: it does so no longer. The shim keeps the node on
    // the pod under kNominatedNodeKey; `text` begins with that key, and says why a nomination ended.
    nominated = 10,
    // The shim's plugins are asked: may the ask `name` run on `node`, and on the nodes in `text`, each ended by LF? The
    // pod counts as on `node` until the answer, a PluginAnswer with this `query`.
    queried = 11,
    // The claim on devices `name`, NAMESPACE/NAME, has no allocation and is reserved for nobody any more: the shim clears
    // both on the claim's object, and states it so. `text`: for which pod.
    claim_given_back = 12,
    // The shim's plugins are asked: who may go from `node`, so that the ask `name` may have it? Those in `text`, each
    // SHIM/KEY ended by LF, may; most easily the first. So many as `needed` go for the predicates' sake, against
    // `violations` budgets; none: the plugins refused the node, and no predicate does.
    victims_queried = 13,
};

// Of these the text is a list, of `queried` perhaps one of totals behind it (R-PLUGIN-66), and the answer a PluginAnswer.
constexpr bool is_query(DecisionKind kind) {
    return kind == DecisionKind::queried || kind == DecisionKind::victims_queried;
}

inline constexpr std::string_view kNominatedNodeKey = "scheduler.kubernetes.io/nominated-node-name";

struct Decision {
    DecisionKind kind = DecisionKind::allocated;
    Termination termination = Termination::unknown;
    // Of ask_waiting: more nodes would help this pod, as far as an autoscaler should care (it has no nominated
    // node, and its priority is not below the cut-off).
    bool scale_up = false;
    bool untried = false;  // of ask_waiting: no attempt was made; not sent to shims but as a state of the pod
    // Of victims_queried; a node has at most 4,096 pods. They lie here because millions of decisions may be kept.
    std::uint16_t needed = 0;
    std::uint16_t violations = 0;
    std::string_view name;
    std::string_view node;
    std::string_view text;
    // Of allocated, where the node has devices of what the pod asks for: which of them, as
    // `example.com/gpu=0+3,example.com/nic=1`. The shim keeps it and states it again with the pod.
    std::string_view devices = {};
    std::uint64_t query = 0;  // of queried and victims_queried: its number, never used twice
};

enum class HelloOutcome : std::uint8_t { resume = 1, resync = 2, refused = 3 };

struct HelloReply {
    HelloOutcome outcome = HelloOutcome::refused;
    std::uint64_t daemon_instance = 0;
    std::uint64_t state_applied = 0;  // resume: send again from the next one
    std::uint32_t credit_window = 0;  // unacknowledged decisions the daemon lets stand
    std::string_view reason;          // refused: why
};

}  // namespace bayplan
