// One attempt: the best node for the next ask, or why there is none and whom it preempts
// (rules/attempt.md, rules/preemption.md).
//
// Thread: the engine's. Owns the victim workers.
#pragma once

#include <array>
#include <cstdint>

#include "engine/claims_of_pods.h"
#include "engine/diagnosis.h"
#include "engine/guaranteeing.h"
#include "engine/lifecycle.h"
#include "engine/preempting.h"
#include "engine/reserving.h"
#include "engine/yielding.h"
#include "placement/pipeline.h"
#include "preemption/victim_workers.h"

namespace bayplan {

// Outcomes of looks at the nodes of DaemonSet pods, since the start.
struct ReservationCounters {
    std::uint64_t made = 0;
    std::uint64_t cleared = 0;  // by an attempt: more than resources is in the way
    std::uint64_t expired = 0;
    std::uint64_t preemptions = 0;
    std::uint64_t victims = 0;
    std::array<std::uint64_t, kReservationStates> ended = {};  // looks by the state that ended their steps
};

class Attempts {
public:
    Attempts(World& world, Pipeline& pipeline, const BlockEvaluator& evaluator, Lifecycle& lifecycle,
             WorkerStart victim_worker_start)
        : world_(world),
          pipeline_(pipeline),
          predicates_(evaluator.predicates()),
          lifecycle_(lifecycle),
          victim_workers_(world.options.victim_workers, std::move(victim_worker_start)),
          reserving_(world, predicates_, victim_workers_),
          preempting_(world, predicates_, evaluator.kernels(), victim_workers_),
          guaranteeing_(world, predicates_, preempting_.gangs()),
          yielding_(world, predicates_, lifecycle) {}

    // The best node for the ask as things stand; 0: none.
    NodeKey find(AskId);
    // Of a member of a gang, whose nominations are suspended: its nominated node if that passes, else the best; or kNone.
    Slot find_for_member(AskId);
    // Where the ask found no node: a node that gangs behind it in the order held, and have given up. Or kNone.
    Slot take_from_gangs_behind(AskId);
    // True: what is found to fail the ask now fails every ask of its class, until something changes.
    bool shares_failures(AskId) const;

    // The ask is out of the heap; afterwards it has a place or waits.
    void make(AskId);
    // Acts on the first reservation that has something to do. True: that was an attempt. False: no reservation has.
    bool act_on_a_reservation();
    // The ask that would be for, or kNone.
    AskId reservation_to_act_on();

    // --- also for explanations; the ask's own nomination is suspended
    // With nominated_node_first: its nominated node, if it passes; else kNone.
    Slot nominated_node_that_passes(AskId) const;
    // Nodes that the ask may not be placed on although their columns may allow it: left out, avoided (if so wished), or
    // refused because of nominated pods.
    // Its own list as it is kept, or one made in `room`.
    const ExcludedNodes& excluded(AskId, bool avoid, ExcludedNodes& room) const;
    Commit& commit() { return lifecycle_.commit(); }
    Lifecycle& lifecycle() { return lifecycle_; }
    const Yielding& yielding() const { return yielding_; }
    Preempting& preempting() { return preempting_; }
    const Preempting& preempting() const { return preempting_; }
    Guaranteeing& guaranteeing() { return guaranteeing_; }
    const Guaranteeing& guaranteeing() const { return guaranteeing_; }
    const Reserving& reserving() const { return reserving_; }
    const ReservationCounters& reservation_counters() const { return reservation_counters_; }
    const VictimWorkers& victim_workers() const { return victim_workers_; }

private:
    void exclude_for_nominations(AskId, ExcludedNodes&) const;
    bool ends_in_an_error(AskId) const;
    void give(AskId, Slot, NodeKey key = 0);
    std::vector<NodeKey> others_to_ask(AskId, Slot, const PluginTable::Entry*);
    bool refused_by_plugins(AskId, Slot) const;
    void fail(AskId, std::uint32_t failed_on_its_node);
    struct Failure {
        std::string message;
        std::uint32_t failed_predicates = 0;
        PreemptionOutcome outcome;
        ClaimsAfterFailure claims;
        std::uint64_t nodes = 0;
        bool refused_by_plugins = false;
        VictimOffer offer;  // if the plugins are to be asked about victims
    };
    Failure judge_failure(AskId, Guaranteed);
    bool preempt_for_guarantee(AskId, const Diagnosis&, PreemptionOutcome&);
    // False: its node is not for it now, for these predicates; the ordinary rules decide.
    bool make_on_its_node(AskId, std::uint32_t& failed_predicates);
    enum class Action : std::uint8_t { none, place, preempt, clear, expire };
    struct DueReservation {
        AskId ask = kNone<AskId>;
        Action action = Action::none;
        ReservingLook look;
    };
    DueReservation due_reservation();
    Action action_for(AskId, const ReservingLook&) const;
    void count(const ReservingLook&);

    World& world_;
    Pipeline& pipeline_;
    const PredicateSet& predicates_;
    Lifecycle& lifecycle_;
    VictimWorkers victim_workers_;
    Reserving reserving_;
    Preempting preempting_;
    Guaranteeing guaranteeing_;
    Yielding yielding_;
    ExcludedNodes excluded_;  // room for lists
    ReservationCounters reservation_counters_;
};

// The message of a failed attempt with the outcome of preemption added.
std::string whole_message(std::string message, const PreemptionOutcome&, std::string_view of_claims);

}  // namespace bayplan
