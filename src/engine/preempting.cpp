#include "engine/preempting.h"

#include <utility>

#include "base/check.h"
#include "predicates/shortage.h"
#include "preemption/amount_search.h"

namespace bayplan {

bool Preempting::waits_for_a_terminating_pod(AskId id) const {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr) {
        return false;
    }
    const bool marked_only = world_.options.preemption.preempt_again == PreemptAgain::marked;
    const auto& pods = world_.nodes[nomination->slot].allocations;
    for (AskId pod = pods.front(); pod != kNone<AskId>; pod = pods.next(world_.asks, pod)) {
        const Ask& one = world_.asks[pod];
        if (one.terminating && one.priority < world_.asks[id].priority && (one.preempted || !marked_only) &&
            !world_.departures.is_stuck(pod)) {
            return true;
        }
    }
    return false;
}

std::string Preempting::why_not(AskId id, const Diagnosis& diagnosis) const {
    if (world_.asks[id].never_preempts) {
        return "not eligible due to preemptionPolicy=Never.";
    }
    if (diagnosis.nominated_node != Verdict::unresolvable && waits_for_a_terminating_pod(id)) {
        return "not eligible due to a terminating pod on the nominated node.";
    }
    return {};
}

PreemptionOutcome Preempting::decide(AskId id, const Diagnosis& diagnosis) const {
    return decide(id, diagnosis, nullptr);
}

PreemptionOutcome Preempting::decide(AskId id, const Diagnosis& diagnosis,
                                     std::vector<NodeVictims>* candidates) const {
    PreemptionOutcome outcome;
    if (!world_.options.preemption.enabled || world_.nodes.count() == 0 ||
        diagnosis.whole == Verdict::unresolvable) {
        return outcome;
    }
    outcome.tried = true;
    outcome.text = why_not(id, diagnosis);
    if (!outcome.text.empty()) {
        return outcome;
    }
    outcome.eligible = true;
    FailureMessage message;
    message.add("Preemption is not helpful for scheduling", world_.nodes.count() - diagnosis.unschedulable.size());
    const TrialTables& tables = search_.tables();
    if (looks_beyond_amounts(tables, subject_of(tables, world_.asks[id].ask_class))) {
        search_on_trial(id, diagnosis, outcome, message, candidates);
    } else {
        search_by_amounts(id, diagnosis, outcome, message, candidates);
    }
    if (!outcome.chosen) {
        outcome.text = message.text(world_.nodes.count());
    }
    return outcome;
}

void Preempting::search_on_trial(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                 FailureMessage& message, std::vector<NodeVictims>* candidates) const {
    for (const Slot slot : diagnosis.unschedulable) {
        VictimFinding finding = search_.on_node(id, slot);
        message.add(finding.reasons);
        outcome.failed_predicates |= finding.failed_predicates;
        if (!finding.choice) {
            continue;
        }
        BP_CHECK(!finding.choice->victims.empty());
        if (candidates != nullptr) {
            candidates->push_back(*finding.choice);
        }
        // In order of slots: of equals the first stands.
        if (!outcome.chosen || finding.choice->cost.better_than(outcome.chosen->cost)) {
            outcome.chosen = std::move(finding.choice);
        }
    }
}

void Preempting::search_by_amounts(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                   FailureMessage& message, std::vector<NodeVictims>* candidates) const {
    const AskClass& ask_class = *world_.classes[world_.asks[id].ask_class].spec;
    AmountSearch search({world_.asks, world_.node_state, world_.specs, world_.budgets, world_.victim_index},
                        ask_class);
    search.run(diagnosis.unschedulable, candidates);
    outcome.chosen = search.best();
    message.add("No preemption victims found for incoming pod", search.without_victims());
    for (std::size_t k = 0; k < ask_class.requests.size(); ++k) {
        message.add(shortage_of(world_.kinds.text(ask_class.requests[k].kind)), search.short_of()[k]);
    }
}

}  // namespace bayplan
