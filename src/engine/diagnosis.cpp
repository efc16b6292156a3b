// The part of Lifecycle that says why an attempt failed, over all nodes, in Kubernetes' words.

#include <bit>

#include "base/check.h"
#include "engine/failure_message.h"
#include "engine/lifecycle.h"

namespace bayplan {

Subject Lifecycle::subject_of(ClassId id) {
    const AskClass& ask_class = *world_.classes[id].spec;
    return {ask_class, world_.specs[ask_class.spec], world_.topology.plan(ask_class.spec), world_.topology,
            world_.kinds};
}

void Lifecycle::diagnose(ClassId id) {
    ClassEntry& entry = world_.classes[id];
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();  // both only grow
    if (entry.failure_position == position) {
        return;  // nothing has changed since another ask of the class failed
    }
    const PredicateSet& predicates = evaluator_.predicates();
    const Subject subject = subject_of(id);
    FailureMessage message;
    entry.failed_predicates = 0;
    const PredicateSet::Failure whole = predicates.refuse_all(subject);
    if (whole.refusal.verdict != Verdict::feasible) {
        entry.failed_predicates = world_.nodes.count() == 0 ? 0 : 1u << whole.predicate;
        message.set_whole(whole.refusal.reasons);
    } else {
        predicates.begin(subject);
        for_each_node([&](const NodeView& node) {
            const auto failure = predicates.explain(subject, node);
            BP_CHECK(failure.refusal.verdict != Verdict::feasible);
            entry.failed_predicates |= 1u << failure.predicate;
            message.add(failure.refusal.reasons);
        });
    }
    entry.failure_position = position;
    entry.failure_text = message.text(world_.nodes.count());
}

}  // namespace bayplan
