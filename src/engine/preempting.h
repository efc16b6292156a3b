// What follows a failed attempt: may the ask preempt, on which node, and whom (engine/RULES.md, section 10).
// Decides only; what comes of it is Lifecycle's.
//
// Thread: the engine's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis.h"
#include "engine/failure_message.h"
#include "preemption/victim_search.h"

namespace bayplan {

struct PreemptionOutcome {
    bool tried = false;     // preemption had its say; else nothing below counts
    bool eligible = false;  // it looked for a node
    std::optional<NodeVictims> chosen;
    std::string text;       // why none was chosen
    std::uint32_t failed_predicates = 0;  // of nodes without the pods below the ask; bits by index
};

class Preempting {
public:
    Preempting(World& world, const PredicateSet& predicates)
        : world_(world),
          search_(trial_tables(world, predicates), world.budgets, world.options.preemption) {}

    PreemptionOutcome decide(AskId, const Diagnosis&) const;
    // As decide(), with every node that was considered (for explanations).
    PreemptionOutcome decide(AskId, const Diagnosis&, std::vector<NodeVictims>* candidates) const;

private:
    void search_on_trial(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&,
                         std::vector<NodeVictims>* candidates) const;
    void search_by_amounts(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&,
                           std::vector<NodeVictims>* candidates) const;
    std::string why_not(AskId, const Diagnosis&) const;  // empty: it may
    bool waits_for_a_terminating_pod(AskId) const;

    World& world_;
    VictimSearch search_;
};

}  // namespace bayplan
