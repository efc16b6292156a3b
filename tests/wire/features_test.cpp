// Fields that are in the schema before the daemon obeys them: those that would change where a pod
// may run are refused by name, the others are passed over.
#include <functional>

#include <gtest/gtest.h>

#include "shim_generated.h"
#include "wire/codec.h"

namespace bayplan::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

std::string fault_of_state(FlatBufferBuilder& out, fbs::StateBody kind, Offset<void> body) {
    const auto state = fbs::CreateState(out, 1, kind, body).Union();
    out.Align(8);
    fbs::FinishEnvelopeBuffer(out, fbs::CreateEnvelope(out, 1, fbs::Body::State, state));
    DecodedFrame frame;
    std::string error;
    const auto bytes = std::as_bytes(std::span(out.GetBufferPointer(), out.GetSize()));
    return frame.decode(bytes, Limits{}, error) ? "" : error;
}

using AddField = std::function<void(fbs::AskBuilder&)>;

std::string fault_of_ask(FlatBufferBuilder& out, const AddField& add) {
    fbs::AskBuilder ask(out);
    add(ask);
    const std::vector asks = {ask.Finish()};
    return fault_of_state(out, fbs::StateBody::Asks, fbs::CreateAsksDirect(out, &asks).Union());
}

using AddConstraint = std::function<void(fbs::ConstraintsBuilder&)>;

std::string fault_of_constraint(FlatBufferBuilder& out, const AddConstraint& add) {
    fbs::ConstraintsBuilder constraints(out);
    add(constraints);
    const auto place = constraints.Finish();
    return fault_of_ask(out, [place](fbs::AskBuilder& ask) { ask.add_constraints(place); });
}

std::string refused(const char* field) {
    return std::string("asks[0].") + field + " needs a feature that this daemon does not offer";
}

TEST(Features, taints_of_a_node_are_refused_and_its_labels_passed_over) {
    FlatBufferBuilder out;
    const std::vector taints = {fbs::CreateTaint(out, 1, 2, fbs::TaintEffect::no_schedule)};
    std::vector nodes = {
        fbs::CreateNodeDirect(out, 1, fbs::NodeAction::create, nullptr, nullptr, nullptr, &taints)};
    EXPECT_EQ(
        fault_of_state(out, fbs::StateBody::Nodes, fbs::CreateNodesDirect(out, &nodes).Union()),
        "nodes[0].taints needs a feature that this daemon does not offer");
    out.Clear();
    const std::vector labels = {fbs::Attribute(1, 2)};
    nodes = {fbs::CreateNodeDirect(out, 1, fbs::NodeAction::create, nullptr, nullptr, &labels)};
    EXPECT_EQ(
        fault_of_state(out, fbs::StateBody::Nodes, fbs::CreateNodesDirect(out, &nodes).Union()),
        "");
}

TEST(Features, an_ask_that_is_part_of_a_gang_or_a_placeholder_is_refused) {
    FlatBufferBuilder out;
    EXPECT_EQ(fault_of_ask(out, [](auto& ask) { ask.add_group_min_available(2); }),
              refused("group_min_available"));
    out.Clear();
    EXPECT_EQ(fault_of_ask(out, [](auto& ask) { ask.add_group_min_available(1); }), "");
    out.Clear();
    EXPECT_EQ(fault_of_ask(out, [](auto& ask) { ask.add_placeholder(true); }),
              refused("placeholder"));
}

TEST(Features, constraints_that_restrict_are_refused) {
    FlatBufferBuilder out;
    const auto node_terms = [&] { return out.CreateVector(std::vector{fbs::CreateNodeTerm(out)}); };
    const auto pod_terms = [&] { return out.CreateVector(std::vector{fbs::CreatePodTerm(out)}); };
    const auto ids = [&] { return out.CreateVector(std::vector<std::uint32_t>{1}); };
    const std::vector<std::pair<const char*, std::function<AddConstraint()>>> cases = {
        {"constraints.node_selector",
         [&]() -> AddConstraint {
             const auto labels = out.CreateVectorOfStructs(std::vector{fbs::Attribute(1, 2)});
             return [labels](auto& c) { c.add_node_selector(labels); };
         }},
        {"constraints.node_affinity",
         [&]() -> AddConstraint {
             const auto affinity = fbs::CreateNodeAffinity(out, node_terms());
             return [affinity](auto& c) { c.add_node_affinity(affinity); };
         }},
        {"constraints.pod_affinity",
         [&]() -> AddConstraint {
             const auto affinity = fbs::CreatePodAffinity(out, pod_terms());
             return [affinity](auto& c) { c.add_pod_affinity(affinity); };
         }},
        {"constraints.pod_anti_affinity",
         [&]() -> AddConstraint {
             const auto affinity = fbs::CreatePodAffinity(out, pod_terms());
             return [affinity](auto& c) { c.add_pod_anti_affinity(affinity); };
         }},
        {"constraints.topology_spread",
         [&]() -> AddConstraint {
             const auto spread = out.CreateVector(std::vector{fbs::CreateTopologySpread(out)});
             return [spread](auto& c) { c.add_topology_spread(spread); };
         }},
        {"constraints.host_ports",
         [&]() -> AddConstraint {
             const auto ports = out.CreateVector(std::vector{fbs::CreateHostPort(out, 80)});
             return [ports](auto& c) { c.add_host_ports(ports); };
         }},
        {"constraints.volumes",
         [&]() -> AddConstraint {
             const auto volumes = out.CreateVector(std::vector{fbs::CreateVolume(out)});
             return [volumes](auto& c) { c.add_volumes(volumes); };
         }},
        {"constraints.gates",
         [&]() -> AddConstraint {
             const auto gates = ids();
             return [gates](auto& c) { c.add_gates(gates); };
         }},
        {"constraints.plugins",
         [&]() -> AddConstraint {
             const auto plugins = ids();
             return [plugins](auto& c) { c.add_plugins(plugins); };
         }},
    };
    for (const auto& [field, make] : cases) {
        out.Clear();
        EXPECT_EQ(fault_of_constraint(out, make()), refused(field));
    }
}

TEST(Features, constraints_that_only_widen_or_prefer_are_passed_over) {
    FlatBufferBuilder out;
    const auto tolerations = out.CreateVector(std::vector{fbs::CreateToleration(out, 1)});
    const auto images = out.CreateVector(std::vector<std::uint32_t>{1});
    const auto terms = out.CreateVector(std::vector{fbs::CreateNodeTerm(out)});
    const auto affinity = fbs::CreateNodeAffinity(out, 0, terms);
    EXPECT_EQ(fault_of_constraint(out,
                                  [&](auto& constraints) {
                                      constraints.add_tolerations(tolerations);
                                      constraints.add_images(images);
                                      constraints.add_node_affinity(affinity);
                                  }),
              "");
}

// The deepest nesting that the schema knows must pass the verifier.
TEST(Features, a_preferred_pod_term_with_selector_requirements_is_not_too_deep) {
    FlatBufferBuilder out;
    const auto requirements = out.CreateVector(std::vector{fbs::CreateRequirement(out, 1)});
    const auto selector = fbs::CreateLabelSelector(out, 0, requirements);
    const auto terms =
        out.CreateVector(std::vector{fbs::CreatePodTerm(out, selector, 0, selector)});
    const auto affinity = fbs::CreatePodAffinity(out, 0, terms);
    EXPECT_EQ(fault_of_constraint(
                  out, [&](auto& constraints) { constraints.add_pod_affinity(affinity); }),
              "");
}

}  // namespace
}  // namespace bayplan::wire
