#include "engine/explain.h"

#include <utility>

#include "engine/failure_message.h"

namespace bayplan {

namespace {

PredicateFailure named(const PredicateSet& predicates, PredicateSet::Failure&& failure) {
    return {std::string(predicates.predicates()[failure.predicate]->name()), failure.refusal.verdict,
            std::move(failure.refusal.reasons)};
}

class Explainer {
public:
    Explainer(World& world, Lifecycle& lifecycle, const BlockEvaluator& evaluator, ClusterSearch& search, ClassId id)
        : world_(world),
          lifecycle_(lifecycle),
          evaluator_(evaluator),
          search_(search),
          subject_(lifecycle.subject_of(id)) {}

    void explain(Explanation& explanation, bool full) {
        const NodeKey best = look();
        explanation.node = best == 0 ? "" : std::string(world_.nodes.name(slot_of(best)));
        const PredicateSet::Failure whole = evaluator_.predicates().refuse_all(subject_);
        FailureMessage message;
        if (whole.refusal.verdict != Verdict::feasible) {
            message.set_whole(whole.refusal.reasons);
        }
        evaluator_.predicates().begin(subject_);
        lifecycle_.for_each_node([&](const NodeView& node) {
            NodeExplanation one;
            one.node = world_.nodes.name(node.slot);
            if (whole.refusal.verdict != Verdict::feasible) {
                one.verdict = whole.refusal.verdict;
                one.failures.push_back(named(evaluator_.predicates(), PredicateSet::Failure(whole)));
            } else {
                judge(node, full, message, one);
            }
            explanation.nodes.push_back(std::move(one));
        });
        if (best == 0) {
            explanation.message = message.text(world_.nodes.count());
        }
    }

private:
    // Fills a cache of its own, so that what the engine caches stays as it is.
    NodeKey look() {
        ClassCache cache;
        cache.want_columns(true);
        cache.resize(world_.node_state.block_count());
        const NodeMask* mask = world_.topology.signatures().mask(subject_.plan.signature).get();
        for (std::uint32_t block = 0; block < cache.block_count(); ++block) {
            evaluator_.look(subject_.ask_class, world_.node_state.block(block), block, mask, cache);
        }
        return search_.best(subject_, cache);
    }

    void judge(const NodeView& node, bool full, FailureMessage& message, NodeExplanation& one) {
        const PredicateSet& predicates = evaluator_.predicates();
        PredicateSet::Failure first = predicates.explain(subject_, node);
        one.verdict = first.refusal.verdict;
        if (one.verdict == Verdict::feasible) {
            score(node, one);
            return;
        }
        message.add(first.refusal.reasons);
        if (!full) {
            one.failures.push_back(named(predicates, std::move(first)));
            return;
        }
        for (PredicateSet::Failure& failure : predicates.explain_all(subject_, node)) {
            one.failures.push_back(named(predicates, std::move(failure)));
        }
    }

    void add(NodeExplanation& one, std::string_view plugin, std::int64_t raw, std::int64_t normalised,
             std::int64_t weight) {
        one.scores.push_back({std::string(plugin), raw, normalised, normalised * weight});
        one.total += normalised * weight;
    }

    void score(const NodeView& node, NodeExplanation& one) {
        const std::uint32_t block = block_of(node.slot);
        for (std::size_t index = 0; index < search_.scores().size(); ++index) {
            const WeightedClusterScore& weighted = search_.scores()[index];
            if (!weighted.score->concerns(subject_.spec, subject_.plan, world_.topology)) {
                continue;
            }
            const RawScores* raws = search_.raws(index);
            RawScores flat;  // a score that tells no nodes apart: all raw scores are 0
            if (raws == nullptr) {
                flat.reset(block + 1);
                flat.find_extremes(NodeMask(block + 1, ~std::uint64_t{0}));
                raws = &flat;
            }
            const bool out = (raws->left_out(block) >> node.lane() & 1) != 0;
            const std::int64_t raw = raws->at(block, node.lane());
            add(one, weighted.score->name(), raw, out ? 0 : weighted.score->normalise(raw, *raws), weighted.weight);
        }
        for (const WeightedScore& weighted : evaluator_.scores()) {
            if (weighted.score->concerns(subject_.ask_class)) {
                LaneScores scores{};
                weighted.score->add(subject_.ask_class, node.block, std::uint64_t{1} << node.lane(), 1, scores);
                add(one, weighted.score->name(), scores[node.lane()], scores[node.lane()], weighted.weight);
            }
        }
    }

    World& world_;
    Lifecycle& lifecycle_;
    const BlockEvaluator& evaluator_;
    ClusterSearch& search_;
    const Subject subject_;
};

}  // namespace

Explanation explain_nodes(World& world, Lifecycle& lifecycle, const BlockEvaluator& evaluator, ClusterSearch& search,
                          AskId id, bool full) {
    Explanation explanation;
    const Ask& ask = world.asks[id];
    explanation.state = to_string(ask.state);
    if (ask.state == AskState::gated) {
        explanation.message = gates_text(world.specs[ask.spec], world.texts);
        return explanation;
    }
    Explainer(world, lifecycle, evaluator, search, ask.ask_class).explain(explanation, full);
    return explanation;
}

}  // namespace bayplan
