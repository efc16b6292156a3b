// Bytes that a broken or hostile peer may send: cut, flipped, overlapping, misaligned, half empty,
// unknown.
//
// Frames are put together with the generated builders, since our encoder cannot make them. What
// matters in most tests is that the sanitizers stay silent; where a refusal is certain its text is
// checked.
#include <functional>

#include <gtest/gtest.h>

#include "aligned_bytes.h"
#include "describe.h"
#include "item_maker.h"
#include "shim_generated.h"
#include "wire/codec.h"

namespace bayplan::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr Limits kLimits;

std::string fault_of(std::span<const std::byte> bytes, const Limits& limits = kLimits) {
    AlignedBytes aligned(bytes);
    DecodedFrame frame;
    std::string error;
    if (!frame.decode(aligned.bytes(), limits, error)) {
        EXPECT_NE(error, "");
        return error;
    }
    EXPECT_NE(describe(frame.message()), "");
    return "";
}

std::span<const std::byte> bytes_of(const FlatBufferBuilder& out) {
    return std::as_bytes(std::span(out.GetBufferPointer(), out.GetSize()));
}

std::string fault_of_envelope(FlatBufferBuilder& out, fbs::Body kind, Offset<void> body, std::uint16_t version = 1) {
    fbs::FinishEnvelopeBuffer(out, fbs::CreateEnvelope(out, version, kind, body));
    return fault_of(bytes_of(out));
}

std::string fault_of_state(FlatBufferBuilder& out, fbs::StateBody kind, Offset<void> body) {
    return fault_of_envelope(out, fbs::Body::State, fbs::CreateState(out, 1, kind, body).Union());
}

std::string fault_of_asks(FlatBufferBuilder& out, const std::vector<Offset<fbs::Ask>>& asks) {
    return fault_of_state(out, fbs::StateBody::Asks, fbs::CreateAsksDirect(out, &asks).Union());
}

using MakeObject = std::function<Offset<void>(FlatBufferBuilder&)>;

std::string fault_of_object(fbs::ObjectBody kind, const MakeObject& make) {
    FlatBufferBuilder out;
    const auto body = make ? make(out) : Offset<void>();
    const std::vector objects = {fbs::CreateObject(out, kind, body)};
    return fault_of_state(out, fbs::StateBody::Objects, fbs::CreateObjectsDirect(out, &objects).Union());
}

const std::string kNotValid = "frame is not a valid flatbuffer of this schema";

std::vector<std::vector<std::byte>> good_frames() {
    std::vector<std::vector<std::byte>> frames;
    Encoder encoder;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        ItemMaker maker(seed, kLimits);
        for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
            const auto bytes = encoder.encode(maker.message(kind, Extent::small));
            frames.emplace_back(bytes.begin(), bytes.end());
        }
    }
    return frames;
}

TEST(Hostile, a_frame_cut_anywhere_is_never_read_past_its_end) {
    for (const auto& frame : good_frames()) {
        for (std::size_t size = 0; size < frame.size(); ++size) {
            fault_of(std::span(frame).first(size));
        }
        EXPECT_EQ(fault_of(frame), "");
    }
}

TEST(Hostile, a_frame_with_any_bit_flipped_is_refused_or_read_within_its_bytes) {
    for (auto& frame : good_frames()) {
        for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
            const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
            frame[bit / 8] ^= mask;
            fault_of(frame);
            frame[bit / 8] ^= mask;
        }
    }
}

TEST(Hostile, a_frame_with_any_word_replaced_is_refused_or_read_within_its_bytes) {
    for (auto& frame : good_frames()) {
        for (std::size_t at = 0; at + 4 <= frame.size(); at += 2) {
            for (const std::uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffffcu, 0xffffffffu}) {
                std::array<std::byte, 4> kept;
                std::memcpy(kept.data(), &frame[at], 4);
                std::memcpy(&frame[at], &word, 4);
                fault_of(frame);
                std::memcpy(&frame[at], kept.data(), 4);
            }
        }
    }
}

TEST(Hostile, bytes_off_their_alignment_are_refused) {
    Encoder encoder;
    const auto good = encoder.encode(StateAppliedFrame{7});
    std::vector<std::byte> shifted(good.size() + 8);
    std::copy(good.begin(), good.end(), shifted.begin() + 4);
    AlignedBytes aligned(shifted);
    DecodedFrame frame;
    std::string error;
    EXPECT_FALSE(frame.decode(aligned.bytes().subspan(4, good.size()), kLimits, error));
    EXPECT_EQ(error, "frame is not aligned to 8 bytes");
}

TEST(Hostile, frames_of_another_schema_are_told_by_their_identifier) {
    EXPECT_EQ(fault_of({}), "frame of 0 bytes cannot hold a message");
    FlatBufferBuilder out;
    const auto body = fbs::CreateAcknowledge(out, 1).Union();
    out.Finish(fbs::CreateEnvelope(out, 1, fbs::Body::Acknowledge, body), "ELSE");
    EXPECT_EQ(fault_of(bytes_of(out)), "frame does not carry the identifier BYPL");
}

TEST(Hostile, one_ask_named_a_hundred_thousand_times_is_given_up_early) {
    FlatBufferBuilder out;
    const auto ask = fbs::CreateAsk(out, out.CreateString("a"));
    EXPECT_EQ(fault_of_asks(out, std::vector(100'000, ask)), kNotValid);
}

TEST(Hostile, one_list_of_terms_shared_by_all_specs_is_given_up_early) {
    FlatBufferBuilder out;
    const auto requirement = fbs::CreateRequirement(out, 1, fbs::LabelOperator::exists);
    const auto labels = out.CreateVector(std::vector(1000, requirement));
    const auto terms = out.CreateVector(std::vector(1000, fbs::CreateNodeTerm(out, labels)));
    fbs::PodSpecBuilder spec(out);
    spec.add_preferred_nodes(terms);
    const std::vector specs(1000, spec.Finish());
    EXPECT_EQ(fault_of_state(out, fbs::StateBody::Specs, fbs::CreateSpecsDirect(out, &specs).Union()), kNotValid);
}

// Each table is small and there is one per spec: only what they share is large.
std::string fault_of_values_shared_by(std::size_t specs) {
    FlatBufferBuilder out;
    const auto values = out.CreateVector(std::vector<std::uint32_t>(4000, 7));
    std::vector<Offset<fbs::PodSpec>> places;
    for (std::size_t i = 0; i < specs; ++i) {
        fbs::PodSpecBuilder spec(out);
        spec.add_images(values);
        places.push_back(spec.Finish());
    }
    return fault_of_state(out, fbs::StateBody::Specs, fbs::CreateSpecsDirect(out, &places).Union());
}

TEST(Hostile, one_long_list_of_values_shared_by_all_specs_is_refused_past_a_multiple_of_the_frame) {
    EXPECT_EQ(fault_of_values_shared_by(4), "");
    EXPECT_EQ(fault_of_values_shared_by(5),
              "specs[4].images is one list too many: the lists of this message overlap too often");
}

// Each ask names the same list of amounts: read, the message is many times its frame.
TEST(Hostile, one_list_of_amounts_shared_by_all_asks_is_refused_past_a_multiple_of_the_frame) {
    FlatBufferBuilder out;
    const auto key = out.CreateString("a");
    const auto amounts = out.CreateVectorOfStructs(std::vector<fbs::Amount>(64, fbs::Amount(1, 2)));
    std::vector<Offset<fbs::Ask>> asks;
    for (int i = 0; i < 20'000; ++i) {
        fbs::AskBuilder ask(out);
        ask.add_key(key);
        ask.add_requests(amounts);
        asks.push_back(ask.Finish());
    }
    const std::string fault = fault_of_state(out, fbs::StateBody::Asks, fbs::CreateAsksDirect(out, &asks).Union());
    EXPECT_TRUE(fault.starts_with("asks[")) << fault;
    EXPECT_NE(fault.find("].requests makes the message more than "), std::string::npos) << fault;
    EXPECT_TRUE(fault.ends_with(" bytes when it is read")) << fault;
}

// Tables of a few bytes that become records of hundreds.
TEST(Hostile, specs_that_say_nothing_are_refused_past_a_multiple_of_the_frame) {
    FlatBufferBuilder out;
    std::vector<Offset<fbs::PodSpec>> specs;
    for (int i = 0; i < 30'000; ++i) {
        specs.push_back(fbs::PodSpecBuilder(out).Finish());
    }
    const std::string fault = fault_of_state(out, fbs::StateBody::Specs, fbs::CreateSpecsDirect(out, &specs).Union());
    EXPECT_TRUE(fault.starts_with("specs makes the message more than ")) << fault;
}

TEST(Hostile, one_long_list_of_labels_shared_by_all_objects_is_refused_likewise) {
    FlatBufferBuilder out;
    const auto labels = out.CreateVectorOfStructs(std::vector<fbs::Attribute>(1000, fbs::Attribute(1, 2)));
    std::vector<Offset<fbs::Object>> objects;
    for (int i = 0; i < 100; ++i) {
        const auto one = fbs::CreateNamespace(out, 1, labels).Union();
        objects.push_back(fbs::CreateObject(out, fbs::ObjectBody::Namespace, one));
    }
    const std::string fault =
        fault_of_state(out, fbs::StateBody::Objects, fbs::CreateObjectsDirect(out, &objects).Union());
    EXPECT_TRUE(fault.ends_with("the lists of this message overlap too often")) << fault;
}

TEST(Hostile, one_long_reason_shared_by_all_nacks_is_refused_past_a_multiple_of_the_frame) {
    FlatBufferBuilder out;
    const auto reason = out.CreateString(std::string(4000, 'r'));
    std::vector<Offset<fbs::Nack>> nacks;
    for (int i = 0; i < 2000; ++i) {
        nacks.push_back(fbs::CreateNack(out, 0, reason));
    }
    const std::string fault = fault_of_state(out, fbs::StateBody::Nacks, fbs::CreateNacksDirect(out, &nacks).Union());
    EXPECT_TRUE(fault.starts_with("nacks[")) << fault;
    EXPECT_TRUE(fault.ends_with("the texts of this message overlap too often")) << fault;
}

TEST(Hostile, a_short_reason_shared_by_all_nacks_is_fine) {
    FlatBufferBuilder out;
    const auto reason = out.CreateString("node is gone");
    std::vector<Offset<fbs::Nack>> nacks;
    for (int i = 0; i < 2000; ++i) {
        nacks.push_back(fbs::CreateNack(out, out.CreateString("pod-" + std::to_string(i)), reason));
    }
    EXPECT_EQ(fault_of_state(out, fbs::StateBody::Nacks, fbs::CreateNacksDirect(out, &nacks).Union()), "");
}

// A vector of amounts whose length lies on a multiple of four as it must, its entries off theirs of
// eight.
std::string fault_of_requests_shifted_by(int bytes) {
    FlatBufferBuilder out;
    out.Align(8);
    for (int i = 0; i < bytes; ++i) {
        out.PushElement<std::uint8_t>(0);
    }
    const fbs::Amount amount(1, 2);
    out.StartVector(0, 1);
    out.PushBytes(reinterpret_cast<const std::uint8_t*>(&amount), sizeof amount);
    const Offset<flatbuffers::Vector<const fbs::Amount*>> requests(out.EndVector(1));
    fbs::AskBuilder ask(out);
    ask.add_requests(requests);
    const auto place = ask.Finish();
    return fault_of_asks(out, {place});
}

TEST(Hostile, amounts_off_their_alignment_are_refused) {
    EXPECT_EQ(fault_of_requests_shifted_by(0), "");
    EXPECT_EQ(fault_of_requests_shifted_by(4), "asks[0].requests is not aligned");
}

// The same of the attributes of a device, which are of eight bytes too.
std::string fault_of_attributes_shifted_by(int bytes) {
    FlatBufferBuilder out;
    out.Align(8);
    for (int i = 0; i < bytes; ++i) {
        out.PushElement<std::uint8_t>(0);
    }
    const fbs::DeviceAttribute attribute(1, 2, 3, fbs::AttributeType::number);
    out.StartVector(0, 1);
    out.PushBytes(reinterpret_cast<const std::uint8_t*>(&attribute), sizeof attribute);
    const Offset<flatbuffers::Vector<const fbs::DeviceAttribute*>> attributes(out.EndVector(1));
    fbs::SliceDeviceBuilder device(out);
    device.add_attributes(attributes);
    const std::vector<Offset<fbs::SliceDevice>> devices = {device.Finish()};
    const auto listed = out.CreateVector(devices);
    fbs::ResourceSliceBuilder slice(out);
    slice.add_devices(listed);
    const std::vector<Offset<fbs::Object>> objects = {
        fbs::CreateObject(out, fbs::ObjectBody::ResourceSlice, slice.Finish().Union())};
    return fault_of_state(out, fbs::StateBody::Objects, fbs::CreateObjectsDirect(out, &objects).Union());
}

TEST(Hostile, attributes_of_devices_off_their_alignment_are_refused) {
    EXPECT_EQ(fault_of_attributes_shifted_by(0), "");
    const std::string fault = fault_of_attributes_shifted_by(4);
    EXPECT_TRUE(fault.ends_with("attributes is not aligned")) << fault;
}

TEST(Hostile, a_message_without_content_is_refused) {
    FlatBufferBuilder out;
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::NONE, 0), "envelope has no message");
    for (const fbs::Body kind :
         {fbs::Body::Hello, fbs::Body::HelloReply, fbs::Body::State, fbs::Body::Acknowledge, fbs::Body::Decisions,
          fbs::Body::StateApplied, fbs::Body::CountersRequest, fbs::Body::Counters}) {
        out.Clear();
        EXPECT_EQ(fault_of_envelope(out, kind, 0), "envelope has no message");
    }
    for (int kind = 0; kind <= static_cast<int>(fbs::StateBody::MAX); ++kind) {
        out.Clear();
        EXPECT_EQ(fault_of_state(out, static_cast<fbs::StateBody>(kind), 0), "state has no body");
    }
    for (int kind = 0; kind <= static_cast<int>(fbs::ObjectBody::MAX); ++kind) {
        EXPECT_EQ(fault_of_object(static_cast<fbs::ObjectBody>(kind), nullptr), "objects[0] has no body");
    }
}

TEST(Hostile, counters_whose_names_and_values_differ_in_number_are_refused) {
    FlatBufferBuilder out;
    const std::vector<flatbuffers::Offset<flatbuffers::String>> names = {out.CreateString("a"), out.CreateString("b")};
    const auto list = out.CreateVector(names);
    const auto values = out.CreateVector(std::vector<std::uint64_t>{1});
    const auto body = fbs::CreateCounters(out, 1, 0, 1, list, values).Union();
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::Counters, body), "values are not as many as names");
}

// As above, with a counter's value.
std::string fault_of_counter_shifted_by(int bytes) {
    FlatBufferBuilder out;
    out.Align(8);
    for (int i = 0; i < bytes; ++i) {
        out.PushElement<std::uint8_t>(0);
    }
    const std::uint64_t value = 7;
    out.StartVector(0, 1);
    out.PushBytes(reinterpret_cast<const std::uint8_t*>(&value), sizeof value);
    const Offset<flatbuffers::Vector<std::uint64_t>> values(out.EndVector(1));
    const auto names = out.CreateVector(std::vector{out.CreateString("a")});
    const auto body = fbs::CreateCounters(out, 1, 0, 1, names, values).Union();
    return fault_of_envelope(out, fbs::Body::Counters, body);
}

TEST(Hostile, counters_off_their_alignment_are_refused) {
    EXPECT_EQ(fault_of_counter_shifted_by(0), "");
    EXPECT_EQ(fault_of_counter_shifted_by(4), "values is not aligned");
}

TEST(Hostile, a_message_of_an_unknown_kind_is_named_by_its_number) {
    FlatBufferBuilder out;
    const auto body = fbs::CreateAcknowledge(out, 1).Union();
    EXPECT_EQ(fault_of_envelope(out, static_cast<fbs::Body>(200), body), "message of kind 200 is not known");
    out.Clear();
    const auto define = fbs::CreateDefine(out).Union();
    EXPECT_EQ(fault_of_state(out, static_cast<fbs::StateBody>(99), define), "state body of kind 99 is not known");
    EXPECT_EQ(fault_of_object(static_cast<fbs::ObjectBody>(77),
                              [](auto& bytes) { return fbs::CreateCsiDriver(bytes, 1).Union(); }),
              "objects[0] is of kind 77, which is not known");
}

TEST(Hostile, a_message_of_a_kind_that_is_not_offered_yet_is_named) {
    FlatBufferBuilder out;
    const auto answer = fbs::CreatePredicateAnswer(out, 1).Union();
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::PredicateAnswer, answer),
              "message of kind PredicateAnswer needs a feature that is not offered");
    out.Clear();
    const auto query = fbs::CreateVictimQuery(out, 1).Union();
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::VictimQuery, query),
              "message of kind VictimQuery needs a feature that is not offered");
}

TEST(Hostile, an_envelope_without_schema_version_is_refused_and_a_later_one_accepted) {
    FlatBufferBuilder out;
    auto body = fbs::CreateAcknowledge(out, 1).Union();
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::Acknowledge, body, 0), "schema_version is not given");
    out.Clear();
    body = fbs::CreateAcknowledge(out, 1).Union();
    EXPECT_EQ(fault_of_envelope(out, fbs::Body::Acknowledge, body, 1000), "");
}

TEST(Hostile, enumerators_that_are_not_known_are_refused_by_name) {
    FlatBufferBuilder out;
    const auto node = [&out](int action) {
        out.Clear();
        const std::vector nodes = {fbs::CreateNode(out, 1, static_cast<fbs::NodeAction>(action))};
        return fault_of_state(out, fbs::StateBody::Nodes, fbs::CreateNodesDirect(out, &nodes).Union());
    };
    EXPECT_EQ(node(0), "nodes[0].action is 0, which is not known");
    EXPECT_EQ(node(6), "");
    EXPECT_EQ(node(7), "nodes[0].action is 7, which is not known");

    const auto release = [&out](int termination) {
        out.Clear();
        const std::vector releases = {fbs::CreateRelease(out, 0, 1, static_cast<fbs::Termination>(termination))};
        return fault_of_state(out, fbs::StateBody::Releases, fbs::CreateReleasesDirect(out, &releases).Union());
    };
    EXPECT_EQ(release(0), "");
    EXPECT_EQ(release(4), "");
    EXPECT_EQ(release(5), "releases[0].termination is 5, which is not known");

    const auto decision = [&out](int kind, int termination) {
        out.Clear();
        const std::vector decisions = {
            fbs::CreateDecision(out, static_cast<fbs::DecisionKind>(kind), static_cast<fbs::Termination>(termination))};
        return fault_of_envelope(out, fbs::Body::Decisions, fbs::CreateDecisionsDirect(out, 1, 0, &decisions).Union());
    };
    EXPECT_EQ(decision(0, 0), "decisions[0].kind is 0, which is not known");
    EXPECT_EQ(decision(10, 4), "");
    EXPECT_EQ(decision(11, 0), "");
    EXPECT_EQ(decision(12, 0), "");
    EXPECT_EQ(decision(14, 0), "decisions[0].kind is 14, which is not known");
    EXPECT_EQ(decision(7, 5), "decisions[0].termination is 5, which is not known");

    const auto reply = [&out](int outcome) {
        out.Clear();
        const auto body = fbs::CreateHelloReply(out, static_cast<fbs::HelloOutcome>(outcome)).Union();
        return fault_of_envelope(out, fbs::Body::HelloReply, body);
    };
    EXPECT_EQ(reply(0), "outcome is 0, which is not known");
    EXPECT_EQ(reply(3), "");
    EXPECT_EQ(reply(4), "outcome is 4, which is not known");
}

}  // namespace
}  // namespace bayplan::wire
