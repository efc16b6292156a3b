#include "engine/diagnosis.h"

#include <bit>
#include <utility>

#include "base/check.h"

namespace bayplan {

TrialTables trial_tables(World& world, const PredicateSet& predicates) {
    return {world.asks,     world.classes,     world.nodes, world.node_state,
            world.topology, world.nominations, world.kinds, predicates,
            world.options.compat == Compat::kubernetes_1_35};
}

void Diagnoser::begin() {
    const Subject pod = subject();
    const Nomination* const nomination = world_.nominations.of(ask_);
    nominated_ = nomination == nullptr ? kNone<Slot> : nomination->slot;
    beyond_amounts_ = looks_beyond_amounts(trial_tables(world_, predicates_), pod);
    whole_ = predicates_.refuse_all(pod);
    predicates_.begin(pod);
}

PredicateSet::Failure Diagnoser::judge(const NodeView& node) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    // Amounts of nominated pods are held on the node: only what they bring beside needs a trial.
    if (beyond_amounts_ && !reckoned_with(tables, ask_, node.slot).empty()) {
        PredicateSet::Failure failure = NodeTrial(tables, ask_, node.slot).judge();
        predicates_.begin(subject());  // the trial began anew, with others there
        return failure;
    }
    return predicates_.explain(subject(), node);
}

bool Diagnoser::judges_blocks() const {
    return whole_.refusal.verdict == Verdict::feasible && !any_left_out_ &&
           (!beyond_amounts_ || world_.nominations.empty());
}

void Diagnoser::count(Slot slot, Verdict verdict, Diagnosis& diagnosis) const {
    if (verdict == Verdict::unschedulable) {
        diagnosis.unschedulable.push_back(slot);
    }
    if (slot == nominated_) {
        diagnosis.nominated_node = verdict;
    }
}

void Diagnoser::judge_blocks(Diagnosis& diagnosis, FailureMessage& message) const {
    const Subject pod = subject();
    ReasonCounts reasons;
    for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
        const NodeBlock& block = world_.node_state.block(number);
        const LaneRefusals refusals =
            predicates_.explain_block(pod, block, number, diagnosis.failed_predicates, reasons);
        BP_CHECK(refusals.all() == block.present);
        for (std::uint64_t left = refusals.all(); left != 0; left &= left - 1) {
            const bool unschedulable = (refusals.unschedulable & left & -left) != 0;
            count(slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left))),
                  unschedulable ? Verdict::unschedulable : Verdict::unresolvable, diagnosis);
        }
    }
    for (const auto& [reason, nodes] : reasons) {
        message.add(reason, nodes);
    }
}

void Diagnoser::judge_nodes(Diagnosis& diagnosis, FailureMessage& message) const {
    for_each_node([&](const NodeView& node) {
        if (left_out(node.slot)) {
            count(node.slot, Verdict::unresolvable, diagnosis);
            message.add({std::string(kLeftOutReason)});
        } else if (diagnosis.whole != Verdict::feasible) {
            count(node.slot, diagnosis.whole, diagnosis);
        } else {
            const PredicateSet::Failure failure = judge(node);
            BP_CHECK(failure.refusal.verdict != Verdict::feasible);
            diagnosis.failed_predicates |= 1u << failure.predicate;
            message.add(failure.refusal.reasons);
            count(node.slot, failure.refusal.verdict, diagnosis);
        }
    });
}

Diagnosis Diagnoser::diagnose() {
    begin();
    Diagnosis diagnosis;
    FailureMessage message;
    diagnosis.whole = whole_.refusal.verdict;
    if (diagnosis.whole != Verdict::feasible) {
        diagnosis.failed_predicates = world_.nodes.count() == 0 ? 0 : 1u << whole_.predicate;
        message.set_whole(whole_.refusal.reasons);
    }
    if (judges_blocks()) {
        judge_blocks(diagnosis, message);
    } else {
        judge_nodes(diagnosis, message);
    }
    diagnosis.message = message.text(world_.nodes.count());
    return diagnosis;
}

}  // namespace bayplan
