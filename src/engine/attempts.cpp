#include "engine/attempts.h"

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

void set_bit(NodeMask& mask, Slot slot) { mask[block_of(slot)] |= std::uint64_t{1} << lane_of(slot); }

}  // namespace

std::string whole_message(std::string message, const PreemptionOutcome& outcome) {
    if (outcome.tried && !outcome.chosen) {
        // Kubernetes' plugin for dynamic resources speaks first, and has nothing to say.
        message += " no new claims to deallocate, preemption: " + outcome.text;
    }
    return message;
}

void Attempts::make(AskId id) {
    Commit& commit = lifecycle_.commit();
    commit.suspend_nomination(id);
    if (const Slot slot = nominated_node_that_passes(id); slot != kNone<Slot>) {
        lifecycle_.place(id, slot);
    } else if (const NodeKey best = find(id); best != 0) {
        lifecycle_.place(id, slot_of(best));
    } else {
        fail(id);
    }
    commit.restore_nomination(id);
    commit.finish();
}

Slot Attempts::nominated_node_that_passes(AskId id) const {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr || !world_.options.preemption.nominated_node_first ||
        world_.left_out.is_left_out(id, nomination->slot) ||
        world_.left_out.avoided(id, world_.now_ns) == nomination->slot) {
        return kNone<Slot>;
    }
    NodeTrial trial(trial_tables(world_, predicates_), id, nomination->slot);
    return trial.passes() ? nomination->slot : kNone<Slot>;
}

bool Attempts::left_out(AskId id, bool avoid, NodeMask& mask) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    const Slot avoided = avoid ? world_.left_out.avoided(id, world_.now_ns) : kNone<Slot>;
    const bool nominations = !world_.nominations.empty() &&
                             looks_beyond_amounts(tables, subject_of(tables, world_.asks[id].ask_class));
    if (!nominations && avoided == kNone<Slot> && !world_.left_out.any_left_out(id)) {
        return false;
    }
    bool any = false;
    mask.assign(world_.node_state.block_count(), 0);
    const auto leave_out = [&](Slot slot) {
        set_bit(mask, slot);
        any = true;
    };
    world_.left_out.for_each_left_out(id, leave_out);
    if (avoided != kNone<Slot>) {
        leave_out(avoided);
    }
    if (nominations) {
        world_.nominations.for_each_node([&](Slot slot) {
            if (!reckoned_with(tables, id, slot).empty() && !NodeTrial(tables, id, slot).passes()) {
                leave_out(slot);
            }
        });
    }
    return any;
}

NodeKey Attempts::find(AskId id) {
    const ClassId ask_class = world_.asks[id].ask_class;
    const NodeKey best = pipeline_.resolve(ask_class, left_out(id, true, left_out_) ? &left_out_ : nullptr);
    if (best != 0 || world_.left_out.avoided(id, world_.now_ns) == kNone<Slot>) {
        return best;
    }
    return pipeline_.resolve(ask_class, left_out(id, false, left_out_) ? &left_out_ : nullptr);
}

// True: what is found now holds for every ask of its class, until something changes.
bool Attempts::shares_failures(AskId id) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    return world_.nominations.of(id) == nullptr && !world_.left_out.any_left_out(id) &&
           (world_.nominations.empty() ||
            !looks_beyond_amounts(tables, subject_of(tables, world_.asks[id].ask_class)));
}

void Attempts::fail(AskId id) {
    ClassEntry& entry = world_.classes[world_.asks[id].ask_class];
    const bool shared = shares_failures(id) && !world_.asks[id].never_preempts;
    // Both only grow.
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();
    if (shared && entry.failure_position == position) {
        // Nothing has changed since another ask of the class failed and found nobody to preempt.
        lifecycle_.fail(id, entry.failure_text, entry.failed_predicates, {}, 0);
        return;
    }
    Diagnoser diagnoser(world_, predicates_, id);
    Diagnosis diagnosis = diagnoser.diagnose();
    const PreemptionOutcome outcome = preempting_.decide(id, diagnosis);
    const std::string message = whole_message(std::move(diagnosis.message), outcome);
    const std::uint32_t failed = diagnosis.failed_predicates | outcome.failed_predicates;
    if (shared && !outcome.chosen) {
        entry.failure_position = world_.node_state.log().head() + world_.topology.version();
        entry.failure_text = message;
        entry.failed_predicates = failed;
    }
    lifecycle_.fail(id, message, failed, outcome, diagnosis.unschedulable_count);
}

}  // namespace bayplan
