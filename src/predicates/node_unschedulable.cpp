// NodeUnschedulable: a drained (cordoned) node takes no new pods, but for pods that tolerate the taint
// node.kubernetes.io/unschedulable. Source: Kubernetes 1.35, NodeUnschedulable filter.

#include "predicates/registry.h"

namespace bayplan {

namespace {

class NodeUnschedulable final : public Predicate {
public:
    bool refuses_pods() const override { return false; }
    bool looks_at_pods() const override { return false; }
    bool concerns(const AskClass& ask_class) const override { return !ask_class.tolerates_unschedulable; }

    std::uint64_t filter(const AskClass&, const NodeBlock& block, std::uint64_t lanes) const noexcept override {
        return lanes & block.schedulable;
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!concerns(subject.ask_class) || (node.block.schedulable >> node.lane() & 1)) {
            return {};
        }
        return {Verdict::unresolvable, {std::string(kReason)}};
    }

    LaneRefusals explain_lanes(const Subject& subject, const NodeBlock& block, std::uint32_t, std::uint64_t lanes,
                               ReasonCounts& counts) const override {
        const std::uint64_t refused =
            concerns(subject.ask_class) ? lanes & ~filter(subject.ask_class, block, lanes) : 0;
        count_reason(counts, kReason, refused);
        return {.unresolvable = refused};
    }

private:
    static constexpr std::string_view kReason = "node(s) were unschedulable";
};

}  // namespace

std::unique_ptr<Predicate> make_node_unschedulable(const LaneKernels&) { return std::make_unique<NodeUnschedulable>(); }

}  // namespace bayplan
