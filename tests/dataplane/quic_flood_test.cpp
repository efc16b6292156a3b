// A flood of handshakes, forged and garbled, while a connection works: it keeps working, everything
// that came is accounted for, and nothing of it stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "flood.h"
#include "net/udp_address.h"
#include "quic_world.h"

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

std::uint64_t sum(const DataPlane& plane, std::initializer_list<std::string_view> names) {
    std::uint64_t total = 0;
    for (const std::string_view name : names) total += counter(plane, name);
    return total;
}

void expect_attempts_add_up(const DataPlane& server) {
    EXPECT_EQ(counter(server, "handshake_attempts"),
              sum(server, {"attempts_accepted", "attempts_retried", "attempts_refused", "attempts_lost"}));
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
    ASSERT_TRUE(world.run_until([&] { return world.client_user.received(Stream::decisions) == 500; }));
    world.run_for(kSecond);
    const std::size_t heap_before = heap_in_use();
    const auto strangers = [&] {
        return sum(server,
                   {"handshake_attempts", "drop_malformed_header", "drop_unknown_connection", "drop_short_initial",
                    "drop_not_initial", "drop_version", "version_negotiations", "drop_handshake_line"});
    };
    const std::uint64_t seen_before = strangers();
    const std::uint64_t attempts_before = counter(server, "handshake_attempts");

    world.client_user.send_series(Stream::state, {3'500, 100, 500});
    for (const auto& packet : flood.packets()) world.network.inject(flood.nobody(), kServer, packet);
    ASSERT_TRUE(world.run_until([&] { return world.client_user.received(Stream::decisions) == 3'500; }))
        << "every ask is answered";
    EXPECT_EQ(world.client_user.fault, "");
    world.run_for(20 * kSecond);  // until the last half-open handshake is given up
    EXPECT_THAT(answering.closed, IsEmpty());

    expect_attempts_add_up(server);
    EXPECT_GE(counter(server, "handshake_attempts") - attempts_before, Flood::kAttempts);
    for (const char* outcome : {"attempts_accepted", "attempts_retried", "attempts_refused", "attempts_lost"}) {
        EXPECT_GT(counter(server, outcome), 0u) << outcome;
        RecordProperty(outcome, std::to_string(counter(server, outcome)));
    }
    EXPECT_EQ(strangers() - seen_before, Flood::kAttempts + Flood::kGarbage) << "each packet has one count";

    EXPECT_EQ(counter(server, "connections_open"), 1u);
    EXPECT_EQ(counter(server, "handshakes_pending"), 0u);
    // Tables keep the size that they grew to; a half-open connection is 100 KB.
    EXPECT_LT(heap_in_use(), heap_before + 2'000'000);
}

TEST(QuicFlood, clients_that_mean_it_get_in_meanwhile) {
    Flood flood(12);
    World world;
    auto& server = world.add(world.options(true), world.server_user);
    for (const auto& packet : flood.packets()) world.network.inject(flood.nobody(), kServer, packet);
    std::vector<SeriesPeer> users(8);
    for (SeriesPeer& user : users) world.connect(world.add(world.options(false), user));
    ASSERT_TRUE(world.run_until([&] {
        return std::all_of(users.begin(), users.end(), [](const SeriesPeer& user) { return !user.open.empty(); });
    }));
    for (const SeriesPeer& user : users) EXPECT_THAT(user.closed, IsEmpty());
    EXPECT_EQ(counter(server, "handshakes_ok"), users.size());
    EXPECT_GT(counter(server, "handshake_attempts"), Flood::kAttempts + users.size()) << "they came back with a token";
    expect_attempts_add_up(server);
}

}  // namespace
}  // namespace bayplan::dataplane::testing
