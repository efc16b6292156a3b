// Counting why nodes refuse an ask, by block where possible; see diagnosis.h.
#include "engine/diagnosis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>

#include "engine/explanation_fault.h"
#include "predicates/obstacle_texts.h"

namespace bayplan {

TrialTables trial_tables(World& world, const PredicateSet& predicates) {
    return {world.view, world.nominations, predicates, world.options.compat == Compat::kubernetes_1_35};
}

Verdict verdict_of(const PluginTable::Known& refusal) {
    return refusal.verdict == PluginVerdict::unschedulable ? Verdict::unschedulable : Verdict::unresolvable;
}

const PluginTable::Known* Diagnoser::refused_by_plugins(Slot slot) const {
    const PluginTable::Known* const known = plugins_ == nullptr ? nullptr : world_.plugins.counting(*plugins_, slot);
    return known == nullptr || known->verdict == PluginVerdict::feasible ? nullptr : known;
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

NodeView Diagnoser::view_of(Slot slot) const {
    return {world_.node_state.block(block_of(slot)), slot, *world_.nodes[slot].facts};
}

bool Diagnoser::some_are_shut_out() const {
    const Subject pod = subject();
    const auto& predicates = predicates_.predicates();
    return std::any_of(predicates.begin(), predicates.end(),
                       [&](const auto& predicate) { return predicate->excludes_nodes(pod); });
}

bool Diagnoser::judges_by_name() const {
    return subject().plan.by_name && world_.options.victim_path != VictimPath::plain && some_are_shut_out();
}

bool Diagnoser::judges_blocks() const {
    return whole_.refusal.verdict == Verdict::feasible && !any_excluded_ && plugins_ == nullptr &&
           (!beyond_amounts_ || world_.nominations.empty());
}

bool Diagnoser::judges_past_obstacles() const {
    return whole_.refusal.verdict == Verdict::feasible && !any_excluded_ && plugins_ == nullptr &&
           world_.options.victim_path != VictimPath::plain && !some_are_shut_out() &&
           Obstacles::are_all(trial_tables(world_, predicates_), subject());
}

void Diagnoser::count(Slot slot, Verdict verdict, Diagnosis& diagnosis) {
    if (verdict == Verdict::unschedulable) {
        unschedulable_[block_of(slot)] |= std::uint64_t{1} << lane_of(slot);
        ++diagnosis.unschedulable_count;
    }
    if (slot == nominated_) {
        diagnosis.nominated_node = verdict;
    }
}

void Diagnoser::judge_block(const Subject& pod, PredicateSet::Asked asked, std::uint32_t number,
                            FailureCache& cache) const {
    FailureCache::Block& kept = cache.blocks[number];
    for (std::size_t at = 0; at < FailureCache::kReasonsMax && at < cache.reasons.size(); ++at) {
        cache.reasons[at].nodes -= kept.reasons[at];
    }
    for (std::uint32_t left = kept.failed; left != 0; left &= left - 1) {
        --cache.failing_blocks[static_cast<std::size_t>(std::countr_zero(left))];
    }
    std::array<std::uint64_t, FailureCache::kReasonsMax> before{};
    const std::size_t known = std::min(cache.reasons.size(), before.size());
    for (std::size_t at = 0; at < known; ++at) {
        before[at] = cache.reasons[at].nodes;
    }
    const NodeBlock& block = world_.node_state.block(number);
    kept.failed = 0;
    const LaneRefusals refusals = predicates_.explain_block(pod, asked, block, number, kept.failed, cache.reasons);
    BP_EXPLAINS(refusals.all() == block.present);
    for (std::size_t at = 0; at < before.size() && at < cache.reasons.size(); ++at) {
        kept.reasons[at] = static_cast<std::uint8_t>(cache.reasons[at].nodes - before[at]);
    }
    for (std::uint32_t left = kept.failed; left != 0; left &= left - 1) {
        ++cache.failing_blocks[static_cast<std::size_t>(std::countr_zero(left))];
    }
    cache.unschedulable_count -= static_cast<std::uint64_t>(std::popcount(kept.unschedulable));
    kept.unschedulable = cache.unschedulable[number] = refusals.unschedulable;
    cache.unschedulable_count += static_cast<std::uint64_t>(std::popcount(kept.unschedulable));
}

void Diagnoser::judge_cached(Diagnosis& diagnosis) {
    FailureCache& cache = world_.failures.of(world_.asks[ask_].ask_class);
    const std::uint64_t terms_version = world_.topology.terms_version();
    if (cache.terms_version != terms_version || cache.reasons.size() > FailureCache::kReasonsMax) {
        cache.clear();
        cache.terms_version = terms_version;
    }
    const Subject pod = subject_in_blocks();
    const PredicateSet::Asked asked = predicates_.asked(pod);
    cache.blocks.resize(world_.node_state.block_count());
    cache.unschedulable.resize(cache.blocks.size());
    world_.node_state.changed_since(cache.position, world_.changed_blocks);
    for (const std::uint32_t number : world_.changed_blocks) {
        judge_block(pod, asked, number, cache);
    }
    cache.position = world_.node_state.log().head();
    for (std::size_t index = 0; index < cache.failing_blocks.size(); ++index) {
        diagnosis.failed_predicates |= cache.failing_blocks[index] != 0 ? 1u << index : 0;
    }
    diagnosis.unschedulable = &cache.unschedulable;
    diagnosis.unschedulable_count = cache.unschedulable_count;
    diagnosis.cache = &cache;
    if (nominated_ != kNone<Slot>) {
        const bool helps = (cache.unschedulable[block_of(nominated_)] >> lane_of(nominated_) & 1) != 0;
        diagnosis.nominated_node = helps ? Verdict::unschedulable : Verdict::unresolvable;
    }
    diagnosis.message = message_of(cache);
}

// Made anew only if it would read differently.
const std::string& Diagnoser::message_of(FailureCache& cache) const {
    const auto counts = [&](std::size_t at) {
        return at < cache.reasons.size() ? cache.reasons[at].nodes : world_.nodes.count();
    };
    bool same = cache.told.size() == cache.reasons.size() + 1;
    for (std::size_t at = 0; same && at < cache.told.size(); ++at) {
        same = cache.told[at] == counts(at);
    }
    if (!same) {
        FailureMessage message;
        cache.told.resize(cache.reasons.size() + 1);
        for (std::size_t at = 0; at < cache.reasons.size(); ++at) {
            message.add(cache.reasons[at].reason, counts(at));
            cache.told[at] = counts(at);
        }
        cache.told.back() = world_.nodes.count();
        cache.message = message.text(world_.nodes.count());
    }
    return cache.message;
}

void Diagnoser::judge_blocks(Diagnosis& diagnosis, FailureMessage& message) {
    const Subject pod = subject_in_blocks();
    const PredicateSet::Asked asked = predicates_.asked(pod);
    ReasonCounts reasons;
    for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
        const NodeBlock& block = world_.node_state.block(number);
        const LaneRefusals refusals =
            predicates_.explain_block(pod, asked, block, number, diagnosis.failed_predicates, reasons);
        BP_EXPLAINS(refusals.all() == block.present);
        count_lanes(number, refusals, diagnosis);
    }
    for (const ReasonCount& one : reasons) {
        message.add(one.reason, one.nodes);
    }
}

void Diagnoser::count_lanes(std::uint32_t number, const LaneRefusals& refusals, Diagnosis& diagnosis) {
    for (std::uint64_t left = refusals.all(); left != 0; left &= left - 1) {
        const bool unschedulable = (refusals.unschedulable & left & -left) != 0;
        count(slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left))),
              unschedulable ? Verdict::unschedulable : Verdict::unresolvable, diagnosis);
    }
}

LaneRefusals Diagnoser::judge_lanes(const Subject& pod, std::uint32_t number, std::uint64_t lanes,
                                    std::uint32_t& failed, ReasonCounts& reasons) const {
    const auto& predicates = predicates_.predicates();
    LaneRefusals sum;
    for (std::uint32_t index = 0; index < predicates.size() && lanes != 0; ++index) {
        const LaneRefusals refusals =
            predicates[index]->explain_lanes(pod, world_.node_state.block(number), number, lanes, reasons);
        failed |= refusals.all() != 0 ? 1u << index : 0;
        lanes &= ~refusals.all();
        sum.unschedulable |= refusals.unschedulable;
        sum.unresolvable |= refusals.unresolvable;
    }
    return sum;
}

// The word of a predicate before theirs stands, with the nominated pods there or without them.
PredicateSet::Failure Diagnoser::judge_barred(const Obstacles& obstacles, const NodeView& node) const {
    PredicateSet::Failure failure = predicates_.explain(subject(), node);
    const bool passes = failure.refusal.verdict == Verdict::feasible;
    const Obstacles::Kinds kinds = obstacles.staying(node.slot, {});
    const auto comes_first = [&](std::uint32_t index) { return passes || index <= failure.predicate; };
    if (kinds.ports && comes_first(obstacles.ports_index())) {
        return {obstacles.ports_index(), {Verdict::unschedulable, {std::string(kPortsTaken)}}};
    }
    if ((kinds.anti_affinity || kinds.of_others) && comes_first(obstacles.affinity_index())) {
        const std::string_view reason = kinds.anti_affinity ? kUnwantedPods : kUnwantedByPods;
        return {obstacles.affinity_index(), {Verdict::unschedulable, {std::string(reason)}}};
    }
    return failure;
}

void Diagnoser::judge_past_obstacles(Diagnosis& diagnosis, FailureMessage& message) {
    const TrialTables tables = trial_tables(world_, predicates_);
    const Subject pod = subject();
    const Obstacles obstacles(tables, pod, ask_);
    ReasonCounts reasons;
    for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
        const std::uint64_t present = world_.node_state.block(number).present;
        const std::uint64_t barred = obstacles.barred()[number];
        const LaneRefusals refusals = judge_lanes(pod, number, present & ~barred, diagnosis.failed_predicates, reasons);
        BP_EXPLAINS(refusals.all() == (present & ~barred));
        count_lanes(number, refusals, diagnosis);
        for (std::uint64_t left = barred; left != 0; left &= left - 1) {
            const NodeView node = view_of(slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left))));
            const PredicateSet::Failure failure = judge_barred(obstacles, node);
            BP_EXPLAINS(failure.refusal.verdict != Verdict::feasible);
            diagnosis.failed_predicates |= 1u << failure.predicate;
            message.add(failure.refusal.reasons);
            count(node.slot, failure.refusal.verdict, diagnosis);
        }
    }
    for (const ReasonCount& one : reasons) {
        message.add(one.reason, one.nodes);
    }
}

void Diagnoser::judge_node(const NodeView& node, Diagnosis& diagnosis, FailureMessage& message) {
    if (excluded(node.slot)) {
        count(node.slot, Verdict::unresolvable, diagnosis);
        message.add({std::string(kExcludedReason)});
    } else if (diagnosis.whole != Verdict::feasible) {
        count(node.slot, diagnosis.whole, diagnosis);
    } else {
        const PredicateSet::Failure failure = judge(node);
        const PluginTable::Known* const known = refused_by_plugins(node.slot);
        if (known != nullptr && failure.refusal.verdict == Verdict::feasible) {
            diagnosis.refused_by_plugins = true;
            message.add({std::string(reason_of(*known))});
            count(node.slot, verdict_of(*known), diagnosis);
            return;
        }
        BP_EXPLAINS(failure.refusal.verdict != Verdict::feasible);
        diagnosis.failed_predicates |= 1u << failure.predicate;
        message.add(failure.refusal.reasons);
        count(node.slot, failure.refusal.verdict, diagnosis);
    }
}

void Diagnoser::judge_nodes(Diagnosis& diagnosis, FailureMessage& message) {
    for_each_node([&](const NodeView& node) { judge_node(node, diagnosis, message); });
}

// One of the nodes that are shut out speaks for all of them.
void Diagnoser::judge_by_name(Diagnosis& diagnosis, FailureMessage& message) {
    const Subject pod = subject();
    ExcludedNodes apart;
    for (const Text name : pod.plan.names.names) {
        if (const Slot slot = world_.topology.node_named(name); slot != kNone<Slot>) {
            apart.add(slot);
        }
    }
    world_.excluded.for_each_excluded(ask_, [&](Slot slot) { apart.add(slot); });
    std::uint64_t others = world_.nodes.count();
    apart.for_each_block([&](std::uint32_t number, std::uint64_t lanes) {
        for (; lanes != 0; lanes &= lanes - 1) {
            judge_node(view_of(slot_at(number, static_cast<std::uint32_t>(std::countr_zero(lanes)))), diagnosis,
                       message);
            --others;
        }
    });
    if (nominated_ != kNone<Slot> && !apart.contains(nominated_)) {
        diagnosis.nominated_node = Verdict::unresolvable;
    }
    if (others == 0 || diagnosis.whole != Verdict::feasible) {
        return;
    }
    for (std::uint32_t number = 0;; ++number) {
        const std::uint64_t left = world_.node_state.block(number).present & ~apart.in_block(number);
        if (left != 0) {
            const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
            const PredicateSet::Failure failure = predicates_.explain(pod, view_of(slot));
            BP_EXPLAINS(failure.refusal.verdict == Verdict::unresolvable);
            diagnosis.failed_predicates |= 1u << failure.predicate;
            for (const std::string& reason : failure.refusal.reasons) {
                message.add(reason, others);
            }
            return;
        }
    }
}

Diagnosis Diagnoser::diagnose() {
    try {
        return find_reasons();
    } catch (const ExplanationFault& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return without_reasons();
    }
}

// Any event may help, since nobody knows; and nobody is preempted for it.
Diagnosis Diagnoser::without_reasons() {
    world_.failures.of(world_.asks[ask_].ask_class).clear();
    unschedulable_.assign(world_.node_state.block_count(), 0);
    FailureMessage message;
    message.set_whole({std::string(kNoReasonFound)});
    Diagnosis diagnosis;
    diagnosis.message = message.text(world_.nodes.count());
    diagnosis.failed_predicates = (1u << predicates_.predicates().size()) - 1;
    diagnosis.unschedulable = &unschedulable_;
    diagnosis.whole = Verdict::unresolvable;
    diagnosis.nominated_node = Verdict::unresolvable;
    return diagnosis;
}

// No node is judged, and none is worth making room on.
Diagnosis Diagnoser::end_in(const PredicateSet::Failure& failure) {
    unschedulable_.assign(world_.node_state.block_count(), 0);
    Diagnosis diagnosis;
    diagnosis.message = failure.refusal.reasons.front();
    diagnosis.failed_predicates = world_.nodes.count() == 0 ? 0 : 1u << failure.predicate;
    diagnosis.unschedulable = &unschedulable_;
    diagnosis.whole = Verdict::unresolvable;
    diagnosis.ends = failure.refusal.ends;
    diagnosis.nominated_node = Verdict::unresolvable;
    return diagnosis;
}

// Each node is asked until one ends in an error: what ends an attempt is said by a node that all predicates before let pass.
std::optional<PredicateSet::Failure> Diagnoser::error() const {
    const Subject pod = subject();
    if (!predicates_.may_err(pod) || predicates_.refuse_all(pod).refusal.verdict != Verdict::feasible) {
        return std::nullopt;
    }
    predicates_.begin(pod);
    std::optional<PredicateSet::Failure> found;
    std::uint64_t feasible = 0;
    for_each_node([&](const NodeView& node) {
        if (found || excluded(node.slot)) {
            return;
        }
        PredicateSet::Failure failure = judge(node);
        feasible += failure.refusal.verdict == Verdict::feasible ? 1 : 0;
        if (failure.refusal.ends == AttemptEnd::in_an_error) {
            found = std::move(failure);
        }
    });
    if (!found && feasible > 1 && world_.options.compat == Compat::kubernetes_1_35) {
        found = predicates_.error_of_scores(pod);
    }
    return found;
}

Diagnosis Diagnoser::diagnose_end() {
    begin();
    if (whole_.refusal.ends != AttemptEnd::in_a_verdict) {
        return end_in(whole_);
    }
    const std::optional<PredicateSet::Failure> failure = error();
    return failure ? end_in(*failure) : Diagnosis();
}

Diagnosis Diagnoser::find_reasons() {
    Diagnosis diagnosis = diagnose_end();
    if (diagnosis.ends != AttemptEnd::in_a_verdict) {
        return diagnosis;
    }
    const bool by_name = judges_by_name();
    if (!by_name && !beyond_amounts_ && !any_excluded_ && plugins_ == nullptr &&
        world_.options.victim_path != VictimPath::plain) {
        judge_cached(diagnosis);
        return diagnosis;
    }
    FailureMessage message;
    unschedulable_.assign(world_.node_state.block_count(), 0);
    diagnosis.unschedulable = &unschedulable_;
    diagnosis.whole = whole_.refusal.verdict;
    if (diagnosis.whole != Verdict::feasible) {
        diagnosis.failed_predicates = world_.nodes.count() == 0 ? 0 : 1u << whole_.predicate;
        message.set_whole(whole_.refusal.reasons);
        diagnosis.claims_refuse_all = predicates_.id(whole_.predicate) == PredicateId::dynamic_resources;
    }
    if (by_name) {
        judge_by_name(diagnosis, message);
    } else if (judges_blocks()) {
        judge_blocks(diagnosis, message);
    } else if (judges_past_obstacles()) {
        judge_past_obstacles(diagnosis, message);
    } else {
        judge_nodes(diagnosis, message);
    }
    diagnosis.message = message.text(world_.nodes.count());
    return diagnosis;
}

}  // namespace bayplan
