// Filling an explanation from trials that change nothing; see explain.h.
#include "engine/explain.h"

#include <utility>

#include "claims/claim_causes.h"
#include "engine/claims_of_pods.h"
#include "engine/explain_group.h"
#include "engine/placeholder_steps.h"
#include "engine/quota_steps.h"
#include "engine/room_steps.h"
#include "placement/whole_look.h"

namespace bayplan {

namespace {

PredicateFailure named(const PredicateSet& predicates, PredicateSet::Failure&& failure) {
    return {std::string(predicates.name(failure.predicate)), failure.refusal.verdict,
            std::move(failure.refusal.reasons)};
}

constexpr std::string_view kAvoidedReason = "node(s) refused the pod lately";

// In the words of rules/failure.md. A new or changed node wakes whatever failed.
std::vector<std::string> wake_texts(std::uint32_t events) {
    static constexpr std::pair<std::uint32_t, std::string_view> kTexts[] = {
        {kNodeAdded, "a node added"},
        {kNodeUpdated, "a node or its holds changed"},
        {kNodeUndrained, "a node undrained"},
        {kNodeGone, "a node gone"},
        {kPodGone, "a pod gone"},
        {kPodPlaced, "a pod placed"},
        {kObjectChanged, "a claim, volume or namespace changed"},
        {kClaimGivenBack, "a claim on devices given back"},
    };
    std::vector<std::string> texts;
    for (const auto& [event, text] : kTexts) {
        if (((events | kNodeChanges) & event) != 0) {
            texts.emplace_back(text);
        }
    }
    return texts;
}

std::string why_unschedulable(std::uint32_t failed, const PredicateSet& predicates) {
    std::string why = "no node takes it:";
    for (std::uint32_t index = 0; index < predicates.predicates().size(); ++index) {
        if (failed >> index & 1) {
            why += ' ' + std::string(predicates.name(index));
        }
    }
    std::string_view between = "; woken by: ";
    for (const std::string& text : wake_texts(predicates.woken_by(failed))) {
        why += between;
        why += text;
        between = ", ";
    }
    return why;
}

class Explainer {
public:
    Explainer(World& world, Attempts& attempts, const BlockEvaluator& evaluator, ClusterSearch& search, AskId id)
        : world_(world),
          attempts_(attempts),
          evaluator_(evaluator),
          search_(search),
          ask_(id),
          diagnoser_(world, evaluator.predicates(), id) {}

    void explain(Explanation& explanation, bool full) {
        const Slot taken = attempts_.nominated_node_that_passes(ask_);
        if (taken != kNone<Slot>) {
            explain_nominated(taken, explanation);
            return;
        }
        if (const Diagnosis diagnosis = diagnoser_.diagnose_end(); diagnosis.ends != AttemptEnd::in_a_verdict) {
            explanation.message = diagnosis.message;
            explanation.ends = diagnosis.ends;
            explanation.woken_by = wake_texts(evaluator_.predicates().woken_by(diagnosis.failed_predicates));
            return;
        }
        const NodeKey best = look();
        if (best != 0 && takes_nominated_after_all(slot_of(best))) {
            explain_nominated(slot_of(best), explanation);
            return;
        }
        explanation.node = best == 0 ? "" : std::string(world_.nodes.name(slot_of(best)));
        diagnoser_.begin();
        diagnoser_.for_each_node([&](const NodeView& node) { explanation.nodes.push_back(judge(node, full)); });
        explanation.without_nodes = diagnoser_.whole().refusal.verdict != Verdict::feasible;
        if (best == 0) {
            explain_preemption(explanation);
        }
    }

private:
    Subject subject() const { return diagnoser_.subject(); }

    // No other node is looked at, and this one is not scored.
    void explain_nominated(Slot slot, Explanation& explanation) const {
        explanation.node = world_.nodes.name(slot);
        explanation.nodes.emplace_back().node = explanation.node;
        explanation.nodes.back().devices = devices_at(diagnoser_.view_of(slot));
    }

    // It avoided the node, but no other is feasible, so all was judged again: its nominated node first (R-ATTEMPT-15).
    bool takes_nominated_after_all(Slot slot) const {
        const Nomination* const nomination = world_.nominations.of(ask_);
        return nomination != nullptr && nomination->slot == slot && avoided_ == kNone<Slot> &&
               world_.options.preemption.nominated_node_first && world_.excluded.avoided(ask_, world_.now_ns) == slot &&
               NodeTrial(trial_tables(world_, evaluator_.predicates()), ask_, slot).passes();
    }

    // Fills a cache of its own, so that what the engine caches stays as it is.
    NodeKey look() {
        ClassCache cache;
        look_at_all(subject(), evaluator_, cache);
        avoided_ = world_.excluded.avoided(ask_, world_.now_ns);
        NodeKey best = best_of(cache, true);
        if (best == 0 && avoided_ != kNone<Slot>) {
            avoided_ = kNone<Slot>;
            best = best_of(cache, false);
        }
        return best;
    }

    NodeKey best_of(const ClassCache& cache, bool avoid) {
        ExcludedNodes room;
        return search_.best(subject(), cache, attempts_.excluded(ask_, avoid, room));
    }

    void explain_preemption(Explanation& explanation) {
        Diagnosis diagnosis = diagnoser_.diagnose();
        std::vector<NodeVictims> candidates;
        PreemptionOutcome outcome = needs_plugins(world_, ask_) && !plugins_judge_victims(world_, ask_)
                                        ? PreemptionOutcome{}
                                        : attempts_.preempting().decide(ask_, diagnosis, &candidates);
        explanation.woken_by =
            wake_texts(evaluator_.predicates().woken_by(diagnosis.failed_predicates | outcome.failed_predicates));
        const bool refused = diagnosis.refused_by_plugins || outcome.refused_by_plugins;
        if (refused && !outcome.chosen) {
            explanation.woken_by = {"the end of its backoff"};
        }
        const ClaimsAfterFailure claims = claims_after_failure(world_, diagnoser_, outcome);
        const std::string guarantee = look_for_guarantee(diagnosis, outcome, candidates);
        explanation.message = whole_message(std::move(diagnosis.message), outcome, claims.words);
        if (!outcome.tried) {
            return;
        }
        PreemptionExplanation& preemption = explanation.preemption.emplace();
        preemption.text = outcome.chosen ? std::string() : outcome.text;
        preemption.guarantee = guarantee;
        if (outcome.chosen) {
            preemption.nominated_node = world_.nodes.name(outcome.chosen->slot);
        }
        for (const NodeVictims& candidate : candidates) {
            preemption.candidates.push_back(choice_of(candidate));
        }
    }

    // Where the ordinary search has found nobody.
    std::string look_for_guarantee(const Diagnosis& diagnosis, PreemptionOutcome& outcome,
                                   std::vector<NodeVictims>& candidates) {
        if (!outcome.eligible || outcome.chosen || (world_.tree != nullptr && !world_.tree->tree().knows(ask_))) {
            return {};
        }
        Guaranteeing& guaranteeing = attempts_.guaranteeing();
        const Guaranteed standing = guaranteeing.look(ask_, false);
        if (standing == Guaranteed::may) {
            outcome.chosen = guaranteeing.search(ask_, *diagnosis.unschedulable);
        }
        if (outcome.chosen) {
            candidates.push_back(*outcome.chosen);
        }
        return guaranteeing.text(ask_, standing, outcome.chosen.has_value());
    }

    VictimChoice choice_of(const NodeVictims& found) const {
        VictimChoice choice;
        choice.node = world_.nodes.name(found.slot);
        for (const AskId victim : found.victims) {
            choice.victims.emplace_back(world_.asks.key(victim).view());
        }
        choice.budget_violations = found.cost.budget_violations;
        choice.highest_priority = found.cost.highest_priority;
        choice.priority_sum = found.cost.priority_sum;
        choice.earliest_start_ms = found.cost.earliest_start_ms;
        return choice;
    }

    NodeExplanation judge(const NodeView& node, bool full) {
        const PredicateSet& predicates = evaluator_.predicates();
        NodeExplanation one;
        one.node = world_.nodes.name(node.slot);
        if (const bool excluded = diagnoser_.excluded(node.slot); excluded || node.slot == avoided_) {
            one.verdict = Verdict::unresolvable;
            const std::string_view why = excluded ? kExcludedReason : kAvoidedReason;
            one.failures.push_back({"", one.verdict, {std::string(why)}});
            return one;
        }
        const PredicateSet::Failure& whole = diagnoser_.whole();
        PredicateSet::Failure first = whole.refusal.verdict != Verdict::feasible ? whole : diagnoser_.judge(node);
        one.verdict = first.refusal.verdict;
        one.devices_left = world_.devices.left_for(subject().ask_class, node.slot);
        const PluginTable::Known* const said = diagnoser_.refused_by_plugins(node.slot);
        if (one.verdict == Verdict::feasible && said != nullptr) {
            one.verdict = verdict_of(*said);
            one.failures.push_back(
                {plugin_names(world_, ask_), one.verdict, {std::string(diagnoser_.reason_of(*said))}});
        } else if (one.verdict == Verdict::feasible) {
            one.devices = devices_at(node);
            score(node, one);
        } else if (!full || whole.refusal.verdict != Verdict::feasible) {
            one.failures.push_back(named(predicates, std::move(first)));
        } else {
            for (PredicateSet::Failure& failure : predicates.explain_all(subject(), node)) {
                one.failures.push_back(named(predicates, std::move(failure)));
            }
            if (one.failures.empty()) {  // only pods that are nominated to the node are in the way
                one.failures.push_back(named(predicates, std::move(first)));
            }
        }
        if (whole.refusal.verdict == Verdict::feasible) {
            add_causes(node, one);
        }
        return one;
    }

    void add_causes(const NodeView& node, NodeExplanation& one) const {
        for (PredicateFailure& failure : one.failures) {
            if (failure.predicate == row_of(PredicateId::dynamic_resources).name) {
                failure.causes =
                    claim_causes(*subject().plan.claims, node.facts, world_.topology.claims(), world_.known);
            }
        }
    }

    std::string devices_at(const NodeView& node) const {
        std::string text = world_.devices.would_give(subject().ask_class, node.slot);
        const auto& plan = subject().plan.claims;
        if (plan != nullptr && evaluator_.predicates().has(PredicateId::dynamic_resources)) {
            const ClaimsOfPod claims = claims_at(*plan, node.facts, world_.topology);
            text += (text.empty() || claims.devices.empty() ? "" : ",") + claims.devices;
        }
        return text;
    }

    void add(NodeExplanation& one, std::string_view plugin, std::int64_t raw, std::int64_t normalised,
             std::int64_t weight) {
        one.scores.push_back({std::string(plugin), raw, normalised, normalised * weight});
        one.total += normalised * weight;
    }

    void score(const NodeView& node, NodeExplanation& one) {
        const Subject pod = subject();
        const std::uint32_t block = block_of(node.slot);
        for (std::size_t index = 0; index < search_.scores().size(); ++index) {
            const WeightedClusterScore& weighted = search_.scores()[index];
            if (!weighted.score->concerns(pod)) {
                continue;
            }
            const RawScores* raws = search_.raws(index);
            // A score that tells no nodes apart: all raw scores are 0.
            const bool out = raws != nullptr && (raws->excluded(block) >> node.lane() & 1) != 0;
            const std::int64_t raw = raws == nullptr || out ? 0 : raws->at(block, node.lane());
            const RawRange extremes = raws == nullptr ? RawRange{0, 0} : raws->extremes();
            add(one, row_of(weighted.id).name, raw, out ? 0 : weighted.score->normalise(raw, extremes),
                weighted.weight);
        }
        for (const WeightedScore& weighted : evaluator_.scores()) {
            if (weighted.score->concerns(pod.ask_class)) {
                LaneScores scores{};
                weighted.score->add(pod.ask_class, node.block, std::uint64_t{1} << node.lane(), 1, scores);
                add(one, row_of(weighted.id).name, scores[node.lane()], scores[node.lane()], weighted.weight);
            }
        }
    }

    World& world_;
    Attempts& attempts_;
    const BlockEvaluator& evaluator_;
    ClusterSearch& search_;
    const AskId ask_;
    Diagnoser diagnoser_;
    Slot avoided_ = kNone<Slot>;
};

std::string waits_for_plugins(const World& world, AskId id) {
    const PluginTable::Entry& entry = *world.plugins.of(id);
    return "waits for " + plugin_names(world, id) + " since " + std::to_string(entry.since_ns) +
           (entry.about_victims ? " ns, about pods that may go from node " : " ns, on node ") +
           std::string(world.nodes.name(entry.asked.front().slot));
}

std::string waits_for_its_gang(const World& world, AskId id) {
    const Gang& gang = world.gangs[world.gangs.member(id).gang];
    return "holds node " + std::string(world.nodes.name(world.asks[id].slot)) + " until its pod group " + gang.name +
           " has its minimum: " + std::to_string(gang.assigned) + " of " + std::to_string(gang.minimum) +
           "; gives it up at " + std::to_string(gang.deadline_ns) + " ns";
}

// The first shim that holds the partition up.
std::string who_holds(const World& world) {
    for (std::uint32_t number = 0; number < world.shims.size(); ++number) {
        const Shim& shim = world.shims[static_cast<ShimId>(number)];
        if (shim.hold.holds()) {
            return shim.name;
        }
    }
    return {};
}

// Of an unschedulable ask: by the predicates that failed it in its attempt, or the members of its gang in theirs (each has those
// of all). They may be others than would fail it now.
std::vector<std::string> what_wakes(const World& world, AskId id, const PredicateSet& predicates) {
    std::vector<std::string> texts = wake_texts(predicates.woken_by(world.asks.waiting(id).failed_predicates));
    if (is_coscheduled(world.asks[id].group)) {
        texts.emplace_back("a member of its pod group that comes, goes or changes");
    }
    return texts;
}

Explanation explain_itself(World& world, Attempts& attempts, const BlockEvaluator& evaluator, ClusterSearch& search,
                           AskId id, bool full) {
    Explanation explanation;
    const Ask& ask = world.asks[id];
    explanation.state = to_string(ask.state);
    if (std::string why = why_it_waits_for_a_placeholder(world, id); ask.state == AskState::gated && !why.empty()) {
        explanation.message = std::move(why);
        explanation.woken_by = {"a placeholder of its task group placed, or gone"};
        return explanation;
    }
    if (ask.state == AskState::gated) {
        explanation.message = gates_text(world.specs[world.classes.spec_of(ask)], world.texts);
        explanation.woken_by = {"its scheduling gates removed"};
        return explanation;
    }
    if (ask.state == AskState::awaiting_node) {
        explanation.message = awaited_text(world.awaited_nodes.node_of(id));
        explanation.woken_by = {"its node registered by a shim"};
        return explanation;
    }
    if (ask.state == AskState::on_permit) {
        explanation.message = waits_for_its_gang(world, id);
        explanation.woken_by = {"its pod group's minimum reached"};
        return explanation;
    }
    if (ask.state == AskState::queried || ask.state == AskState::asking) {
        explanation.message = waits_for_plugins(world, id);
        explanation.woken_by = {"its plugins' answer"};
        return explanation;
    }
    const Tentative tentative(attempts.commit());
    attempts.commit().suspend_nomination(id);
    Explainer(world, attempts, evaluator, search, id).explain(explanation, full);
    if (explanation.node.empty()) {
        // Then it is tried as if gangs behind it held no nodes.
        const Yielding::Without without(attempts.yielding(), id);
        if (without.any()) {
            std::string state = std::move(explanation.state);
            explanation = Explanation();
            explanation.state = std::move(state);
            Explainer(world, attempts, evaluator, search, id).explain(explanation, full);
        }
    }
    if (ask.state == AskState::unschedulable && explanation.node.empty()) {
        explanation.woken_by = what_wakes(world, id, evaluator.predicates());
    }
    return explanation;
}

}  // namespace

Explanation explain_ask(World& world, Attempts& attempts, const BlockEvaluator& evaluator, ClusterSearch& search,
                        AskId id, bool full) {
    Explanation explanation = explain_itself(world, attempts, evaluator, search, id, full);
    if (const std::uint32_t group = world.asks[id].group; is_coscheduled(group) && group != kFaultyGroup) {
        const Gang& gang = world.gangs[world.gangs.member(id).gang];
        explanation.group = explain_group(world, attempts, evaluator.predicates(), gang);
    }
    return explanation;
}

namespace {

std::string why_gated(const World& world, AskId id) {
    const Ask& ask = world.asks[id];
    if (!is_coscheduled(ask.group) || !world.specs[world.classes.spec_of(ask)].gates.empty()) {
        return "waits for its scheduling gates";
    }
    const GangMember& member = world.gangs.member(id);
    if (member.gang == kNone<GangId>) {
        return "what it says of its pod group is faulty; waits until it is stated again";
    }
    const Gang& gang = world.gangs[member.gang];
    const std::string counts = std::to_string(gang.counted) + " of " + std::to_string(gang.minimum);
    return member.counted ? "its pod group " + gang.name + " has no quorum: " + counts
                          : "its pod group " + gang.name + " has another minimum or priority";
}

std::string why_pending(const World& world, AskId id) {
    if (!world.order->has_credit(world.asks[id].shim)) {
        return "its shim has no credit left: it must acknowledge decisions first";
    }
    if (const auto until_ns = world.rests.until_ns(world.asks[id].application)) {
        return "its application rests until " + std::to_string(*until_ns) +
               " ns: its asks found no node one after another";
    }
    const std::string lacking = world.tree == nullptr ? std::string() : world.tree->lacking(id);
    return lacking.empty() ? "is in the heap, to be tried in its turn"
                           : lacking + over_maxima(world, id) + room_to_be_made(world, id);
}

}  // namespace

std::string why_it_waits(const World& world, AskId id, const PredicateSet& predicates) {
    const Ask& ask = world.asks[id];
    switch (ask.state) {
        case AskState::pending:
        case AskState::selected:
            if (world.resyncs.holding > 0) {
                return "shim " + who_holds(world) +
                       " is stating its state anew; nothing is decided before the end of it";
            }
            if (world.shims[ask.shim].resync_open) {
                return "its shim is stating its state anew, and has not ended";
            }
            return why_pending(world, id);
        case AskState::backoff:
            return "waits until " + std::to_string(world.asks.waiting(id).backoff_until_ns) + " ns after " +
                   std::to_string(ask.failures) + " failures";
        case AskState::unschedulable: return why_unschedulable(world.asks.waiting(id).failed_predicates, predicates);
        case AskState::awaiting_node: return "runs, as its shim says; waits until a shim registers its node";
        case AskState::unacknowledged: return "is allocated; the shim has not acknowledged it";
        case AskState::allocated: return "is allocated";
        case AskState::queried:
        case AskState::asking: return waits_for_plugins(world, id);
        case AskState::on_permit: return waits_for_its_gang(world, id);
        case AskState::gated: {
            std::string why = why_it_waits_for_a_placeholder(world, id);
            return why.empty() ? why_gated(world, id) : why;
        }
        default: return std::string(to_string(ask.state));
    }
}

}  // namespace bayplan
