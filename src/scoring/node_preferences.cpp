// TaintToleration and NodeAffinity as scores: fewer taints of effect PreferNoSchedule, more weight of the
// preferred terms. Raw scores come from the signature's columns. Source: Kubernetes 1.35.

#include "scoring/normalise.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

void collect_column(const std::vector<std::int32_t>& column, const NodeMask& feasible, RawScores& raws) {
    if (column.empty()) {
        return;  // all 0
    }
    for (std::uint32_t block = 0; block < feasible.size(); ++block) {
        const std::size_t first = std::size_t{block} * kLanes;
        if (feasible[block] != 0 && first < column.size()) {
            std::copy_n(&column[first], kLanes, raws.lanes(block));
        }
    }
}

void add_column(const std::vector<std::int32_t>& column, std::vector<NodeNumbers>& all) {
    if (!column.empty()) {
        all.push_back({column.data(), column.size(), 1});
    }
}

class TaintTolerationScore final : public ClusterScore {
public:
    bool concerns(const Subject&) const override { return true; }
    bool distinguishes_nodes(const Subject& subject) const override {
        return !subject.cluster.topology.signatures().taint_raw(subject.plan.signature).empty();
    }
    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        collect_column(subject.cluster.topology.signatures().taint_raw(subject.plan.signature), feasible, raws);
    }
    bool by_site(const Subject&) const override { return true; }
    void numbers_of_nodes(const Subject& subject, std::vector<NodeNumbers>& all) const override {
        add_column(subject.cluster.topology.signatures().taint_raw(subject.plan.signature), all);
    }
    std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept override {
        return normalised_reverse(raw, extremes.max);
    }
};

class NodeAffinityScore final : public ClusterScore {
public:
    bool concerns(const Subject& subject) const override { return !subject.spec.preferred_nodes.empty(); }
    bool distinguishes_nodes(const Subject& subject) const override {
        return !subject.cluster.topology.signatures().affinity_raw(subject.plan.signature).empty();
    }
    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        collect_column(subject.cluster.topology.signatures().affinity_raw(subject.plan.signature), feasible, raws);
    }
    bool by_site(const Subject&) const override { return true; }
    void numbers_of_nodes(const Subject& subject, std::vector<NodeNumbers>& all) const override {
        add_column(subject.cluster.topology.signatures().affinity_raw(subject.plan.signature), all);
    }
    std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept override {
        return normalised(raw, extremes.max);
    }
};

}  // namespace

std::unique_ptr<ClusterScore> make_taint_toleration_score(const EngineOptions&) {
    return std::make_unique<TaintTolerationScore>();
}
std::unique_ptr<ClusterScore> make_node_affinity_score(const EngineOptions&) {
    return std::make_unique<NodeAffinityScore>();
}

}  // namespace bayplan
