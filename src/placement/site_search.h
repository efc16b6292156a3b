// The exact best node for a class whose choice depends on counts over topology domains, from what the last search of
// the class left behind (site_index.h) and what changed since:
//
//   blocks that changed        judged again by what their nodes' own pods decide (hostname terms, ports)
//   sites                     admitted by what their domains decide (zones: spread, affinity); raw scores of their
//                              least and most give the extremes that scores are normalised with
//   groups, blocks, nodes      looked into only while their bound is the best there is
//
// A zone that fills up or empties so dirties nothing: it is a verdict and a sum per site, at query time.
//
// Thread: the engine's. Storage is used again from attempt to attempt.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cluster/excluded_nodes.h"
#include "placement/class_cache.h"
#include "predicates/predicate_set.h"
#include "scoring/cluster_scores.h"

namespace bayplan {

class SiteSearch {
public:
    SiteSearch(const PredicateSet& predicates, const std::vector<WeightedClusterScore>& scores,
               const LaneKernels& kernels)
        : predicates_(predicates), scores_(scores), kernels_(kernels), parts_(scores.size()) {}

    // The best node, 0 if none is feasible. The cache has columns and is up to date, and no predicate refuses all
    // nodes. False: what the class asks cannot be found site by site (volumes; many large domains that cut through
    // blocks), or does not pay yet.
    bool find(const Subject&, ClassCache&, const ExcludedNodes&, NodeKey& best);

private:
    // A score in this attempt.
    struct Part {
        bool telling = false;
        std::vector<NodeNumbers> numbers;  // numbers that differ between nodes of a site
        RawRange extremes;
    };
    // A site with feasible nodes, and one of its slots.
    struct Admitted {
        std::uint32_t site = 0;
        Slot slot{};
        std::int64_t shared = 0;  // points that all its nodes get
        std::uint32_t apart = 0;  // bit per score that tells its nodes apart
    };
    struct Candidate {
        NodeKey bound = 0;
        std::uint32_t group = 0;
        std::uint32_t admitted = 0;
    };

    static constexpr std::size_t kPartsMax = 8;

    bool suits(const Subject&);
    bool same_layout(const Subject&, const SiteIndex&) const;
    void arrange(const Subject&, std::uint32_t blocks, SiteIndex&);
    void refine(const TopologyKeys&, KeyId, std::uint32_t& sites);
    void bring_up_to_date(const Subject&, ClassCache&);
    void judge_block(const Subject&, const ClassCache&, SiteIndex&, std::uint32_t block) const;
    void put_part(const Subject&, const ClassCache&, SiteIndex&, std::uint32_t block, std::uint32_t position,
                  std::uint64_t nodes) const;
    void touch_changed(const Subject&, const SiteIndex&, ClassCache&) const;
    void take_out(const Subject&, const ExcludedNodes&, ClassCache&) const;
    void add_up(const Part&, std::uint32_t block, std::int64_t* sums) const;

    void admit(const Subject&, const SiteIndex&);
    void find_extremes(const Subject&, const SiteIndex&);
    std::int64_t counted_domains(const Subject&, const ClusterScore&, const SiteIndex&);
    void find_shared(const Subject&, const SiteIndex&);
    LaneRange range_of(const SiteIndex&, std::size_t part, const SiteIndex::Site&) const;
    std::int64_t points(const Subject&, std::size_t part, Slot, std::int64_t own) const;
    std::int64_t points_max(const Subject&, std::size_t part, Slot, LaneRange) const;
    NodeKey best_of_sites(const Subject&, const ClassCache&, const SiteIndex&);
    void look_into(const Subject&, const ClassCache&, const SiteIndex&, const Candidate&, NodeKey& best);
    // To the bounds of these blocks of a group, of all scores that tell its nodes apart.
    void add_points_max(const Subject&, const SiteIndex&, const Admitted&, std::uint32_t group, std::uint64_t blocks,
                        std::array<NodeKey, SiteIndex::kGroup>& bounds) const;
    NodeKey best_at(const Subject&, const ClassCache&, const SiteIndex&, const Admitted&, std::uint32_t position);
    NodeKey best_among(const Subject&, const ClassCache&, const Admitted&, std::uint32_t block, std::uint32_t apart,
                       std::uint64_t lanes, std::int64_t more) const;

    const PredicateSet& predicates_;
    const std::vector<WeightedClusterScore>& scores_;
    const LaneKernels& kernels_;
    std::vector<const Predicate*> coupled_;
    std::vector<Part> parts_;  // by score
    std::vector<std::int64_t> numbers_;
    std::vector<Admitted> admitted_;
    std::vector<FeasibleSite> feasible_;  // the feasible sites of admitted_
    SpreadWeights weights_;
    std::vector<Candidate> candidates_;
    std::vector<SiteIndex::Part> arranged_;
    std::vector<SiteIndex::Part> refined_;
    KeyId counted_ = kNone<KeyId>;                      // the key of the score that counts domains
    alignas(64) std::int64_t sums_[kPartsMax][kLanes];  // by score: of the block that is looked at
};

}  // namespace bayplan
