// Every message, encoded and decoded again, is the same: random records, empty ones, and ones at
// the limits.
#include <gtest/gtest.h>

#include "aligned_bytes.h"
#include "allocation_counter.h"
#include "describe.h"
#include "item_maker.h"
#include "wire/codec.h"

namespace bayplan::wire {
namespace {

constexpr Limits kLimits;
constexpr Limits kSmallLimits{
    .items_max = 100, .string_bytes_max = 300, .amounts_max = 10, .attributes_max = 20, .terms_max = 3};

std::string round_trip(const Message& message, const Limits& limits, Encoder& encoder, DecodedFrame& frame) {
    AlignedBytes bytes(encoder.encode(message));
    std::string error;
    if (!frame.decode(bytes.bytes(), limits, error)) {
        return "refused: " + error;
    }
    return describe(frame.message());
}

TEST(RoundTrip, random_messages_come_back_the_same) {
    Encoder encoder;
    DecodedFrame frame;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        ItemMaker maker(seed, kLimits);
        for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
            const Message message = maker.message(kind, Extent::small);
            ASSERT_EQ(round_trip(message, kLimits, encoder, frame), describe(message)) << "seed " << seed;
        }
    }
}

TEST(RoundTrip, empty_names_of_a_list_are_left_out) {
    Encoder encoder;
    DecodedFrame frame;
    Hello some, same;
    some.plugins = "license\n\nrack\n\n";
    same.plugins = "license\nrack\n";
    some.build = "=lost\narch=a=b\nno pair\n";
    same.build = "arch=a=b\n";
    EXPECT_EQ(round_trip(some, kLimits, encoder, frame), describe(Message(same)));
}

TEST(RoundTrip, empty_messages_come_back_the_same) {
    Encoder encoder;
    DecodedFrame frame;
    ItemMaker maker(1, kLimits);
    for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
        const Message message = maker.message(kind, Extent::empty);
        EXPECT_EQ(round_trip(message, kLimits, encoder, frame), describe(message));
    }
}

TEST(RoundTrip, messages_with_every_list_and_text_at_its_limit_come_back_the_same) {
    Encoder encoder;
    DecodedFrame frame;
    ItemMaker maker(2, kSmallLimits);
    for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
        const Message message = maker.message(kind, Extent::maximal);
        EXPECT_EQ(round_trip(message, kSmallLimits, encoder, frame), describe(message));
    }
}

TEST(RoundTrip, default_constructed_messages_come_back_the_same) {
    Encoder encoder;
    DecodedFrame frame;
    for (const Message& message :
         {Message(Hello()), Message(HelloReply()), Message(StateFrame()), Message(CountersRequest()),
          Message(CountersFrame()), Message(AcknowledgeFrame()), Message(DecisionsFrame())}) {
        EXPECT_EQ(round_trip(message, kLimits, encoder, frame), describe(message));
    }
}

TEST(RoundTrip, encoded_bytes_do_not_depend_on_what_was_encoded_before) {
    ItemMaker maker(3, kLimits);
    Encoder used;
    for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
        const Message message = maker.message(kind, Extent::small);
        Encoder fresh;
        const auto first = fresh.encode(message);
        const auto later = used.encode(message);
        EXPECT_TRUE(std::equal(first.begin(), first.end(), later.begin(), later.end())) << "kind " << kind;
        EXPECT_EQ(first.size() % 8, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 8, 0u);
    }
}

TEST(RoundTrip, records_stay_valid_when_the_decoded_frame_is_moved) {
    ItemMaker maker(4, kLimits);
    Encoder encoder;
    const Message message = maker.message(4, Extent::small);
    AlignedBytes bytes(encoder.encode(message));
    DecodedFrame frame;
    std::string error;
    ASSERT_TRUE(frame.decode(bytes.bytes(), kLimits, error)) << error;
    const DecodedFrame moved = std::move(frame);
    EXPECT_EQ(describe(moved.message()), describe(message));
}

std::string repeated_decision_frame(Encoder& encoder, std::size_t decisions, std::size_t& bytes) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < decisions; ++i) {
        names.push_back("pod-" + std::to_string(i));
    }
    std::vector<Decision> list;
    for (const std::string& name : names) {
        list.push_back({DecisionKind::allocated, Termination::unknown, false, false, 0, 0, name,
                        "node-with-a-long-name.example", ""});
    }
    const Message message = DecisionsFrame{1, 1, list};
    AlignedBytes encoded(encoder.encode(message));
    bytes = encoded.bytes().size();
    DecodedFrame frame;
    std::string error;
    return frame.decode(encoded.bytes(), kLimits, error) && describe(frame.message()) == describe(message)
               ? ""
               : "differs: " + error;
}

TEST(RoundTrip, a_node_named_by_many_decisions_is_written_once) {
    Encoder encoder;
    std::size_t bytes = 0;
    EXPECT_EQ(repeated_decision_frame(encoder, 256, bytes), "");
    EXPECT_LT(bytes, 256 * 45);  // the name alone takes 36 bytes each time it is written
}

TEST(RoundTrip, more_different_texts_than_the_memo_holds_come_back_the_same) {
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < 2000; ++i) {
        nodes.push_back("node-" + std::to_string(i % 1500));
    }
    std::vector<Decision> list;
    for (const std::string& node : nodes) {
        list.push_back({DecisionKind::allocated, Termination::unknown, false, false, 0, 0, node, node, node});
    }
    Encoder encoder;
    DecodedFrame frame;
    const Message message = DecisionsFrame{1, 1, list};
    EXPECT_EQ(round_trip(message, kLimits, encoder, frame), describe(message));
}

TEST(RoundTrip, neither_direction_allocates_once_its_buffers_have_grown) {
    ItemMaker maker(5, kSmallLimits);
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    std::vector<Message> messages;
    for (std::size_t kind = 0; kind < ItemMaker::kMessageKinds; ++kind) {
        messages.push_back(maker.message(kind, Extent::maximal));
    }
    const auto all = [&] {
        bool good = true;
        for (std::size_t kind = 0; kind < messages.size(); ++kind) {
            const auto bytes = encoder.encode(messages[kind]);
            // Specs and objects own their lists (storage.h says why); only encoding them is free.
            good = (kind == ItemMaker::kSpecs || kind == ItemMaker::kObjects ||
                    frame.decode(bytes, kSmallLimits, error)) &&
                   good;
        }
        return good;
    };
    ASSERT_TRUE(all()) << error;
    const std::uint64_t before = allocations();
    ASSERT_TRUE(all()) << error;
    EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace
}  // namespace bayplan::wire
