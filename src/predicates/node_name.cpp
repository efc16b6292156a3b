// NodeName: a pod that names a node runs there or nowhere. Source: Kubernetes 1.35, NodeName filter.

#include "predicates/registry.h"

namespace bayplan {

namespace {

class NodeName final : public Predicate {
public:
    bool refuses_pods() const override { return false; }
    bool looks_at_pods() const override { return false; }
    NodeName(const LaneKernels& kernels) : kernels_(kernels) {}

    bool concerns(const AskClass& ask_class) const override { return ask_class.required_node != kNone<NameId>; }

    std::uint64_t filter(const AskClass& ask_class, const NodeBlock& block,
                         std::uint64_t lanes) const noexcept override {
        return lanes & kernels_.named(block.names.data(), ask_class.required_node);
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!concerns(subject.ask_class) || node.block.names[node.lane()] == subject.ask_class.required_node) {
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
    static constexpr std::string_view kReason = "node(s) didn't match the requested node name";
    const LaneKernels& kernels_;
};

}  // namespace

std::unique_ptr<Predicate> make_node_name(const LaneKernels& kernels) { return std::make_unique<NodeName>(kernels); }

}  // namespace bayplan
