#include "engine/diagnosis.h"

#include <utility>

#include "base/check.h"
#include "engine/failure_message.h"

namespace bayplan {

TrialTables trial_tables(World& world, const PredicateSet& predicates) {
    return {world.asks,     world.classes,     world.nodes, world.node_state,
            world.topology, world.nominations, world.kinds, predicates,
            world.options.compat == Compat::kubernetes_1_35};
}

void Diagnoser::begin() {
    const Subject pod = subject();
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

Diagnosis Diagnoser::diagnose() {
    begin();
    Diagnosis diagnosis;
    FailureMessage message;
    diagnosis.whole = whole_.refusal.verdict;
    if (diagnosis.whole != Verdict::feasible) {
        diagnosis.failed_predicates = world_.nodes.count() == 0 ? 0 : 1u << whole_.predicate;
        message.set_whole(whole_.refusal.reasons);
    }
    const Nomination* const nomination = world_.nominations.of(ask_);
    const auto count = [&](const NodeView& node, Verdict verdict) {
        if (verdict == Verdict::unschedulable) {
            diagnosis.unschedulable.push_back(node.slot);
        }
        if (nomination != nullptr && nomination->slot == node.slot) {
            diagnosis.nominated_node = verdict;
        }
    };
    for_each_node([&](const NodeView& node) {
        if (left_out(node.slot)) {
            count(node, Verdict::unresolvable);
            message.add({std::string(kLeftOutReason)});
        } else if (diagnosis.whole != Verdict::feasible) {
            count(node, diagnosis.whole);
        } else {
            const PredicateSet::Failure failure = judge(node);
            BP_CHECK(failure.refusal.verdict != Verdict::feasible);
            diagnosis.failed_predicates |= 1u << failure.predicate;
            message.add(failure.refusal.reasons);
            count(node, failure.refusal.verdict);
        }
    });
    diagnosis.message = message.text(world_.nodes.count());
    return diagnosis;
}

}  // namespace bayplan
