// Why a pod is where it is, or nowhere: what an engine says of one ask on request.
//
// Thread: plain data, owns its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bayplan {

// Whether making room could help (Kubernetes: Unschedulable and UnschedulableAndUnresolvable).
enum class Verdict : std::uint8_t { feasible, unschedulable, unresolvable };

// How an attempt ends. Kubernetes does not queue a pod that PreEnqueue refuses; an error ends the scheduling cycle.
enum class AttemptEnd : std::uint8_t { in_a_verdict, not_queued, in_an_error };

struct ScoreShare {
    std::string plugin;
    std::int64_t raw = 0;
    std::int64_t normalised = 0;  // 0 to 100
    std::int64_t weighted = 0;
};

struct PredicateFailure {
    std::string predicate;
    Verdict verdict = Verdict::unschedulable;
    std::vector<std::string> reasons;
    // Behind a reason, where the predicate knows more than Kubernetes says: of claims, why each device will not do.
    std::vector<std::string> causes = {};
};

struct NodeExplanation {
    std::string node;
    Verdict verdict = Verdict::feasible;
    // The first predicate that fails, in Kubernetes' order; with a full diagnosis all of them.
    std::vector<PredicateFailure> failures;
    std::vector<ScoreShare> scores;  // of feasible nodes, in the order of the plugins
    std::int64_t total = 0;          // sum of the weighted scores
    // Of kinds the pod asks for that are devices here, as `KIND=N+N,KIND=N` (R-DEVICE-24): which it would
    // get, if the node is feasible; and what each device has left for it, the first first.
    std::string devices = {};
    std::string devices_left = {};
};

// A node where preemption could make room, and whom it would cost. Pods by key, most important first.
struct VictimChoice {
    std::string node;
    std::vector<std::string> victims;
    std::int32_t budget_violations = 0;
    // Nodes are compared by these next (R-PREEMPT-19).
    std::int64_t highest_priority = 0;
    std::int64_t priority_sum = 0;
    std::int64_t earliest_start_ms = 0;  // INT64_MAX: not known
};

struct PreemptionExplanation {
    std::string nominated_node;            // empty: none was found
    std::string text;                      // why none was found
    std::vector<VictimChoice> candidates;  // in the order of slots
    std::string guarantee;  // whom its queue's guarantee lets it preempt, or why nobody; empty: no queues
};

// A member of a pod group runs, holds a node until the others have theirs, is not tried for one of three reasons, or would
// find a node in the next attempt, or none.
enum class MemberStands : std::uint8_t { runs, holds, gated, refused, going, found, failed };

// A member of a pod group that is placed together.
struct GroupMember {
    std::string pod;    // its key
    std::string state;  // "allocated", "gated", ...
    std::string node;   // where it is, or where the group's next attempt would place it
    std::string why;    // without a node: the reason
    MemberStands stands = MemberStands::failed;
};

// A member that would be nominated if the group failed now: where, whose going that takes, and for which queue's guarantee.
struct GroupNomination {
    std::string pod;
    std::string node;
    std::vector<std::string> victims;  // the most important first; empty: there is room
    std::string guarantor;             // path of the queue; empty: the victims' priority is lower
};

// The outcome of the next attempt of a pod group, on its own (rules/gangs.md): no other pod gives way. If it would fail, whom
// it would preempt (mode `unit`).
struct GroupExplanation {
    std::string name;           // APPLICATION/GROUP
    std::uint32_t minimum = 0;  // members that must have nodes
    std::int32_t priority = 0;
    std::uint32_t counted = 0;         // members that may be placed, or are
    std::uint32_t assigned = 0;        // of these, how many have a node
    std::uint32_t found = 0;           // and how many more would find one
    std::vector<GroupMember> members;  // the eldest first
    std::size_t unlisted = 0;          // younger members, of which nothing is said
    bool reserved = false;             // nodes are reserved for it (rules/gangs.md)
    std::string topology;              // KEY (required) or KEY (preferred); empty: it has none
    std::string domain;                // KEY=VALUE in which nodes were looked for first; empty: no node has the key
    std::vector<GroupNomination> nominations;  // the eldest first; empty: nobody is preempted
    std::string guarantee;  // if nobody of lower priority suffices: what the queue's guarantee allows; empty: no queues
    // Until when members hold nodes while they wait for the minimum, in ns of the engine's clock. While none does: until when
    // they would, if the next attempt were now. INT64_MAX: members never hold nodes (mode `unit`).
    std::int64_t deadline_ns = INT64_MAX;
};

struct Explanation {
    std::string state;    // "pending", "gated", ...
    std::string message;  // Kubernetes' text if no node takes it, with what preemption adds; or of its gates or node
    std::vector<std::string> woken_by;  // if no node takes it: what would have it tried again (rules/failure.md)
    std::optional<PreemptionExplanation> preemption;  // if no node takes it and preemption was tried
    AttemptEnd ends = AttemptEnd::in_a_verdict;       // else the message is all there is to say
    std::string node;                                 // where the next attempt would place it; empty: nowhere
    std::vector<NodeExplanation> nodes;               // in the order of slots
    std::optional<GroupExplanation> group;            // of a pod that is placed with its group
    bool without_nodes = false;  // something about the pod as a whole decides: no node was looked at by itself
};

}  // namespace bayplan
