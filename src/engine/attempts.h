// One attempt: the best node for the next ask, or why there is none and whom it preempts
// (rules/attempt.md, rules/preemption.md).
//
// Thread: the engine's.
#pragma once

#include <cstdint>

#include "engine/diagnosis.h"
#include "engine/lifecycle.h"
#include "engine/preempting.h"
#include "engine/reserving.h"
#include "placement/pipeline.h"

namespace bayplan {

class Attempts {
public:
    Attempts(World& world, Pipeline& pipeline, const BlockEvaluator& evaluator, Lifecycle& lifecycle,
             WorkerStart victim_worker_start)
        : world_(world),
          pipeline_(pipeline),
          predicates_(evaluator.predicates()),
          lifecycle_(lifecycle),
          reserving_(world, predicates_),
          preempting_(world, predicates_, evaluator.kernels(), std::move(victim_worker_start)) {}

    // The best node for the ask as things stand; 0: none.
    NodeKey find(AskId);
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
    Preempting& preempting() { return preempting_; }
    const Preempting& preempting() const { return preempting_; }
    const Reserving& reserving() const { return reserving_; }

private:
    void exclude_for_nominations(AskId, ExcludedNodes&) const;
    void fail(AskId, std::uint32_t failed_on_its_node);
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

    World& world_;
    Pipeline& pipeline_;
    const PredicateSet& predicates_;
    Lifecycle& lifecycle_;
    Reserving reserving_;
    Preempting preempting_;
    ExcludedNodes excluded_;  // room for lists
};

// The message of a failed attempt with the outcome of preemption added.
std::string whole_message(std::string message, const PreemptionOutcome&);

}  // namespace bayplan
