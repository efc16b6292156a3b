// FrameReader: any cutting of the stream gives the same frames; broken headers are final; a taker
// that refuses keeps order and bytes. SendBuffer: what goes in comes out, bounded, freed when
// acknowledged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "quic/frame_reader.h"
#include "quic/send_buffer.h"

namespace bayplan::dataplane {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_frame(Bytes& stream, const Bytes& payload) {
    const auto length = static_cast<std::uint32_t>(payload.size());
    stream.resize(stream.size() + 8);
    std::memcpy(stream.data() + stream.size() - 8, &length, 4);
    stream.insert(stream.end(), payload.begin(), payload.end());
    stream.resize((stream.size() + 7) / 8 * 8);
}

std::vector<Bytes> some_payloads(std::mt19937& random, int count) {
    std::vector<Bytes> out;
    for (int i = 0; i < count; ++i) {
        Bytes payload(random() % 40 == 0 ? random() % 5'000 : random() % 64);
        for (auto& byte : payload) byte = static_cast<std::uint8_t>(random());
        out.push_back(std::move(payload));
    }
    return out;
}

TEST(FrameReader, any_cut_of_the_stream_gives_the_same_frames) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const auto payloads = some_payloads(random, 30);
        Bytes stream;
        for (const auto& payload : payloads) append_frame(stream, payload);
        FrameReader reader(5'000);
        std::vector<Bytes> got;
        std::size_t consumed = 0;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t n = std::min<std::size_t>(1 + random() % 100, stream.size() - at);
            consumed += reader.feed(std::span(stream).subspan(at, n), [&](Frame& frame) {
                const auto* data = reinterpret_cast<const std::uint8_t*>(frame.data());
                got.emplace_back(data, data + frame.size());
                return true;
            });
            at += n;
        }
        ASSERT_EQ(got, payloads);
        EXPECT_EQ(consumed, stream.size());
        EXPECT_TRUE(reader.between_frames());
    }
}

TEST(FrameReader, a_refusing_taker_loses_nothing_and_credits_only_what_was_taken) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        const auto payloads = some_payloads(random, 30);
        Bytes stream;
        for (const auto& payload : payloads) append_frame(stream, payload);
        FrameReader reader(5'000);
        std::vector<Bytes> got;
        std::size_t consumed = 0;
        const auto take = [&](Frame& frame) {
            if (random() % 3 == 0) return false;
            const auto* data = reinterpret_cast<const std::uint8_t*>(frame.data());
            got.emplace_back(data, data + frame.size());
            return true;
        };
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t n = std::min<std::size_t>(1 + random() % 300, stream.size() - at);
            consumed += reader.feed(std::span(stream).subspan(at, n), take);
            at += n;
            ASSERT_EQ(consumed + reader.backlog_bytes(), at);
            if (random() % 2 == 0) consumed += reader.resume(take);
            ASSERT_EQ(consumed + reader.backlog_bytes(), at);
        }
        while (reader.blocked()) consumed += reader.resume(take);
        ASSERT_EQ(got, payloads);
        EXPECT_EQ(consumed, stream.size());
    }
}

TEST(FrameReader, a_taken_frame_is_the_takers) {
    Bytes stream;
    append_frame(stream, {1, 2, 3});
    append_frame(stream, {4});
    FrameReader reader(100);
    std::vector<Frame> kept;
    reader.feed(stream, [&](Frame& frame) {
        kept.push_back(std::move(frame));
        return true;
    });
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].size(), 3u);
    EXPECT_EQ(kept[0].data()[2], std::byte{3});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(kept[1].data()) % 8, 0u);
}

class BrokenFrame : public ::testing::Test {
protected:
    void feed(const Bytes& bytes) {
        reader.feed(bytes, [&](Frame&) {
            ++frames;
            return true;
        });
    }
    FrameReader reader{1'000};
    int frames = 0;
};

TEST_F(BrokenFrame, over_the_limit) {
    feed({0xe9, 0x03, 0, 0, 0, 0, 0, 0});  // 1001
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.error_text(), "frame of 1001 bytes exceeds the limit of 1000");
}

TEST_F(BrokenFrame, reserved_bits) {
    feed({1, 0, 0, 0, 0, 0, 0, 1});
    EXPECT_THAT(reader.error_text(), ::testing::HasSubstr("reserved"));
}

TEST_F(BrokenFrame, padding_that_is_not_zero_and_nothing_after_it) {
    feed({1, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0, 0, 7, 0, 0, 0, 0});
    EXPECT_THAT(reader.error_text(), ::testing::HasSubstr("padding"));
    feed({1, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(frames, 0);
}

TEST(SendBuffer, what_goes_in_comes_out_in_pieces_and_is_freed_by_acknowledgements) {
    std::mt19937 random(11);
    SendBuffer buffer(300'000);
    const auto payloads = some_payloads(random, 20'000);
    FrameReader reader(5'000);
    std::size_t next_in = 0;
    std::size_t next_out = 0;
    std::uint64_t unacknowledged = 0;
    while (next_out < payloads.size()) {
        while (next_in < payloads.size()) {
            const auto bytes = std::as_bytes(std::span(payloads[next_in]));
            if (!buffer.append_frame(bytes)) break;
            ++next_in;
        }
        ASSERT_LE(buffer.buffered_bytes(), 300'000u);
        std::array<SendBuffer::Piece, 2> pieces;
        const std::size_t count = buffer.unsent(pieces, 1 + random() % 1'452);
        std::size_t sent = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sent += pieces[i].size();
            reader.feed(pieces[i], [&](Frame& frame) {
                const auto* data = reinterpret_cast<const std::uint8_t*>(frame.data());
                EXPECT_EQ(Bytes(data, data + frame.size()), payloads[next_out]);
                ++next_out;
                return true;
            });
        }
        buffer.mark_sent(sent);
        unacknowledged += sent;
        if (random() % 4 == 0 || sent == 0) {
            const std::size_t n = unacknowledged == 0 ? 0 : random() % (unacknowledged + 1);
            buffer.acknowledge(n);
            unacknowledged -= n;
        }
    }
    EXPECT_FALSE(reader.failed());
    buffer.acknowledge(static_cast<std::size_t>(unacknowledged));
    EXPECT_EQ(buffer.buffered_bytes(), buffer.unsent_bytes());
}

TEST(SendBuffer, refuses_what_exceeds_the_limit_whole) {
    SendBuffer buffer(64);
    const std::vector<std::byte> payload(40);
    EXPECT_TRUE(buffer.append_frame(payload));
    EXPECT_FALSE(buffer.append_frame(payload));
    EXPECT_EQ(buffer.buffered_bytes(), 48u);
    EXPECT_TRUE(buffer.append_frame(std::span(payload).first(8)));
    buffer.mark_sent(48);
    buffer.acknowledge(48);
    EXPECT_TRUE(buffer.append_frame(payload));
}

}  // namespace
}  // namespace bayplan::dataplane
