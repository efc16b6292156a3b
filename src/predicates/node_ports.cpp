// NodePorts: a host port is used once per node and address. Source: Kubernetes 1.35, NodePorts filter.

#include <bit>

#include "predicates/obstacle_texts.h"
#include "predicates/registry.h"

namespace bayplan {

namespace {

class NodePorts final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }
    bool refuses_pods() const override { return false; }
    bool depends_on_pods(const Subject& subject) const override { return !subject.spec.ports.empty(); }

    std::uint64_t filter_cluster(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const HostPorts& used = subject.cluster.topology.ports(slot_at(block, lane));
            if (!used.empty() && used.conflicts(subject.spec.ports)) {
                lanes &= ~(std::uint64_t{1} << lane);
            }
        }
        return lanes;
    }

    bool splits_sites(const Subject&) const override { return true; }
    std::uint64_t filter_nodes(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        return filter_cluster(subject, block, lanes);
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!subject.cluster.topology.ports(node.slot).conflicts(subject.spec.ports)) {
            return {};
        }
        return {Verdict::unschedulable, {std::string(kPortsTaken)}};
    }
};

}  // namespace

std::unique_ptr<Predicate> make_node_ports(const LaneKernels&) { return std::make_unique<NodePorts>(); }

}  // namespace bayplan
