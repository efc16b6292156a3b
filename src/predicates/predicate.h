// A predicate: may a pod of this class run on that node?
//
// Three questions; a predicate overrides the functions of the questions that concern it:
//   refuse_all      once per attempt: no node at all will do (Kubernetes: PreFilter)
//   filter          64 lanes of a block, from the block's own columns: proposals ask it, in parallel
//   filter_cluster  64 lanes of a block, from counts over the whole cluster: commit asks it, which alone sees
//                   them as they are now
// explain() judges one node by itself and says why not, in Kubernetes' words, for failed attempts and on
// request; explain_lanes() does so for 64 and counts. They must agree with the others lane by lane
// (tests/placement checks that). A predicate's row (options/predicate_rows.h) has its name and the events that wake the
// asks that it refused.
//
// Thread: filter: any number of workers at a time; the rest: the engine's. Const, no state that changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask_class.h"
#include "bayplan/explanation.h"
#include "cluster/node_block.h"
#include "topology/cluster_view.h"

namespace bayplan {

struct Refusal {
    Verdict verdict = Verdict::feasible;
    std::vector<std::string> reasons;
    AttemptEnd ends = AttemptEnd::in_a_verdict;  // else the reason is the attempt's whole message
};

// Nodes of a block that were refused, by verdict.
struct LaneRefusals {
    std::uint64_t unschedulable = 0;
    std::uint64_t unresolvable = 0;
    std::uint64_t all() const { return unschedulable | unresolvable; }
};
// How many nodes each reason was given for. There are few: found by looking at all, without making a text.
struct ReasonCount {
    std::string reason;
    std::uint64_t nodes = 0;
};
using ReasonCounts = std::vector<ReasonCount>;
// `more` goes on after `reason`. Counts nothing if there are no lanes.
void count_reason(ReasonCounts&, std::string_view reason, std::uint64_t lanes, std::string_view more = {});

class Predicate {
public:
    virtual ~Predicate() = default;

    // False: filter() lets every node of every class pass; it is never asked. Asked once, when predicates are put together.
    virtual bool filters_by_columns() const { return true; }
    // False: refuse_all() refuses no pod; it is never asked. Asked once, like the line above and the line below.
    virtual bool refuses_pods() const { return true; }
    // False: depends_on_pods() is false of every subject; it is never asked.
    virtual bool looks_at_pods() const { return true; }
    // False: the class asks nothing of this predicate's filter() (Kubernetes: Skip).
    virtual bool concerns(const AskClass&) const { return true; }
    // The lanes of `lanes` whose node passes.
    virtual std::uint64_t filter(const AskClass&, const NodeBlock&, std::uint64_t lanes) const noexcept {
        return lanes;
    }

    // This and depends_on_pods() are not asked for a plan that is `plain`: what they look at of a spec must be looked at where
    // plans are made (topology/plan_maker.cpp), too; or the row says kEveryPod. refuse_all() may also hang on volumes and
    // names only (ClusterSearch::find).
    // Feasible or unresolvable.
    virtual Refusal refuse_all(const Subject&) const { return {}; }
    // Nodes that are out before any predicate is asked (Kubernetes: PreFilterResult).
    virtual Refusal exclude_nodes(const Subject&, const NodeView&) const { return {}; }
    // False: filter_cluster() would pass every node for this subject.
    virtual bool depends_on_pods(const Subject&) const { return false; }
    // Once before the blocks of an attempt: what they all share is found here and kept in the plan.
    virtual void begin(const Subject&) const {}
    virtual std::uint64_t filter_cluster(const Subject&, std::uint32_t block, std::uint64_t lanes) const {
        (void)block;
        return lanes;
    }

    // True: most nodes that filter_cluster() refuses can be told at once; the few others are found one by one, where a
    // search comes upon them.
    virtual bool narrows(const Subject&) const { return false; }
    // Takes nodes that it refuses out of the mask. True: it passes all that are left.
    virtual bool narrow(const Subject&, NodeMask&) const { return false; }

    // --- filter_cluster() in two halves, for searches that remember what they found (placement/site_search.h). A site:
    // nodes that lie in the same domains, but for keys that are looked at node by node (TopologyKeys::by_node). begin() was
    // called.
    virtual bool splits_sites(const Subject&) const { return false; }
    // False: no node of the site that this slot belongs to passes.
    virtual bool may_admit(const Subject&, Slot) const { return true; }
    // The lanes that pass by the nodes themselves: the same until a node's pods change, or these numbers.
    virtual std::uint64_t filter_nodes(const Subject&, std::uint32_t block, std::uint64_t lanes) const {
        (void)block;
        return lanes;
    }
    virtual void shared_numbers(const Subject&, std::vector<std::int64_t>&) const {}

    virtual Refusal explain(const Subject&, const NodeView&) const = 0;
    // True: explain() of some node may end the attempt in an error, so that each must be asked before one is taken.
    // Asked of pods with claims alone.
    virtual bool may_err(const Subject&) const { return false; }
    // The error that ends an attempt with two or more feasible nodes; verdict feasible: none.
    virtual Refusal error_of_scores(const Subject&) const { return {}; }
    // True: exclude_nodes() may refuse nodes.
    virtual bool excludes_nodes(const Subject&) const { return false; }
    // True: Kubernetes leaves the predicate out of an attempt that starts now, since there is nothing for it to look
    // at; effects of nominated pods are not seen then. Asked with compat: kubernetes-1.35 alone.
    virtual bool skips_attempt(const Subject&) const { return false; }
    // False: explain_lanes() refuses no node of any block.
    virtual bool may_refuse(const Subject& subject) const {
        return (filters_by_columns() && concerns(subject.ask_class)) || depends_on_pods(subject);
    }
    // As explain() says of each of `lanes`; begin() was called. Unless overridden it asks explain() of the nodes that
    // the filters refuse.
    virtual LaneRefusals explain_lanes(const Subject&, const NodeBlock&, std::uint32_t number, std::uint64_t lanes,
                                       ReasonCounts&) const;

protected:
    // explain(), one by one.
    LaneRefusals explain_each(const Subject&, const NodeBlock&, std::uint32_t number, std::uint64_t lanes,
                              ReasonCounts&) const;
};

}  // namespace bayplan
