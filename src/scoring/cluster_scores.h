// The scores that look beyond a node's own columns: TaintToleration, NodeAffinity, PodTopologySpread,
// InterPodAffinity (normalised over the feasible nodes) and ImageLocality (counts over all nodes).
// A score's row (options/score_rows.h) has its name and weight.
// Thread: the engine's; const.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "options/score_rows.h"
#include "scoring/raw_scores.h"
#include "scoring/site_scores.h"
#include "topology/cluster_view.h"

namespace bayplan {

class ClusterScore {
public:
    virtual ~ClusterScore() = default;
    // False: Kubernetes skips the plugin for the pod; it is not even shown.
    virtual bool concerns(const Subject&) const = 0;
    // False: every node would get the same score, so it decides nothing.
    virtual bool distinguishes_nodes(const Subject&) const = 0;
    // Raw scores of the feasible nodes.
    virtual void collect(const Subject&, const NodeMask& feasible, RawScores&) const = 0;
    // 0 to 100, rising or falling with the raw score; given the extremes over the feasible nodes.
    virtual std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept = 0;

    // --- for searches site by site (site_scores.h)
    // False: the score can only be collected. All of its keys are looked at by site or by node (topology_keys.h).
    virtual bool by_site(const Subject&) const { return false; }
    // Only if it distinguishes nodes: appends the numbers that differ between nodes of a site. A node's numbers change
    // only with its pods and facts, or when these shared numbers do.
    virtual void numbers_of_nodes(const Subject&, std::vector<NodeNumbers>&) const {}
    virtual void shared_numbers(const Subject&, std::vector<std::int64_t>&) const {}
    // The site's nodes score 0 and take no part in the extremes.
    virtual bool leaves_out(const Subject&, Slot) const { return false; }
    // A key whose domains weigh() must know the number of, though nodes of a site differ in them.
    virtual KeyId counted_key(const Subject&) const { return kNone<KeyId>; }
    // Before raw_at(), once per attempt.
    virtual void weigh(const Subject&, FeasibleSites, SpreadWeights&) const {}
    // The raw score of a node of the slot's site whose numbers come to `own`; rises with `own`.
    virtual std::int64_t raw_at(const Subject&, const SpreadWeights&, Slot, std::int64_t own) const { return own; }
};

struct WeightedClusterScore {
    std::unique_ptr<ClusterScore> score;
    std::int64_t weight = 1;
    ScoreId id;
};

}  // namespace bayplan
