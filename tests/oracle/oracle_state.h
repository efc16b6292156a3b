// What the naive oracle keeps: one plain struct per thing that rules/world.md names.
// Everything is text, std::map and std::vector, so that it can be held against the rules line by
// line.
//
// Thread: plain data of one Oracle, single-threaded. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bayplan/messages.h"
#include "kube_model.h"
#include "kube_texts.h"
#include "options/engine_options.h"
#include "oracle_terms.h"

namespace bayplan::oracle {

using Amounts = std::map<std::string, std::int64_t>;  // by text of the kind

inline constexpr std::int64_t kAmountMax = std::int64_t{1} << 53;
inline constexpr std::int64_t kTotalMax = std::int64_t{1} << 61;     // of a kind: all asks, and what is held on a node
inline constexpr std::int64_t kKeptFromAll = std::int64_t{1} << 31;  // priorities are below

enum class AskState {
    gated,
    waiting_for_node,
    pending,
    backoff,
    unschedulable,
    reserved,
    unacknowledged,
    allocated,
    queried,
    on_permit,
    asking
};

// The verdict of a shim's plugins on a node for an ask, and the node as it was then.
struct PluginSays {
    PluginVerdict verdict = PluginVerdict::unknown;
    std::string text;
    bool lasting = false;
    std::uint64_t changes = 0;
    std::uint64_t creation = 0;
};

// Pods that the plugins let go from a node for the ask, and the node as it was then.
struct VictimsSaid {
    bool refused = false;
    std::string text;
    std::set<std::uint64_t> go;  // sequence numbers
    std::uint64_t changes = 0;
    std::uint64_t creation = 0;
};

// Adds the amounts to others, or takes them away (times = -1).
void add(const Amounts&, std::int64_t times, Amounts& into);

// An unknown dictionary id as decisions name it.
std::string number_sign(DictId);

// The word that Engine::ask_state uses for the state.
const char* name_of(AskState);

// What an ask fails by beside predicates, which are known by their names (rules/failure.md, the
// right column of the table).
inline constexpr const char* kNoNodes = "no nodes";

// All members of a gang lie on nodes with one value of a label.
struct Topology {
    std::string key;  // empty: anywhere
    bool preferred = false;
    bool operator==(const Topology&) const = default;
    std::string text() const { return key.empty() ? "none" : key + (preferred ? " (preferred)" : " (required)"); }
};

struct Ask {
    std::string shim;
    std::string key;
    std::string application;  // empty: a foreign pod of no application
    std::string group;        // empty: on its own
    std::uint64_t sequence = 0;
    std::uint64_t group_number = 0;
    std::int64_t created_s = 0;  // as stated; in a plain pod group, of its first
    std::int32_t priority = 0;
    Amounts requests;
    std::string required_node;  // empty: any
    bool tolerates_unschedulable = false;
    KubePod pod;  // the same as predicates, scores and preemption see it, with its spec
    bool foreign = false;
    bool daemonset = false;   // a DaemonSet controls it
    bool is_static = false;   // its node runs it by itself
    bool opted_out = false;   // of being a victim
    bool originator = false;  // other pods are owned by it
    AskState state = AskState::pending;
    std::string node;            // empty: not placed
    std::string awaited_node;    // runs there, but no such node was created; empty: does not wait so
    std::string stated_devices;  // of a record that names a node
    std::vector<std::pair<std::string, std::string>> tags;
    std::uint64_t failures = 0;
    std::int64_t backoff_until = 0;
    std::set<std::string> failed_by;
    std::vector<KubeBinding> bindings;     // what its placement did to claims
    std::uint64_t allocated_decision = 0;  // number of the decision that told its placement; 0: none
    bool told_scale_up = false;

    // A pod group that is placed whole (rules/gangs.md).
    std::int64_t came = 0;  // its age in a gang
    std::int64_t time = 0;  // when it came, or lost its gates
    GroupFault group_fault = GroupFault::none;
    std::uint32_t group_minimum = 0;  // as stated; 0: none
    Topology topology;                // of its group, as stated
    std::string gang;                 // SHIM APPLICATION/GROUP; empty: in none
    std::string gang_group;           // GROUP
    std::int64_t joined = 0;          // its own time while it is in there
    std::string told_why;             // that it is refused, or that there is no quorum: the first word
    bool has_node() const { return !node.empty() || !awaited_node.empty(); }
    bool stands_at_its_gates() const { return !has_node() && !pod.spec->gates.empty(); }
    // Its group, or what is wrong with its statement of one, says when it is tried.
    bool coscheduled() const { return !gang.empty() || group_fault != GroupFault::none; }

    // rules/placeholders.md
    bool placeholder = false;
    bool sent_away = false;      // of one: its shim is to delete it; of another: likewise, its application has failed
    std::uint64_t taken_by = 0;  // the ask that takes it over; 0: none
    std::uint64_t takes = 0;     // the placeholder that goes for it; 0: none
    bool held = false;           // it waits for one of its task group
    bool due = false;            // its placeholder has gone
    std::string due_node;        // where that was

    // rules/plugins.md
    std::uint64_t query = 0;  // open; 0: none
    std::uint64_t queries = 0;
    std::int64_t query_deadline = 0;
    std::vector<std::pair<std::uint64_t, PluginSays>> asked;  // slots of the open query
    std::map<std::uint64_t, PluginSays> plugin_says;          // by slot
    std::vector<std::string> plugin_texts;                    // distinct ones
    std::string resting_node;            // of its nomination, while it has a node that plugins are asked about
    std::uint64_t resting_creation = 0;  // of that node
    std::set<std::uint64_t> resting_victims;
    std::string resting_for;                            // as `nominated_for`
    std::string asked_node;                             // of the open query, if it is about victims there
    std::vector<std::uint64_t> offered;                 // by it
    std::uint64_t needed = 0;                           // of these
    std::map<std::uint64_t, VictimsSaid> victims_said;  // by slot

    // While it waits.
    std::string nominated_node;                     // empty: none
    std::set<std::uint64_t> victims;                // whose end it waits for on its nominated node
    std::string nominated_for;                      // the guarantor that it was nominated for; empty: none
    std::optional<std::int64_t> guaranteed_since;   // rules/guarantees.md: its wait
    std::int64_t guaranteed_from = INT64_MAX;       // it is woken then
    std::map<std::uint64_t, std::string> excluded;  // nodes, each for the sake of a stuck pod
    std::string reserved_node;                      // empty: none
    std::int64_t reserved_since = 0;
    DaemonsetOptions reserved_by;                 // the settings in force then
    std::set<std::uint64_t> reservation_victims;  // of its last preemption there
    bool nacked = false;                          // its backoff is one after a nack
    std::string avoids;                           // the node that refused it,
    std::int64_t avoids_until = 0;                // and until when

    // Once it is placed. `pod.terminating` and `pod.preempted` say what counts.
    QosClass qos = QosClass::unknown;
    std::int32_t grace_period_s = -1;
    bool stated_terminating = false;
    bool stated_preempted = false;
    bool chosen = false;  // as a victim
    std::int64_t terminating_since = 0;
    std::string told_to_delete;  // the text; empty: its shim was not told
    std::uint32_t retries = 0;   // times that it was told again
};

struct Gang {
    std::string name;  // APPLICATION/GROUP
    std::int64_t time = 0;
    std::uint64_t number = 0;  // of its first pod
    std::int64_t empty_since = 0;
    std::uint32_t minimum = 0;
    std::int32_t priority = 0;
    Topology topology;
    std::size_t nominated = 0;  // members that were nominated together
    std::int64_t deadline = 0;  // until when members hold nodes, while any does
    std::string hold_lost;      // why one does not any more, until the others have given theirs up
    bool quorum = false;
    std::optional<std::int64_t> quorum_lost;
    bool woken = false;
    bool nacked = false;
    std::uint32_t failures = 0;
    std::int64_t backoff_until = 0;
    std::int64_t reserved_until = 0;           // while nodes are reserved for it
    std::optional<std::int64_t> first_failed;  // since it was placed, lost its quorum, or its reservation ended
};

struct Node {
    std::string name;
    std::string shim;
    std::uint64_t slot = 0;
    std::string slot_group;
    bool schedulable = true;
    bool unmentioned = false;
    Amounts capacity;
    Amounts used;                // by ours
    Amounts foreign;             // by others
    Amounts held;                // by operators, nominations and reservations
    KubeNode facts;              // as predicates and scores see it
    std::uint64_t creation = 0;  // another number for each node that ever was
    std::uint64_t changes = 0;   // R-PLUGIN-7
};

struct Hold {
    std::string node;
    std::int32_t kept_from_below = 0;
    Amounts amounts;
};

// SHIM/KEY.
std::string full_name(const Ask&);
// Has its node, and its shim was told so or has said so.
bool has_it_for_good(const Ask&);
bool needs_plugins(const Ask&);
// An ask that waits for victims of this reason failed by plugins.
inline constexpr const char* kByPlugins = "plugins";

// What the ask adds to its node, wherever it is; scored amounts beside what is requested.
Amounts occupied(const Ask& ask);

// A decision with its number in its shim's stream.
struct NumberedDecision {
    std::uint64_t number = 0;
    DecisionKind kind = DecisionKind::allocated;
    Termination termination = Termination::unknown;
    std::string name;
    std::string node;
    std::string text;
    bool scale_up = false;
    std::string devices = {};
    std::uint64_t query = 0;
    std::uint64_t needed = 0;
    std::uint64_t violations = 0;

    bool operator==(const NumberedDecision&) const = default;
};

struct Shim {
    std::uint64_t instance = 0;
    std::optional<ConnectionId> connection;
    std::map<DictId, std::string> dictionary;
    std::map<SpecNumber, std::shared_ptr<const KubeSpec>> specs;
    std::map<SpecNumber, std::shared_ptr<const KubeSpec>> left_over_specs;  // of before the last hello
    std::vector<FoundTerm> found_terms;                                     // as of the last spec that came
    std::set<std::string> applications;
    std::map<std::string, std::vector<std::string>> user_groups;  // of applications, as stated
    std::map<std::string, Amounts> placeholder_asks;              // likewise
    std::map<std::string, std::uint64_t> asks;                    // key -> sequence number
    std::uint64_t applied = 0;
    std::uint64_t last_number = 0;
    std::uint64_t acknowledged = 0;
    std::deque<NumberedDecision> kept;  // numbered, not acknowledged
    std::vector<std::string> plugins;   // that it serves
    bool gives_claims_back = false;
    bool judges_victims = false;
    bool must_resync = false;
    bool resync_open = false;
    bool resync_begun = false;
    // R-SESSION-36 and those after it.
    bool holds_up = false;
    std::int64_t holds_up_until = 0;  // while it does
    std::int64_t time_left = 0;       // while it does not
    std::optional<std::int64_t> period_began;
};

struct OracleCounters {
    std::uint64_t attempts = 0;
    std::uint64_t placed = 0;
    std::uint64_t failed = 0;     // attempts without a place, with or without victims
    std::uint64_t nominated = 0;  // nominations made by attempts
    std::uint64_t cleared = 0;
    std::uint64_t nodes = 0;
    std::uint64_t gated = 0;
    std::uint64_t waiting_for_node = 0;
    std::uint64_t pending = 0;
    std::uint64_t backoff = 0;
    std::uint64_t unschedulable = 0;
    std::uint64_t allocations = 0;  // ours
    std::uint64_t woken = 0;        // times an unschedulable ask was woken
    std::uint64_t ignored = 0;
    std::uint64_t resyncs_open = 0;
    std::uint64_t resyncs_holding = 0;
    std::uint64_t resyncs_overdue = 0;
    std::uint64_t bytes = 0;  // of all shims
    std::uint64_t room_looks = 0;
    std::uint64_t room_preemptions = 0;
    std::uint64_t room_victims = 0;
    std::uint64_t room_claims = 0;
    std::uint64_t rests_begun = 0;
    std::uint64_t resting = 0;
};

// All that one connection must see, in order: the reply, the decisions, perhaps a cut.
struct ConnectionStory {
    std::string shim;
    HelloOutcome outcome = HelloOutcome::refused;
    std::uint64_t state_applied_at_hello = 0;
    std::vector<NumberedDecision> decisions;
    std::uint64_t acknowledged = 0;  // on this connection; these need not be sent any more
    bool counts = true;
    bool cut = false;
};

// Events that may wake unschedulable asks (rules/failure.md).
enum class WakeEvent {
    node_changed,  // created, updated, stated again; a hold dropped or replaced
    node_undrained,
    node_gone,
    allocation_ended,
    pod_changed,  // placed, stated again with another spec or terminating flag, or chosen
    object_changed,
    placed_pod_stated,
    claim_given_back
};
// An event that came while an ask was unschedulable, and whether it wakes the ask, or a member of its gang.
struct Heard {
    WakeEvent event;
    bool wakes;
};

}  // namespace bayplan::oracle
