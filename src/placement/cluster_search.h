// The exact best node for a class whose choice depends on more than each node's own columns: counts over
// topology domains, scores that are normalised over the feasible nodes.
//
//   ClassCache (columns)   per node: feasible and scored as far as its own columns tell   <- proposals, parallel
//   search                 x cluster-wide predicates, + cluster-wide scores, normalised   <- commit
// Most searches go site by site (site_search.h). The searches here look at every block; a block whose nodes share their
// domains costs one step, not 64.
// Thread: the engine's. Storage is used again from attempt to attempt.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/excluded_nodes.h"
#include "placement/class_cache.h"
#include "placement/site_search.h"
#include "predicates/predicate_set.h"
#include "scoring/cluster_scores.h"

namespace bayplan {

class ClusterSearch {
public:
    ClusterSearch(const PredicateSet& predicates, std::vector<WeightedClusterScore> scores, const LaneKernels& kernels)
        : predicates_(predicates), scores_(std::move(scores)), by_site_(predicates_, scores_, kernels) {}

    // True if the subject's choice is not decided by the blocks' own columns alone, as things are now.
    bool depends_on_pods(const Subject& subject) const {
        const bool nobody_asked =
            subject.plan.plain && !subject.cluster.topology.signatures().distinguishes_nodes(subject.plan.signature);
        return !nobody_asked && anybody_couples(subject);
    }

    // For a subject that depends on pods: what other pods decide is told by a mask of nodes, but for a few, and no score
    // tells the nodes apart, so that the mask and the blocks' own columns find the best node.
    bool narrows(const Subject&) const;
    // Takes nodes out of the mask that other pods decide against. True: all that are left pass; else refused() must be asked.
    bool narrow(const Subject&, NodeMask&);
    // Of the subject that was narrowed last.
    bool refused(const Subject&, NodeKey) const;

    // The best node, 0 if none is feasible. The cache has columns and is up to date. Excluded nodes do not count as
    // feasible, so scores are normalised without them.
    NodeKey find(const Subject&, ClassCache&, const ExcludedNodes&);
    // The same, by a look at every block; for subjects that cannot be searched site by site, and for callers that need
    // every node's outcome.
    NodeKey best(const Subject&, const ClassCache&, const ExcludedNodes& = kNoneExcluded);
    // Appends at most `most` nodes, best first. Skipped nodes count in the scores of the others; excluded
    // nodes do not.
    void best_few(const Subject&, const ClassCache&, const ExcludedNodes& excluded, const ExcludedNodes& skipped,
                  std::size_t most, std::vector<NodeKey>& nodes);
    // The best of a few nodes, which are feasible as far as their own columns tell, with these keys; takes out the others of
    // them. No node but these is looked at.
    NodeKey best_among(const Subject&, std::uint32_t blocks, std::vector<NodeKey>& nodes);

    // --- of the last best(): what became of each node
    const NodeMask& feasible() const { return feasible_; }
    const std::vector<WeightedClusterScore>& scores() const { return scores_; }
    // Raw scores of scores()[index]; only if it told the nodes apart.
    const RawScores* raws(std::size_t index) const { return active_[index] ? &raws_[index] : nullptr; }

private:
    static constexpr std::int64_t kTableMax = 128;

    bool anybody_couples(const Subject&) const;
    bool filters_couple(const Subject&) const;
    bool filter(const Subject&, const ClassCache&, const ExcludedNodes&);
    bool scores_couple(const Subject&) const;
    void collect(const Subject&);
    std::int64_t bound_of(const ClassCache&, std::uint32_t block) const;
    void fill_tables();
    NodeKey best_in(const ClassCache&, std::uint32_t block) const;
    NodeKey key_in(const ClassCache&, std::uint32_t block, std::uint32_t lane) const;
    std::int64_t weighted(std::size_t index, std::int64_t raw) const {
        const std::vector<std::int64_t>& table = tables_[index];
        if (!table.empty()) {
            // A node that is left out may have a raw score outside; it is not asked for.
            const auto at = static_cast<std::size_t>(raw) - static_cast<std::size_t>(raws_[index].extremes().min);
            return at < table.size() ? table[at] : 0;
        }
        return scores_[index].weight * scores_[index].score->normalise(raw, raws_[index].extremes());
    }

    const PredicateSet& predicates_;
    const std::vector<WeightedClusterScore> scores_;
    SiteSearch by_site_;
    std::vector<const Predicate*> coupled_;
    NodeMask feasible_;
    std::vector<RawScores> raws_;                    // by score
    std::vector<bool> active_;                       // by score
    std::vector<std::size_t> telling_;               // the active scores
    std::vector<std::vector<std::int64_t>> tables_;  // by score: weighted score by raw - min; empty = none
    std::vector<std::int64_t> bounds_;               // by block
};

}  // namespace bayplan
