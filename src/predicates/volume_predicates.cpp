// VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone: the four predicates of volumes behind the
// one face of predicates. Their rules, one function each, are in src/volumes. Source: Kubernetes 1.35.

#include <bit>

#include "predicates/registry.h"
#include "volumes/volume_nodes.h"
#include "volumes/volume_plan.h"

namespace bayplan {

namespace {

class VolumePredicateFace final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }
    explicit VolumePredicateFace(VolumePredicate which) : which_(which) {}

    Refusal refuse_all(const Subject& subject) const override {
        const VolumeRefusal& refusal = subject.plan.volumes.whole_pod[index()];
        return {refusal.verdict, refusal.reasons};
    }

    bool depends_on_pods(const Subject& subject) const override { return subject.plan.volumes.concerns[index()]; }

    std::uint64_t filter_cluster(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const Slot slot = slot_at(block, lane);
            if (judge_at(subject, slot, *subject.cluster.topology.facts()[raw(slot)])) {
                lanes &= ~(std::uint64_t{1} << lane);
            }
        }
        return lanes;
    }

    bool narrows(const Subject&) const override { return true; }
    bool narrow(const Subject& subject, NodeMask& nodes) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        return bayplan::narrow(which_, subject.plan.volumes, topology.volumes(), topology.known(), topology.texts(),
                               nodes);
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!depends_on_pods(subject)) {
            return {};
        }
        const VolumeRefusal refusal = judge_at(subject, node.slot, node.facts);
        return {refusal.verdict, refusal.reasons};
    }

    bool skips_attempt(const Subject& subject) const override {
        return which_ == VolumePredicate::restrictions && !depends_on_pods(subject);
    }

private:
    std::size_t index() const { return static_cast<std::size_t>(which_); }

    VolumeRefusal judge_at(const Subject& subject, Slot slot, const NodeFacts& facts) const {
        const ClusterFacts& topology = subject.cluster.topology;
        return judge(which_, subject.plan.volumes, facts, topology.volumes_on(slot), topology.volumes(),
                     topology.known(), topology.texts());
    }

    const VolumePredicate which_;
};

std::unique_ptr<Predicate> make(VolumePredicate which) { return std::make_unique<VolumePredicateFace>(which); }

}  // namespace

std::unique_ptr<Predicate> make_volume_restrictions(const LaneKernels&) { return make(VolumePredicate::restrictions); }
std::unique_ptr<Predicate> make_node_volume_limits(const LaneKernels&) { return make(VolumePredicate::limits); }
std::unique_ptr<Predicate> make_volume_binding(const LaneKernels&) { return make(VolumePredicate::binding); }
std::unique_ptr<Predicate> make_volume_zone(const LaneKernels&) { return make(VolumePredicate::zone); }

}  // namespace bayplan
