// NodeName: a pod that names a node runs there or nowhere. Source: Kubernetes 1.35, NodeName filter.

#include <bit>

#include "predicates/registry.h"

namespace bayplan {

namespace {

class NodeName final : public Predicate {
public:
    std::string_view name() const override { return "NodeName"; }

    bool concerns(const AskClass& ask_class) const override { return ask_class.required_node != kNone<NameId>; }

    std::uint64_t filter(const AskClass& ask_class, const NodeBlock& block,
                         std::uint64_t lanes) const noexcept override {
        std::uint64_t pass = 0;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            pass |= std::uint64_t{block.names[lane] == ask_class.required_node} << lane;
        }
        return pass;
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!concerns(subject.ask_class) || node.block.names[node.lane()] == subject.ask_class.required_node) {
            return {};
        }
        return {Verdict::unresolvable, {"node(s) didn't match the requested node name"}};
    }

    std::uint32_t woken_by() const override { return kNodeChanges; }
};

}  // namespace

std::unique_ptr<Predicate> make_node_name() { return std::make_unique<NodeName>(); }

}  // namespace bayplan
