// What happens to asks: the only code that changes an ask's state, a node's usage, or a shim's decisions. Every
// transition of engine/rules is one function here; which states follow which is in apps/ask_state.h alone. Selecting
// and putting back is the pipeline's (placement/pipeline.h), and means nothing to the outside. The pending order is told
// here of every ask that comes, goes, gets or loses a node (queues/pending_order.h).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/ask_state.h"
#include "engine/preempting.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "teller/announcer.h"

namespace bayplan {

std::string gates_text(const PodSpec&, const TextTable&);
std::string awaited_text(std::string_view node);

class Lifecycle {
public:
    Lifecycle(World&, Pipeline&, const BlockEvaluator&, Announcer&);

    // --- decisions to a shim
    void decide(ShimId, DecisionKind, std::string_view name, std::string_view text,
                Termination = Termination::unknown, std::string_view node = {}, bool scale_up = false);
    void cut(ShimId, std::string_view why);
    void forget_decisions(ShimId);  // all of them: it resyncs, and is told from number 1 on
    void acknowledge(ShimId, std::uint64_t up_to);

    // The line of an allocation that the engine itself ends.
    void log_release(ShimId id, std::string_view key, std::string_view node, std::string_view why) {
        announcer_.release({world_.now_ns, id, key, node}, why);
    }

    // --- an attempt's end
    void place(AskId, Slot);
    // `message` is whole; `failed` the failing predicates, as bits; `nodes` how many might be made room on.
    void fail(AskId, std::string_view message, std::uint32_t failed, const PreemptionOutcome&, std::size_t nodes);

    // --- transitions
    void make_pending(AskId, AskEvent);
    void make_gated(AskId, bool tell);
    void make_unschedulable(AskId, AskEvent);
    void withdraw(AskId);  // out of wherever it waits; the caller gives it a new state
    void place_by_force(AskId, Slot, std::string_view stated_devices);
    void await_node(AskId, std::string_view node, bool tell);  // it runs on a node that nobody has registered
    void end_allocation(AskId);  // frees its amounts; the caller gives it a new state
    void back_off_after_nack(AskId, Slot refused_by);
    void insert_backoff(AskId, AskEvent);
    void remove(AskId);  // the ask and, if it has one, its allocation
    void wake_one(AskId);  // it is out of wherever it waited
    void wake_if_unschedulable(AskId);
    void wake(std::uint32_t events);  // bits of WakeEvent
    void wake_everybody();
    void tick(std::int64_t now_ns);

    std::uint64_t placed() const { return placed_; }
    std::uint64_t failed() const { return failed_; }

    // Counts the pod in and out of a node; its place in the tables of asks is the caller's. Its devices stay.
    void occupy(AskId, Slot);
    void vacate(AskId);

    // --- preemption (preemption_steps.cpp)
    // A nomination that ends by a decision: logged and told. Wakes the ask, and others.
    void clear_nomination(AskId, std::string_view why);
    // An ask in backoff may be tried early; out of it, or kNone.
    AskId take_early();
    AskId early() const;  // the one that take_early() would take
    void note_terminating(AskId pod);  // after its shim stated whether it does
    // The pod on its way out is no reason any more for those that are nominated to its node to wait.
    void wake_behind(AskId pod);
    void end_nomination(AskId);        // without a word; wakes others. Fine if it has none
    std::string full_name(AskId) const;

private:
    void count_decision(ShimId, bool spends, AskHandle);
    void credit_changed(ShimId);
    void give_devices(AskId, Slot, std::string_view stated);
    void count_failure(AskId);
    void end_waiting(AskId, AskEvent, std::uint64_t decision);
    void begin_waiting(AskId);
    void log_failure(AskId, std::string_view message, const PreemptionOutcome&, std::size_t nodes);
    void tell_waiting(AskId, std::string_view message, bool nominated);
    void end_avoiding(AskId);
    void end_nomination_by_placement(AskId, Slot);
    void nominate(AskId, const NodeVictims&);
    void release_victim(AskId victim, AskId preemptor);
    void tell_to_go(AskId victim, std::string_view why);
    void clear_lower_nominations(AskId, Slot);
    bool still_fits(AskId nominated, Slot);
    void depart(const Departures::Due&);
    void give_up_on(AskId stuck);
    void give_up_on_stuck_victims(AskId);
    void bind_claims(AskId, Slot);
    void unbind_claims(AskId);

    World& world_;
    Pipeline& pipeline_;
    const BlockEvaluator& evaluator_;
    Announcer& announcer_;
    std::uint64_t placed_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace bayplan
