// Preemption after a failed attempt: may the ask preempt, on which node, and which victims (rules/preemption.md).
// Decides only; Lifecycle carries the decision out.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis.h"
#include "engine/failure_message.h"
#include "preemption/obstacle_search.h"
#include "preemption/tail_search.h"
#include "preemption/victim_search.h"
#include "preemption/victim_workers.h"

namespace bayplan {

struct PreemptionOutcome {
    bool tried = false;     // preemption had its say; else nothing below counts
    bool eligible = false;  // it looked for a node
    std::optional<NodeVictims> chosen;
    std::string_view guarantor = {};      // the queue for whose guarantee the victims go; "": for none
    std::string text;                     // why none was chosen
    std::uint32_t failed_predicates = 0;  // of nodes without the pods below the ask; bits by index
    std::vector<Slot> lacking_claims;     // nodes that cannot use an allocated claim, found by a trial
    bool is_error = false;                // `text` is the error that a node's trial ended in
    bool asks = false;                    // the ask's plugins must say first who goes from the chosen node
    bool refused_by_plugins = false;      // they let nobody go from some node
};

// As in EngineCounters.
struct VictimCounters {
    std::uint64_t kept = 0;
    std::uint64_t whole = 0;
    std::uint64_t by_pods = 0;
    std::uint64_t parallel = 0;
    std::uint64_t pieces_by_workers = 0;
    std::uint64_t nodes_by_columns = 0;
    std::uint64_t nodes_by_pods = 0;
    std::uint64_t nodes_tried = 0;
};

class Preempting {
public:
    Preempting(World& world, const PredicateSet& predicates, const LaneKernels& kernels, VictimWorkers& workers)
        : world_(world),
          kernels_(kernels),
          gangs_(world.asks, world.gangs),
          search_(trial_tables(world, predicates), world.budgets, gangs_, world.options.preemption),
          workers_(workers) {}

    PreemptionOutcome decide(AskId, const Diagnosis&);
    // As decide(), with every node that was considered (for explanations).
    // Of an ask that needs plugins only if its shim judges victims.
    PreemptionOutcome decide(AskId, const Diagnosis&, std::vector<NodeVictims>* candidates);

    // Of a member of a gang that preempts: whether it may is asked of its gang.
    PreemptionOutcome decide_for_gang(AskId, const Diagnosis&);
    // Preemption may follow such a failure.
    bool follows(const Diagnosis&) const;
    // A pod of lower priority terminates on the node to which the ask is nominated.
    bool waits_for_a_terminating_pod(AskId) const;
    const GangBudgets& gangs() const { return gangs_; }
    VictimOffer offer_on(AskId id, Slot slot) const { return search_.offer_on(id, slot); }

    VictimCounters counters() const;

private:
    void search(AskId, const Diagnosis&, PreemptionOutcome&, std::vector<NodeVictims>* candidates);
    // Gangs that the victims break go whole.
    void add_whole_gangs(NodeVictims&) const;
    void search_on_trial(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&,
                         std::vector<NodeVictims>* candidates);
    // Of an ask that needs plugins, whose shim says who goes.
    void search_with_plugins(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&,
                             std::vector<NodeVictims>* candidates);
    const PluginTable::KnownVictims* said_of(AskId, Slot) const;
    // The finding of one node, and what it says of why there is none.
    static void take(Slot, VictimFinding&, PreemptionOutcome&, FailureMessage&);
    void search_by_amounts(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&,
                           std::vector<NodeVictims>* candidates);
    // For an ask on which obstacles decide beside amounts (preemption/obstacles.h).
    void search_past_obstacles(AskId, const Diagnosis&, PreemptionOutcome&, FailureMessage&);
    std::uint32_t failed_by(const Obstacles&, const ObstacleSearch::Refusals&) const;
    AmountSearch::Tables amount_tables() const;
    // Of these nodes, by columns, on which amounts alone decide.
    VictimCandidate cheapest_of(const AskClass&, const NodeMask&);
    // By block, into found_: of nodes none of which can be made room on.
    void find_refusals(const AskClass&, const NodeMask&);
    template <typename Counts>
    void add_reasons(const AskClass&, std::uint64_t without_victims, const Counts& short_of, FailureMessage&) const;
    // The cheapest node of all, by columns and what is kept of the class. None: the cache has the reasons.
    VictimCandidate search_by_columns(const AskClass&, FailureCache&);
    VictimCandidate search_all_blocks(const AskClass&, FailureCache&);
    VictimCandidate search_changed_blocks(const AskClass&, FailureCache&);
    void bring_up_to_date();
    void find_changed_blocks(const FailureCache&);
    void note_searched(FailureCache&) const;
    bool worth_the_workers(std::size_t blocks) const;
    // Calls look(search), and counts what the search did.
    template <typename Look>
    void in_one_piece(const AskClass&, Look&& look);
    // Calls look(search, first, last) for ranges of 0 .. blocks, each with a search of its own.
    template <typename Look>
    void in_pieces(const AskClass&, std::size_t blocks, Look&& look);
    std::string why_not(AskId, const Diagnosis&) const;  // empty: it may

    World& world_;
    const LaneKernels& kernels_;
    GangBudgets gangs_;
    VictimSearch search_;
    VictimCounters counters_;
    struct Found {
        VictimCandidate candidate;
        BlockRefusals refusals;
    };
    std::uint32_t last_found_ = 0;  // block with the victims of the last search
    std::mutex counting_;           // while victim workers search
    std::vector<Found> found_;      // of the search under way, by block that changed
    VictimWorkers& workers_;
};

}  // namespace bayplan
