// ImageLocality: prefers nodes that have the pod's images already. Source: Kubernetes 1.35; the arithmetic is
// in topology/image_locality.h, the counts in topology/image_counts.h.

#include "topology/image_locality.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

class ImageLocalityScore final : public ClusterScore {
public:
    bool concerns(const Subject&) const override { return true; }
    bool distinguishes_nodes(const Subject& subject) const override {
        return !subject.cluster.topology.images().nowhere(subject.spec.images);
    }
    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        ClusterFacts& topology = subject.cluster.topology;
        if (!distinguishes_nodes(subject)) {
            return;
        }
        const std::vector<std::int32_t>& scores = topology.images().scores(subject.spec.images, topology.facts());
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            if (feasible[block] != 0) {
                std::copy_n(&scores[std::size_t{block} * kLanes], kLanes, raws.lanes(block));
            }
        }
    }
    std::int64_t normalise(std::int64_t raw, const RawRange&) const noexcept override { return raw; }
};

}  // namespace

std::unique_ptr<ClusterScore> make_image_locality_score(const EngineOptions&) {
    return std::make_unique<ImageLocalityScore>();
}

}  // namespace bayplan
