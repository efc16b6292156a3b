// TaintToleration: a node with a taint of effect NoSchedule or NoExecute takes only pods that tolerate it.
// Source: Kubernetes 1.35, TaintToleration filter.
//
// filter() has nothing to do: the signature's mask (topology/signatures.h) holds the answer per node.

#include "labels/tolerations.h"
#include "predicates/registry.h"
#include "predicates/unmasked.h"

namespace bayplan {

namespace {

class TaintToleration final : public Predicate {
public:
    bool refuses_pods() const override { return false; }
    bool looks_at_pods() const override { return false; }
    bool filters_by_columns() const override { return false; }
    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (first_untolerated(subject.spec.tolerations, node.facts.taints) == nullptr) {
            return {};
        }
        return {Verdict::unresolvable, {std::string(kTainted)}};
    }

    bool may_refuse(const Subject& subject) const override { return any_unmasked(subject); }

    LaneRefusals explain_lanes(const Subject& subject, const NodeBlock&, std::uint32_t number, std::uint64_t lanes,
                               ReasonCounts& counts) const override {
        const std::uint64_t refused = unmasked(subject, number, lanes, [&](const NodeFacts& facts) {
            return first_untolerated(subject.spec.tolerations, facts.taints) != nullptr;
        });
        count_reason(counts, kTainted, refused);
        return {.unresolvable = refused};
    }

private:
    static constexpr std::string_view kTainted = "node(s) had untolerated taint(s)";
};

}  // namespace

std::unique_ptr<Predicate> make_taint_toleration(const LaneKernels&) { return std::make_unique<TaintToleration>(); }

}  // namespace bayplan
