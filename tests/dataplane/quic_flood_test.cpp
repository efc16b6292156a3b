// A flood of handshakes, forged and garbled, while a connection works: it keeps working, everything
// that came is accounted for, and nothing of it stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <random>

#include "quic_world.h"
#include "udp_address.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kSecond = 1'000'000'000;
const UdpAddress kServer = ipv4_address(0x0a000001, 4433);

// Answers each ask (a frame on `state`) by a frame on `decisions`, in order.
class Answering final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId, const Peer&) override {}
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame& frame) override {
        return plane.send(id, Stream::decisions, frame.bytes());
    }
    void on_close(DataPlane&, ConnectionId, std::string_view why) override { closed.emplace_back(why); }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }
    std::vector<std::string> closed;
};

// Packets of strangers, in a random order, each from an address that nobody has.
class Flood {
public:
    static constexpr std::size_t kAttempts = 10'000;  // handshakes that begin as they should
    static constexpr std::size_t kForgedTokens = 200;  // of them: with a Retry token made up
    static constexpr std::size_t kGarbage = 5'000;    // beside them: noise of every kind

    explicit Flood(std::uint64_t seed) : random_(seed) {
        packets_ = first_packets(kAttempts);
        packets_.reserve(kAttempts + kGarbage);
        for (std::size_t i = 0; i < kForgedTokens; ++i) packets_[i] = with_token(packets_[i]);
        for (std::size_t i = 0; i < kGarbage; ++i) packets_.push_back(garbage(i % 7));
        std::shuffle(packets_.begin(), packets_.end(), random_);
    }
    void inject(Network& network) {
        for (const auto& packet : packets_) network.inject(nobody(), kServer, packet);
    }

private:
    UdpAddress nobody() {
        return ipv4_address(0x0b000000u + static_cast<std::uint32_t>(random_() & 0xffffff),
                            static_cast<std::uint16_t>(1024 + random_() % 60'000));
    }
    std::vector<std::uint8_t> noise(std::size_t size) {
        std::vector<std::uint8_t> bytes(size);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
        return bytes;
    }
    // In the place of the empty token of a first packet.
    std::vector<std::uint8_t> with_token(std::vector<std::uint8_t> packet) {
        constexpr std::uint8_t kSize = 40;
        const std::size_t at = 7 + packet[5] + packet[6 + packet[5]];
        auto token = noise(kSize);
        token[0] = 0xb6;  // what ngtcp2's Retry tokens begin with
        packet[at] = kSize;
        packet.insert(packet.begin() + static_cast<std::ptrdiff_t>(at) + 1, token.begin(),
                      token.end());
        return packet;
    }
    std::vector<std::uint8_t> garbage(std::size_t kind) {
        auto bytes = packets_[kForgedTokens + random_() % (kAttempts - kForgedTokens)];
        // Ids of its own: else it would be a copy and go to the connection it is a copy of.
        for (std::size_t i = 6; i < 14; ++i) bytes[i] = static_cast<std::uint8_t>(random_());
        switch (kind) {
            case 0: return bytes;                                   // does not decrypt
            case 1: bytes.resize(random_() % 1200); return bytes;   // cut
            case 2: bytes[4] = 9; return bytes;                     // another version
            case 3: bytes[0] |= 0x30; return bytes;                 // Retry, or no type at all
            case 4: bytes = noise(1 + random_() % 60); bytes[0] &= 0x7f; return bytes;
            case 5: bytes = noise(1200); bytes[0] |= 0xc0; return bytes;
            default: return noise(1 + random_() % 1400);
        }
    }

    std::mt19937_64 random_;
    std::vector<std::vector<std::uint8_t>> packets_;
};

std::uint64_t sum(const DataPlane& plane, std::initializer_list<std::string_view> names) {
    std::uint64_t total = 0;
    for (const std::string_view name : names) total += counter(plane, name);
    return total;
}

void expect_attempts_add_up(const DataPlane& server) {
    EXPECT_EQ(counter(server, "handshake_attempts"),
              sum(server, {"attempts_accepted", "attempts_retried", "attempts_refused",
                           "attempts_lost"}));
    EXPECT_EQ(counter(server, "attempts_accepted"),
              sum(server, {"handshakes_ok", "handshakes_refused", "handshakes_pending"}));
}

std::size_t heap_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

TEST(QuicFlood, ten_thousand_attempts_disturb_nobody_and_leave_nothing) {
    Flood flood(11);
    World world;
    Answering answering;
    auto& server = world.add(world.options(true), answering);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    world.client_user.send_series(Stream::state, {500, 100, 500});
    ASSERT_TRUE(
        world.run_until([&] { return world.client_user.received(Stream::decisions) == 500; }));
    world.run_for(kSecond);
    const std::size_t heap_before = heap_in_use();
    const auto strangers = [&] {
        return sum(server, {"handshake_attempts", "drop_malformed_header", "drop_unknown_connection",
                            "drop_short_initial", "drop_not_initial", "drop_version",
                            "version_negotiations"});
    };
    const std::uint64_t seen_before = strangers();
    const std::uint64_t attempts_before = counter(server, "handshake_attempts");

    world.client_user.send_series(Stream::state, {3'500, 100, 500});
    flood.inject(world.network);
    ASSERT_TRUE(
        world.run_until([&] { return world.client_user.received(Stream::decisions) == 3'500; }))
        << "every ask is answered";
    EXPECT_EQ(world.client_user.fault, "");
    world.run_for(20 * kSecond);  // until the last half-open handshake is given up
    EXPECT_THAT(answering.closed, IsEmpty());

    expect_attempts_add_up(server);
    EXPECT_GE(counter(server, "handshake_attempts") - attempts_before, Flood::kAttempts);
    for (const char* outcome : {"attempts_accepted", "attempts_retried", "attempts_refused",
                                "attempts_lost"}) {
        EXPECT_GT(counter(server, outcome), 0u) << outcome;
        RecordProperty(outcome, std::to_string(counter(server, outcome)));
    }
    EXPECT_EQ(strangers() - seen_before, Flood::kAttempts + Flood::kGarbage)
        << "each packet has one count";

    EXPECT_EQ(counter(server, "connections_open"), 1u);
    EXPECT_EQ(counter(server, "handshakes_pending"), 0u);
    // Tables keep the size that they grew to; a half-open connection is 100 KB.
    EXPECT_LT(heap_in_use(), heap_before + 2'000'000);
}

TEST(QuicFlood, clients_that_mean_it_get_in_meanwhile) {
    Flood flood(12);
    World world;
    auto& server = world.add(world.options(true), world.server_user);
    flood.inject(world.network);
    std::vector<SeriesPeer> users(8);
    for (SeriesPeer& user : users) world.connect(world.add(world.options(false), user));
    ASSERT_TRUE(world.run_until([&] {
        return std::all_of(users.begin(), users.end(),
                           [](const SeriesPeer& user) { return !user.open.empty(); });
    }));
    for (const SeriesPeer& user : users) EXPECT_THAT(user.closed, IsEmpty());
    EXPECT_EQ(counter(server, "handshakes_ok"), users.size());
    EXPECT_GT(counter(server, "handshake_attempts"), Flood::kAttempts + users.size())
        << "they came back with a token";
    expect_attempts_add_up(server);
}

}  // namespace
}  // namespace bayplan::dataplane::testing
