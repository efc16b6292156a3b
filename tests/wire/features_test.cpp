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

TEST(Features, an_ask_may_be_a_placeholder) {
    FlatBufferBuilder out;
    EXPECT_EQ(fault_of_ask(out, [](auto& ask) { ask.add_group_min_available(2); }), "");
    out.Clear();
    EXPECT_EQ(fault_of_ask(out, [](auto& ask) { ask.add_placeholder(true); }), "");
}

TEST(Features, fields_of_an_ask_that_nothing_obeys_yet_and_that_restrict_nothing_are_passed_over) {
    FlatBufferBuilder out;
    EXPECT_EQ(fault_of_ask(out,
                           [](auto& ask) {
                               ask.add_originator(true);
                               ask.add_never_victim(true);
                               ask.add_foreign_static(true);
                               ask.add_qos(fbs::QosClass::burstable);
                               ask.add_grace_period_s(30);
                               ask.add_scheduler_name(1);
                           }),
              "");
}

TEST(Agreement, is_the_highest_protocol_and_the_features_that_both_have) {
    EXPECT_EQ(agree(kProtocolMin, kProtocolMax, ~0ull).protocol, kProtocolMax);
    EXPECT_EQ(agree(kProtocolMin, kProtocolMax, ~0ull).features, kFeatures);
    EXPECT_EQ(agree(1, kProtocolMax + 7, 0).protocol, kProtocolMax) << "a newer shim";
    EXPECT_EQ(agree(1, 1, 0).protocol, 1u) << "an older shim";
    EXPECT_EQ(agree(1, 1, 0).features, 0u) << "nothing it did not ask for";
    EXPECT_EQ(agree(kProtocolMax + 1, kProtocolMax + 7, ~0ull).protocol, 0u);
    EXPECT_EQ(agree(0, kProtocolMin - 1, ~0ull).protocol, 0u);
    EXPECT_EQ(agree(2, 1, ~0ull).protocol, 0u) << "a range that is none";
}

}  // namespace
}  // namespace bayplan::wire
