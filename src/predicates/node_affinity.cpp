// NodeAffinity: nodeSelector and required node affinity. Source: Kubernetes 1.35, NodeAffinity filter and
// its narrowing by metadata.name.
//
// filter() has nothing to do: the signature's mask (topology/signatures.h) holds the answer per node, or the few nodes
// that the spec names are looked at by themselves (SpecPlan::by_name). The narrowing never excludes a node that
// matches.

#include <algorithm>

#include "labels/node_terms.h"
#include "predicates/registry.h"
#include "predicates/unmasked.h"

namespace bayplan {

namespace {

class NodeAffinity final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }
    bool looks_at_pods() const override { return false; }
    Refusal refuse_all(const Subject& subject) const override {
        if (subject.plan.names.kind != NodeNameSet::Kind::conflict) {
            return {};
        }
        return {Verdict::unresolvable, {"pod affinity terms conflict"}};
    }

    bool excludes_nodes(const Subject& subject) const override {
        return subject.plan.names.kind == NodeNameSet::Kind::names;
    }

    Refusal exclude_nodes(const Subject& subject, const NodeView& node) const override {
        const NodeNameSet& names = subject.plan.names;
        if (names.kind != NodeNameSet::Kind::names ||
            std::binary_search(names.names.begin(), names.names.end(), node.facts.name)) {
            return {};
        }
        return {Verdict::unresolvable, {"node(s) didn't satisfy plugin(s) [NodeAffinity]"}};
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        if (required_nodes_match(subject.spec, node.facts, topology.known(), topology.texts())) {
            return {};
        }
        return {Verdict::unresolvable, {std::string(kNoMatch)}};
    }

    bool may_refuse(const Subject& subject) const override { return subject.plan.by_name || any_unmasked(subject); }

    LaneRefusals explain_lanes(const Subject& subject, const NodeBlock&, std::uint32_t number, std::uint64_t lanes,
                               ReasonCounts& counts) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        const auto refuse = [&](const NodeFacts& facts) {
            return !required_nodes_match(subject.spec, facts, topology.known(), topology.texts());
        };
        const std::uint64_t refused = subject.plan.by_name ? those_that(refuse, subject, number, lanes)
                                                           : unmasked(subject, number, lanes, refuse);
        count_reason(counts, kNoMatch, refused);
        return {.unresolvable = refused};
    }

private:
    static constexpr std::string_view kNoMatch = "node(s) didn't match Pod's node affinity/selector";
};

}  // namespace

std::unique_ptr<Predicate> make_node_affinity(const LaneKernels&) { return std::make_unique<NodeAffinity>(); }

}  // namespace bayplan
