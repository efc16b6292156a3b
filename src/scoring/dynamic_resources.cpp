// DynamicResources: prefers nodes where claims get what they name first in their prioritised lists. Source: Kubernetes 1.35.
// Raw: 8 less the index of each alternative taken, summed up; the best node gets 100.

#include <bit>

#include "claims/claim_search.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

class DynamicResourcesScore final : public ClusterScore {
public:
    bool concerns(const Subject& subject) const override { return distinguishes_nodes(subject); }
    bool distinguishes_nodes(const Subject& subject) const override {
        return subject.plan.claims != nullptr && subject.plan.claims->scored;
    }
    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            std::int64_t* const lanes = feasible[block] == 0 ? nullptr : raws.lanes(block);
            for (std::uint64_t left = feasible[block]; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
                lanes[lane] =
                    search_claims(*subject.plan.claims, *topology.facts()[raw(slot_at(block, lane))], topology.claims(),
                                  topology.known(), {.all_goes_on_in_the_first = topology.as_kubernetes_1_35()})
                        .score;
            }
        }
    }
    std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept override {
        return extremes.max == 0 ? 0 : raw * 100 / extremes.max;
    }
};

}  // namespace

std::unique_ptr<ClusterScore> make_dynamic_resources_score(const EngineOptions&) {
    return std::make_unique<DynamicResourcesScore>();
}

}  // namespace bayplan
