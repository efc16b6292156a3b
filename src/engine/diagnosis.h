// Why no node takes an ask, over all nodes, in Kubernetes' words, and on which of them making room may help.
//
// Thread: the engine's. Changes nothing that lasts (see preemption/node_trial.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/excluded_nodes.h"
#include "engine/failure_cache.h"
#include "engine/failure_message.h"
#include "engine/world.h"
#include "placement/block_evaluator.h"
#include "preemption/node_trial.h"
#include "preemption/obstacles.h"

namespace bayplan {

inline constexpr std::string_view kExcludedReason = "node(s) had a victim that does not terminate";
// Of an ask whose diagnosis failed a check of its own (explanation_fault.h).
inline constexpr std::string_view kNoReasonFound = "the reason was not found: see the log";

struct Diagnosis {
    std::string message;
    std::uint32_t failed_predicates = 0;  // bits by index
    Verdict whole = Verdict::feasible;    // of what was found about the pod as a whole
    AttemptEnd ends = AttemptEnd::in_a_verdict;
    bool claims_refuse_all = false;  // `whole` is of DynamicResources: Kubernetes' preemption has its say all the same
    // By block; valid until the next diagnosis, and as long as the Diagnoser.
    const NodeMask* unschedulable = nullptr;
    std::uint64_t unschedulable_count = 0;
    // Where candidates are kept by block; null: the ask's fate on a node hangs on more than that node's block.
    FailureCache* cache = nullptr;
    bool refused_by_plugins = false;             // nodes that the predicates here would let it have
    Verdict nominated_node = Verdict::feasible;  // verdict of the ask's nominated node, if it has one
};

TrialTables trial_tables(World&, const PredicateSet&);
// Of a refusal.
Verdict verdict_of(const PluginTable::Known&);

class Diagnoser {
public:
    Diagnoser(World& world, const PredicateSet& predicates, AskId ask)
        : world_(world),
          predicates_(predicates),
          ask_(ask),
          any_excluded_(world.asks[ask].has_exclusions && world.excluded.any_excluded(ask)),
          plugins_(needs_plugins(world, ask) ? world.plugins.of(ask) : nullptr) {}

    // Nodes are judged one by one after begin(); the ask's own nomination is lifted.
    void begin();
    // The refusal of the pod as a whole; verdict feasible if there is none.
    const PredicateSet::Failure& whole() const { return whole_; }
    bool excluded(Slot slot) const { return any_excluded_ && world_.excluded.is_excluded(ask_, slot); }
    // The refusal of the node by the ask's plugins, if it counts; else null.
    const PluginTable::Known* refused_by_plugins(Slot) const;
    std::string_view reason_of(const PluginTable::Known& known) const {
        return PluginTable::reason_of(*plugins_, known);
    }
    // Both passes, where others are nominated to the node. Not for an excluded node.
    PredicateSet::Failure judge(const NodeView&) const;

    bool asks(PredicateId id) const { return predicates_.has(id); }
    // The error that an attempt ends in before the verdicts of nodes count; none: the nodes decide.
    std::optional<PredicateSet::Failure> error() const;
    // Calls begin(). `ends` says whether there is more to say than that the nodes decide.
    Diagnosis diagnose_end();
    // Never fails: a check of its own that does is logged, and the words are kNoReasonFound.
    Diagnosis diagnose();

    // Every node in order of slots.
    template <typename Look>
    void for_each_node(Look&& look) const {
        for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
            const NodeBlock& block = world_.node_state.block(number);
            for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
                const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
                look(view_of(slot));
            }
        }
    }
    NodeView view_of(Slot) const;
    Subject subject() const { return subject_of(world_.view, world_.asks[ask_].ask_class); }

private:
    Subject subject_in_blocks() const {
        Subject pod = subject();
        pod.rooms = &world_.room_ranges;
        return pod;
    }
    Diagnosis find_reasons();
    Diagnosis end_in(const PredicateSet::Failure&);
    Diagnosis without_reasons();
    // The ask is for a few nodes by name, and the others shut out, all alike.
    bool judges_by_name() const;
    // By its terms, before any predicate is asked.
    bool some_are_shut_out() const;
    // 64 nodes at a time, where none of them needs a look of its own; kept for the class where that is all.
    bool judges_blocks() const;
    // Likewise, but for nodes where pods are nominated that keep the ask off.
    bool judges_past_obstacles() const;
    void judge_cached(Diagnosis&);
    void judge_block(const Subject&, PredicateSet::Asked, std::uint32_t block, FailureCache&) const;
    const std::string& message_of(FailureCache&) const;
    void judge_blocks(Diagnosis&, FailureMessage&);
    // As PredicateSet::explain_block() says of these nodes.
    LaneRefusals judge_lanes(const Subject&, std::uint32_t block, std::uint64_t lanes, std::uint32_t& failed,
                             ReasonCounts&) const;
    // Both passes, of a node where nominated pods are obstacles.
    PredicateSet::Failure judge_barred(const Obstacles&, const NodeView&) const;
    void judge_past_obstacles(Diagnosis&, FailureMessage&);
    void count_lanes(std::uint32_t block, const LaneRefusals&, Diagnosis&);
    void judge_nodes(Diagnosis&, FailureMessage&);
    void judge_by_name(Diagnosis&, FailureMessage&);
    void judge_node(const NodeView&, Diagnosis&, FailureMessage&);
    void count(Slot, Verdict, Diagnosis&);

    World& world_;
    const PredicateSet& predicates_;
    const AskId ask_;
    PredicateSet::Failure whole_;
    const bool any_excluded_;                  // a node that is only avoided is judged like all when none is feasible
    const PluginTable::Entry* const plugins_;  // verdicts of its plugins; null: none
    bool beyond_amounts_ = false;
    Slot nominated_ = kNone<Slot>;  // the node that the ask is nominated to
    NodeMask unschedulable_;        // unless a cache has it
};

}  // namespace bayplan
