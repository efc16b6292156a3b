// One engine schedules one partition: it applies inputs in order and makes attempts in between, by the
// rules of rules/. Several partitions are several engines; there are no globals.
//
// Thread: all calls from one thread, the engine's. Owns all state of the partition. Proposal workers
// read the node shards meanwhile (see cluster/shard.h) and nothing else of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/decision_sink.h"
#include "bayplan/daemonset_explanation.h"
#include "bayplan/explanation.h"
#include "bayplan/messages.h"
#include "options/engine_options.h"

namespace bayplan {

class PredicateSet;
class StageExecutor;
namespace read_model {
class ChangeFeed;
}

// Counters of an engine, monotonic except where said.
struct EngineCounters {
    std::uint64_t inputs = 0;
    std::uint64_t ignored_inputs = 0;  // stale connections, duplicates
    std::uint64_t attempts = 0;
    std::uint64_t placed = 0;
    std::uint64_t failed = 0;
    std::uint64_t batches_inline = 0;      // resolved at commit without a proposal
    std::uint64_t batches_graph = 0;       // proposed by the executor
    std::uint64_t batches_overlapped = 0;  // proposed while another batch committed
    std::uint64_t batches_cut = 0;         // selected again because the order changed
    std::uint64_t blocks_proposed = 0;     // looked at (again) by proposals
    std::uint64_t proposals = 0;           // made by the executor, one per class and batch
    std::uint64_t resolved_at_commit = 0;  // asks whose class was not proposed for their batch
    std::uint64_t blocks_rechecked =
        0;  // blocks that changed and got a bound at commit: most from ranges over their nodes
    std::uint64_t blocks_bounded = 0;            // got a bound from their nodes' 16-bit columns at commit
    std::uint64_t blocks_judged = 0;             // judged node by node at commit because their bound was the best
    std::uint64_t searches = 0;                  // attempts that looked at cluster-wide counts or scores
    std::uint64_t victim_searches_kept = 0;      // that began with what earlier ones of the class had found
    std::uint64_t victim_searches_whole = 0;     // that looked at all nodes by their columns
    std::uint64_t victim_searches_by_pods = 0;   // that looked at every node's pods, or tried every node
    std::uint64_t victim_searches_parallel = 0;  // of the first two: on the victim workers too
    std::uint64_t victim_pieces_by_workers = 0;  // parts of searches that they did
    std::uint64_t victim_nodes_by_columns = 0;   // nodes whose cost was found by columns alone
    std::uint64_t victim_nodes_by_pods = 0;      // by their pods
    std::uint64_t victim_nodes_tried = 0;        // by trials
    std::uint64_t reservations_made = 0;         // nodes reserved for DaemonSet pods
    std::uint64_t reservations_cleared = 0;      // more than resources was in the way
    std::uint64_t reservations_expired = 0;
    std::uint64_t reservations_together = 0;   // times that many were looked at at once, on the victim workers too
    std::uint64_t reservations_preempted = 0;  // times that victims were told to go for one
    std::uint64_t reservation_victims = 0;     // those
    // Preemption between queues (rules/guarantees.md).
    std::uint64_t guarantee_searches = 0;     // over all nodes
    std::uint64_t guarantee_spared = 0;       // searches that were not made: nothing had changed since another
    std::uint64_t guarantee_nodes_tried = 0;  // by trials
    std::uint64_t guarantee_waits = 0;        // failed attempts before the delay was over
    std::uint64_t guarantee_preemptions = 0;
    std::uint64_t guarantee_victims = 0;
    // Preemption for maxima of queues (rules/quotas.md).
    std::uint64_t quota_preemptions = 0;  // times that a queue sent pods away
    std::uint64_t quota_victims = 0;
    std::uint64_t queues_over = 0;  // now: over their maximum, and to shrink
    // Room below maxima that are used up (rules/guarantees.md).
    std::uint64_t room_looks = 0;
    std::uint64_t room_preemptions = 0;  // of those for guarantees
    std::uint64_t room_victims = 0;      // likewise
    std::uint64_t room_claims = 0;       // now: leaves that had asks without room in the last look
    // Applications whose asks found no node one after another (rules/queues.md).
    std::uint64_t rests_begun = 0;
    std::uint64_t applications_resting = 0;  // now
    // Looks that found a DaemonSet pod short of resources, by the step that ended them (rules/daemonsets.md).
    std::uint64_t reservation_looks_delay = 0;
    std::uint64_t reservation_looks_pending = 0;
    std::uint64_t reservation_looks_behind = 0;
    std::uint64_t reservation_looks_coming = 0;
    std::uint64_t reservation_looks_never = 0;
    std::uint64_t reservation_looks_nothing_found = 0;
    std::uint64_t plugin_queries = 0;          // attempts that asked a shim's plugins about a node
    std::uint64_t plugin_answers_ignored = 0;  // late, or to queries that never were
    std::uint64_t told_records = 0;            // announced to the teller
    std::uint64_t told_bytes = 0;              // of them
    std::uint64_t teller_waits = 0;            // times that the engine waited because the ring to the teller was full
    std::uint64_t nodes = 0;                   // now
    std::uint64_t nodes_overcommitted = 0;     // now: more is on them than they have
    std::uint64_t pending = 0;                 // now: heap
    std::uint64_t backoff = 0;                 // now
    std::uint64_t unschedulable = 0;           // now
    std::uint64_t waiting_for_node = 0;        // now: stated as running on nodes that nobody has registered
    std::uint64_t reservations = 0;            // now
    std::uint64_t plugin_queries_open = 0;     // now
    std::uint64_t on_permit = 0;               // now: pods that hold nodes until their groups have their minimum
    std::uint64_t groups_pending = 0;          // now: pod groups with a minimum, of which no pod has a node
    std::uint64_t groups_partial = 0;          // now: fewer than the minimum have
    std::uint64_t groups_complete = 0;         // now: the minimum has
    std::uint64_t groups_quorums = 0;          // groups that reached their quorum
    std::uint64_t groups_quorum_ms = 0;        // of these: after their first pod came, together
    std::uint64_t groups_placed = 0;           // groups that waited and have had their minimum
    std::uint64_t groups_placement_ms = 0;     // of these: after their quorum, together
    std::uint64_t groups_reserved = 0;         // times that nodes were reserved for one
    std::uint64_t allocations = 0;             // now, ours
    std::uint64_t classes = 0;                 // now
    std::uint64_t resyncs_open = 0;            // now
    std::uint64_t resyncs_holding = 0;         // now: nothing is decided for anybody
    std::uint64_t resyncs_overdue = 0;         // held the partition up until their deadline
    std::uint64_t stated_bytes = 0;            // now: of what all shims have (R-BYTES-1)
};

// A queue as it stands now. Amounts by name of the resource: vcore in thousandths, memory in bytes.
struct QueueReport {
    using Amounts = std::map<std::string, std::int64_t, std::less<>>;
    std::string path;
    bool leaf = false;
    bool draining = false;
    Amounts guaranteed;
    Amounts max;
    Amounts used;
    Amounts pending;  // of what waits and could be tried, wherever it does
    double share = 0;
    std::uint32_t applications = 0;  // of a leaf
    std::uint32_t running = 0;
    std::optional<std::int64_t> over_since_ns;  // of a queue that shrinks: over its maximum, since that tick
};

// A shim that states itself anew.
struct OpenResync {
    std::string shim;
    bool holds = false;  // nothing is decided for anybody before its end or deadline
    bool operator==(const OpenResync&) const = default;
};

// A pod group with a minimum, now.
struct GroupCounts {
    std::string name;  // APPLICATION/GROUP
    std::size_t members = 0;
    std::uint32_t minimum = 0;
    std::uint32_t counted = 0;   // towards the quorum
    std::uint32_t assigned = 0;  // of them, have a node
};

class Engine {
public:
    // Called on each proposal worker, and on each victim worker, before its first work (pins and names it).
    using OnWorker = std::function<void(std::uint32_t worker)>;
    // Called on the teller's thread, if it has one, before its first work.
    using OnTeller = std::function<void()>;
    Engine(const EngineOptions&, DecisionSink&, OnWorker worker_start = {}, OnWorker victim_worker_start = {},
           OnTeller teller_start = {});
    // With other predicates or another executor than the options say (tests, embedders).
    Engine(const EngineOptions&, DecisionSink&, std::unique_ptr<PredicateSet>, std::unique_ptr<StageExecutor>);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Applies one input. Spans and views in it need to live only during the call.
    void apply(const Input&);

    // Cuts a piece of about so many asks' cost off the beginning of a message that would take much longer. The piece is
    // applied, then other inputs and attempts if any, and so on; when no piece is cut the rest is applied. A piece is valid
    // until the next cut.
    bool cut(StateMessage& rest, StateMessage& piece, std::uint32_t steps = kStepsOfPiece);
    static constexpr std::uint32_t kStepsOfPiece = 2'048;

    // From now on asks that an event wakes leave the list of waiting asks by catch_up, some thousand at a time, instead of in
    // the event. No decision hangs on it: run() makes no attempt before all have left. Counters may run behind.
    void wake_in_slices();
    // True: all have left.
    bool catch_up(std::uint32_t most);

    // Makes up to `attempts_max` attempts; fewer when nothing can be selected, more when the last are a gang's. Returns how
    // many. After each it asks whether so many are `enough`: it reads no clock, its caller may. The last was `dear` if it
    // looked at thousands of specs.
    using Enough = std::function<bool(std::uint64_t made, bool dear)>;
    std::uint64_t run(std::uint64_t attempts_max, const Enough& enough = {});

    // True when run() would make at least one attempt.
    bool has_work() const;

    // The time of the next thing a tick would bring (an end of backoff), or INT64_MAX.
    std::int64_t next_timer_ns() const;

    // Hands decisions that wait for room to the sink. Returns how many batches were taken; 0 if the teller has a thread of
    // its own, which does so soon: at once, or, if the caller `goes_on` with run() and flush(), once a part of its ring
    // is full.
    std::size_t flush(bool goes_on = false);
    // Returns when the sink was told all that there is to say, but for what it has no room for.
    void settle();
    // Whether it had no room at the last flush; flush() offers that again.
    bool waits_for_room() const;

    // From now on a read model is told what operators may see (src/read_model); once. The feed outlives the engine.
    void publish_to(read_model::ChangeFeed&);
    // Tells a slice of what the model asked for, in turns that have nothing else to do. True: there is more.
    bool publish();

    std::vector<GroupCounts> groups() const;  // by shim and name

    std::uint64_t attempts() const;
    // Asks, nodes, objects, specs, terms, applications and words of dictionaries: an audit's cost grows with their number.
    std::uint64_t things() const;
    std::string digest() const;  // of the decision log so far; settles first
    EngineCounters counters() const;
    // Shims whose resyncs are open, in the order in which they were first seen; a number that changes whenever these do.
    std::vector<OpenResync> open_resyncs() const;
    std::uint64_t resync_changes() const;
    // The CPUs that searches for victims ran on so far, in order.
    std::vector<std::uint32_t> victim_cpus() const;

    // Checks the laws (rules/laws.md) against a recount of everything; appends what is broken.
    void audit(std::vector<std::string>& broken) const;

    // Fault of the last queues that were given (QueuesText), which then changed nothing; or "".
    const std::string& queues_fault() const;
    // By path; none where there is one leaf.
    std::vector<QueueReport> queues() const;

    // The ask that the next attempt of run() would be for, as its shim's name and its key.
    struct AskName {
        std::string shim;
        std::string key;
    };
    std::optional<AskName> next_ask();

    // The result that an attempt for the ask would have now, node by node; nothing is committed. `full`: all failing
    // predicates of a node, not only the first. Empty if there is no such ask.
    std::optional<Explanation> explain(std::string_view shim, std::string_view key, bool full);

    // Of a DaemonSet pod whose next attempt would find its node: the node if it fits there, or what the steps of the
    // simple preemptor come to. Empty: the ordinary rules decide on it.
    struct OnItsNode {
        std::string node;
        std::optional<DaemonsetExplanation> reserved;  // none: it fits
    };
    std::optional<OnItsNode> explain_on_its_node(std::string_view shim, std::string_view key) const;

    // The state of one ask, for tests and explain: "pending", "unschedulable", ... or "" if unknown;
    // `why` gets the reason why it waits, in terms of nodes, credit, and the events that would wake it.
    std::string ask_state(std::string_view shim, std::string_view key, std::string* why = nullptr) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan
