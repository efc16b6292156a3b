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
    bool by_site(const Subject&) const override { return true; }
    void numbers_of_nodes(const Subject& subject, std::vector<NodeNumbers>& all) const override {
        ClusterFacts& topology = subject.cluster.topology;
        if (distinguishes_nodes(subject)) {
            const std::vector<std::int32_t>& scores = topology.images().scores(subject.spec.images, topology.facts());
            all.push_back({scores.data(), scores.size(), 1});
        }
    }
    // On how many nodes an image lies counts at each of them.
    void shared_numbers(const Subject& subject, std::vector<std::int64_t>& numbers) const override {
        const ImageCounts::Version version = subject.cluster.topology.images().version(subject.spec.images);
        for (const std::uint64_t number : {version.changed, version.gone, version.nodes}) {
            numbers.push_back(static_cast<std::int64_t>(number));
        }
    }
    std::int64_t normalise(std::int64_t raw, const RawRange&) const noexcept override { return raw; }
};

}  // namespace

std::unique_ptr<ClusterScore> make_image_locality_score(const EngineOptions&) {
    return std::make_unique<ImageLocalityScore>();
}

}  // namespace bayplan
