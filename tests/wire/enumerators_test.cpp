// Enumerators within specs and objects that this version does not know: the frame is broken, and
// the text names the item.
#include <gtest/gtest.h>

#include "item_fields.h"
#include "shim_generated.h"
#include "wire/codec.h"

namespace bayplan::wire {
namespace {

using flatbuffers::FlatBufferBuilder;

std::string fault_of(const StateBody& body) {
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    return frame.decode(encoder.encode(StateFrame{1, body}), Limits{}, error) ? "" : error;
}

// `set` gives the second of two specs an enumerator by number.
template <class Enum, class Set>
void expect_range(const std::string& field, int first, int last, Set set) {
    for (int value = 0; value < 256; ++value) {
        SpecItem records[2];
        set(records[1].spec, static_cast<Enum>(value));
        const std::string expected =
            value >= first && value <= last ? "" : field + " is " + std::to_string(value) + ", which is not known";
        ASSERT_EQ(fault_of(SpecsMessage{records, {}}), expected);
    }
}

TEST(Enumerators, of_a_requirement_are_known_wherever_it_stands) {
    const auto with_op = [](LabelOperator op) { return LabelRequirement{1, op, {}}; };
    expect_range<LabelOperator>("specs[1].required_nodes[0].labels[1].op", 1, 6, [&](PodSpec& spec, LabelOperator op) {
        spec.required_nodes = {{{with_op(LabelOperator::in), with_op(op)}, {}}};
    });
    expect_range<LabelOperator>("specs[1].preferred_nodes[0].fields[0].op", 1, 6, [&](PodSpec& spec, LabelOperator op) {
        spec.preferred_nodes = {{1, {{}, {with_op(op)}}}};
    });
    expect_range<LabelOperator>("specs[1].anti_affinity[0].namespace_selector[0].op", 1, 6,
                                [&](PodSpec& spec, LabelOperator op) {
                                    spec.anti_affinity.resize(1);
                                    spec.anti_affinity[0].namespace_selector = {{with_op(op)}};
                                });
    expect_range<LabelOperator>("specs[1].spread[0].selector[0].op", 1, 6, [&](PodSpec& spec, LabelOperator op) {
        spec.spread.resize(1);
        spec.spread[0].selector = {{with_op(op)}};
    });
}

TEST(Enumerators, of_tolerations_ports_and_volumes_are_known) {
    expect_range<TaintEffect>("specs[1].tolerations[0].effect", 0, 3, [](PodSpec& spec, TaintEffect effect) {
        spec.tolerations = {{1, true, 0, effect}};
    });
    expect_range<Protocol>("specs[1].ports[0].protocol", 1, 3, [](PodSpec& spec, Protocol protocol) {
        spec.ports = {{80, protocol, 0}};
    });
    expect_range<VolumeKind>("specs[1].volumes[0].kind", 1, 9, [](PodSpec& spec, VolumeKind kind) {
        spec.volumes = {{kind, 1, 0, 0, {}, 0, false}};
    });
}

TEST(Enumerators, of_volumes_and_claims_are_known) {
    for (int value = 0; value < 256; ++value) {
        const std::string unknown = " is " + std::to_string(value) + ", which is not known";
        Volume volume;
        volume.source = static_cast<VolumeKind>(value);
        ObjectItem objects[] = {{Namespace(), false}, {volume, false}};
        const bool kind = value >= 1 && value <= 9;
        EXPECT_EQ(fault_of(ObjectsMessage{objects}), kind ? "" : "objects[1].source" + unknown);

        volume = {};
        VolumeClaim claim;
        claim.access_modes = volume.access_modes = static_cast<std::uint8_t>(value);
        const std::string modes = value <= 15 ? "" : "objects[1].access_modes" + unknown;
        objects[1].object = volume;
        EXPECT_EQ(fault_of(ObjectsMessage{objects}), modes);
        objects[1].object = claim;
        EXPECT_EQ(fault_of(ObjectsMessage{objects}), modes);
    }
}

TEST(Enumerators, of_asks_are_known) {
    for (int value = 0; value < 256; ++value) {
        AskItem asks[2];
        asks[1].qos = static_cast<QosClass>(value);
        EXPECT_EQ(fault_of(AsksMessage{asks}),
                  value <= 3 ? "" : "asks[1].qos is " + std::to_string(value) + ", which is not known");
    }
}

// These are flags in the records, so our encoder cannot get them wrong.
std::string fault_of_spec(FlatBufferBuilder& out, flatbuffers::Offset<fbs::PodSpec> spec) {
    const std::vector specs = {spec};
    const auto body = fbs::CreateSpecsDirect(out, &specs).Union();
    const auto state = fbs::CreateState(out, 1, fbs::StateBody::Specs, body).Union();
    out.Align(8);
    fbs::FinishEnvelopeBuffer(out, fbs::CreateEnvelope(out, 1, fbs::Body::State, state));
    DecodedFrame frame;
    std::string error;
    const auto bytes = std::as_bytes(std::span(out.GetBufferPointer(), out.GetSize()));
    return frame.decode(bytes, Limits{}, error) ? "" : error;
}

std::string fault_of_spread(int when, int affinity, int taints) {
    FlatBufferBuilder out;
    const std::vector spread = {fbs::CreateSpreadConstraint(out, 1, 1, static_cast<fbs::WhenUnsatisfiable>(when), 0, 0,
                                                            1, static_cast<fbs::InclusionPolicy>(affinity),
                                                            static_cast<fbs::InclusionPolicy>(taints))};
    const auto list = out.CreateVector(spread);
    fbs::PodSpecBuilder spec(out);
    spec.add_spread(list);
    return fault_of_spec(out, spec.Finish());
}

std::string fault_of_toleration(int op) {
    FlatBufferBuilder out;
    const std::vector tolerations = {fbs::CreateToleration(out, 1, static_cast<fbs::TolerationOperator>(op))};
    const auto list = out.CreateVector(tolerations);
    fbs::PodSpecBuilder spec(out);
    spec.add_tolerations(list);
    return fault_of_spec(out, spec.Finish());
}

TEST(Enumerators, that_become_flags_are_known) {
    EXPECT_EQ(fault_of_spread(1, 1, 1), "");
    EXPECT_EQ(fault_of_spread(2, 2, 2), "");
    EXPECT_EQ(fault_of_toleration(1), "");
    EXPECT_EQ(fault_of_toleration(2), "");
    for (const int value : {0, 3, 255}) {
        const std::string unknown = " is " + std::to_string(value) + ", which is not known";
        const std::string spread = "specs[0].spread[0].";
        EXPECT_EQ(fault_of_spread(value, 1, 1), spread + "when_unsatisfiable" + unknown);
        EXPECT_EQ(fault_of_spread(1, value, 1), spread + "node_affinity_policy" + unknown);
        EXPECT_EQ(fault_of_spread(1, 1, value), spread + "node_taints_policy" + unknown);
        EXPECT_EQ(fault_of_toleration(value), "specs[0].tolerations[0].op" + unknown);
    }
}

}  // namespace
}  // namespace bayplan::wire
