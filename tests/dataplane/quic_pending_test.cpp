// Handshakes that take room and go on no further: the handshake that has been silent for longest makes room for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "net/udp_address.h"
#include "quic/admission.h"
#include "quic/handshake_line.h"
#include "quic/handshake_patience.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
const UdpAddress kServer = ipv4_address(0x0a000001, 4433);

TEST(HandshakePatience, silent_is_what_brings_nothing_forward_or_takes_too_long) {
    HandshakePatience patience(kSecond);
    EXPECT_FALSE(patience.silent(kSecond + HandshakePatience::kSilent - 1));
    EXPECT_TRUE(patience.silent(kSecond + HandshakePatience::kSilent));
    std::uint64_t now = kSecond;
    for (; now < 2 * kSecond; now += HandshakePatience::kSilent / 2) {
        patience.heard(now);
        EXPECT_FALSE(patience.silent(now)) << now;
    }
    patience.heard(now);
    EXPECT_TRUE(patience.silent(now)) << "it never ends";
    EXPECT_EQ(patience.since(now), kSecond);
}

TEST(Admission, who_is_above_a_rate_displaces_nobody) {
    HandshakeLimits limits;
    limits.per_s = 1;
    limits.pending_max_of_network = 3;
    Admission admission(limits, 1);
    const UdpAddress from = ipv4_address(0x0a000005, 1);
    constexpr auto kProof = Admission::Proof::retry;
    EXPECT_EQ(admission.judge(from, kProof, {3, 3}, kSecond), Admission::Verdict::pending_max_network);
    EXPECT_EQ(admission.judge(from, kProof, {}, kSecond), Admission::Verdict::accept);
    EXPECT_EQ(admission.judge(from, kProof, {3, 3}, kSecond), Admission::Verdict::rate_exceeded);
}

TEST(HandshakeLine, keeps_the_order_and_says_when_it_is_full) {
    HandshakeLine line;
    const std::vector<std::uint8_t> bytes(HandshakeLine::kBytesMax / 8);
    Path path;
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t i = 0; i < 8; ++i) {
            path.remote = ipv4_address(i, 1);
            EXPECT_TRUE(line.push(path, bytes));
        }
        EXPECT_FALSE(line.push(path, std::span(bytes).first(1)));
        for (std::uint32_t i = 0; i < 8; ++i) {
            const HandshakeLine::Packet packet = line.pop();
            EXPECT_EQ(packet.path.remote, ipv4_address(i, 1));
            EXPECT_EQ(packet.bytes.size(), bytes.size());
        }
        EXPECT_TRUE(line.empty());
    }
}

// Clients that begin, and of whom nothing more comes.
class Silent {
public:
    explicit Silent(const HandshakeLimits& limits) {
        auto options = world.options(true);
        options.transport.handshakes = limits;
        server = &world.add(options, world.server_user);
    }
    // From hosts of 10.9.`network`.0/24.
    void begin(std::size_t count, std::uint32_t network) {
        for (auto& packet : first_packets(count)) {
            const std::uint32_t host = 0x0a090000 + (network << 8) + ++hosts_;
            world.network.inject(ipv4_address(host, 999), kServer, std::move(packet));
        }
        world.run_for(kSecond / 1'000);
    }
    bool honest_gets_in() {
        world.connect(world.add(world.options(false), world.client_user));
        return world.run_until([&] { return !world.client_user.open.empty(); }, kSecond / 2);
    }
    void expect_attempts_add_up() const {
        EXPECT_EQ(counter(*server, "attempts_accepted"), counter(*server, "handshakes_ok") +
                                                             counter(*server, "handshakes_refused") +
                                                             counter(*server, "handshakes_pending"));
    }
    World world;
    DataPlane* server = nullptr;

private:
    std::uint32_t hosts_ = 0;
};

HandshakeLimits limits_of(std::uint32_t pending_max, std::uint32_t of_network) {
    HandshakeLimits limits;
    limits.retry_above = 1'000;
    limits.pending_max = pending_max;
    limits.pending_max_of_network = of_network;
    return limits;
}

TEST(QuicPending, a_silent_handshake_makes_room_for_one_that_goes_on) {
    Silent strangers(limits_of(8, 48));
    strangers.begin(6, 1);
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 6u);
    strangers.world.run_for(HandshakePatience::kSilent);
    EXPECT_TRUE(strangers.honest_gets_in());
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 1u);
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 5u);
    EXPECT_THAT(strangers.world.server_user.refused,
                ::testing::ElementsAre("too many handshakes under way, and this one was silent"));
    strangers.expect_attempts_add_up();
}

// Each began later than the one before it. When the first is forgotten, the fourth has its place in the server's list.
TEST(QuicPending, the_handshake_that_has_been_silent_for_longest_makes_room) {
    Silent strangers(limits_of(4, 48));
    for (std::uint32_t network = 1; network <= 3; ++network) {
        strangers.begin(1, network);
        strangers.world.run_for(HandshakePatience::kSilent / 5);
    }
    strangers.world.run_for(HandshakePatience::kSilent);
    strangers.begin(1, 4);
    EXPECT_THAT(strangers.world.server_user.refused_addresses, ::testing::ElementsAre("10.9.1.1:999"));
    strangers.world.run_for(HandshakePatience::kSilent);
    strangers.begin(1, 5);
    strangers.begin(1, 6);
    EXPECT_THAT(strangers.world.server_user.refused_addresses,
                ::testing::ElementsAre("10.9.1.1:999", "10.9.2.2:999", "10.9.3.3:999"));
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 3u);
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 3u);
    strangers.expect_attempts_add_up();
}

// A burst of clients that all mean it: none is displaced, the later ones come again.
TEST(QuicPending, a_handshake_that_goes_on_makes_room_for_nobody) {
    Silent strangers(limits_of(8, 48));
    strangers.begin(6, 1);
    strangers.begin(3, 2);
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 0u);
    EXPECT_EQ(counter(*strangers.server, "drop_handshakes_pending"), 3u);
    strangers.expect_attempts_add_up();
}

TEST(QuicPending, of_a_full_network_one_of_its_own_makes_room) {
    Silent strangers(limits_of(100, 3));
    strangers.begin(2, 2);
    strangers.begin(3, 1);
    strangers.world.run_for(HandshakePatience::kSilent);
    strangers.begin(1, 1);
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 1u);
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 5u);
    strangers.begin(1, 2);
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 1u) << "there is room in that network";
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 6u);
    strangers.expect_attempts_add_up();
}

// Of eight, two are for clients with a token of an earlier connection. All others prove their address first, which alone
// gives them no room.
TEST(QuicPending, who_was_here_before_gets_in_where_strangers_have_filled_their_part) {
    HandshakeLimits limits = limits_of(8, 48);
    limits.retry_above = 6;
    Silent strangers(limits);
    World& world = strangers.world;
    SeriesPeer& user = world.client_user;
    auto& known = world.add(world.options(false), user);
    world.connect(known);
    ASSERT_TRUE(world.run_until([&] { return user.open.size() == 1; }));
    world.run_for(kSecond);  // its token has come
    known.close(user.open.back(), 0, "over");
    ASSERT_TRUE(world.run_until([&] { return user.closed.size() == 1; }));
    strangers.begin(6, 1);
    ASSERT_EQ(counter(*strangers.server, "handshakes_pending"), 6u);

    world.connect(known);
    EXPECT_TRUE(world.run_until([&] { return user.open.size() == 2; }, HandshakePatience::kSilent / 4));
    EXPECT_EQ(counter(*strangers.server, "tokens_accepted"), 1u);
    EXPECT_EQ(counter(*strangers.server, "attempts_retried"), 0u);
    EXPECT_EQ(counter(*strangers.server, "drop_handshakes_pending"), 0u);

    SeriesPeer other;
    world.connect(world.add(world.options(false), other));
    world.run_for(HandshakePatience::kSilent / 4);
    EXPECT_TRUE(other.open.empty());
    EXPECT_EQ(counter(*strangers.server, "attempts_retried"), 1u);
    EXPECT_GT(counter(*strangers.server, "drop_handshakes_pending"), 0u);
    EXPECT_EQ(counter(*strangers.server, "handshakes_displaced"), 0u) << "none has been silent for long enough";
    EXPECT_EQ(counter(*strangers.server, "handshakes_pending"), 6u);
    strangers.expect_attempts_add_up();
}

// Both limits are reached by strangers who come back whenever they were displaced.
TEST(QuicPending, an_honest_client_gets_in_beside_strangers_who_never_stop) {
    Silent strangers(limits_of(16, 16));
    for (int round = 0; round < 40; ++round) {
        strangers.begin(2, 1);
        strangers.begin(2, 2);
        strangers.world.run_for(kSecond / 20);
    }
    EXPECT_GT(counter(*strangers.server, "handshakes_displaced"), 20u);
    EXPECT_LE(counter(*strangers.server, "handshakes_pending"), 12u) << "a quarter is for those who were here before";
    EXPECT_TRUE(strangers.honest_gets_in());
    strangers.expect_attempts_add_up();
}

TEST(QuicPending, handshakes_do_not_count_as_connections) {
    World world;
    auto options = world.options(true);
    options.transport.connections_max = 1;
    auto& server = world.add(options, world.server_user);
    for (auto& packet : first_packets(5))
        world.network.inject(ipv4_address(0x0a090101, 999), kServer, std::move(packet));
    world.run_for(kSecond / 1'000);
    EXPECT_EQ(counter(server, "handshakes_pending"), 5u);
    world.connect(world.add(world.options(false), world.client_user));
    EXPECT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
}

// Packets of an open connection that came after a burst of first packets are served before most of these.
TEST(QuicPending, one_handshake_goes_forward_per_turn_and_connections_are_served_meanwhile) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes = limits_of(100, 100);
    auto& server = world.add(options, world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    world.run_for(kSecond);
    const std::uint64_t before = counter(server, "attempts_accepted");

    for (auto& packet : first_packets(20))
        world.network.inject(ipv4_address(0x0a090101, 999), kServer, std::move(packet));
    world.client_user.send_series(Stream::state, {3, 100, 100});
    client.turn();
    world.network.advance(kSecond / 1'000);
    for (std::uint64_t turns = 1; turns <= 20; ++turns) {
        EXPECT_GT(server.turn(), 0u);
        EXPECT_EQ(counter(server, "attempts_accepted"), before + turns);
        EXPECT_EQ(world.server_user.received(Stream::state), 3u) << "in the first turn";
    }
    EXPECT_EQ(counter(server, "drop_handshake_line"), 0u);
    EXPECT_EQ(counter(server, "handshakes_pending"), 20u);
}

// Looking at a certificate costs as much when it is refused.
TEST(QuicPending, one_handshake_is_refused_per_turn) {
    World world;
    auto& server = world.add(world.options(true), world.server_user);
    auto options = world.options(false);
    options.transport.tls = tls_of("other-client");
    std::vector<SeriesPeer> users(8);
    for (SeriesPeer& user : users) world.connect(world.add(options, user));
    // Their last packets are there at once: the first handshakes have been answered, the server rests meanwhile.
    ASSERT_TRUE(world.run_until([&] { return counter(server, "attempts_accepted") == users.size(); }));
    world.pause(server);
    world.run_for(kSecond / 100);
    world.resume();
    std::uint64_t refused = counter(server, "handshakes_refused");
    ASSERT_LT(refused + 2, users.size());
    std::uint64_t most = 0;
    ASSERT_TRUE(world.run_until([&] {
        const std::uint64_t before = std::exchange(refused, counter(server, "handshakes_refused"));
        most = std::max(most, refused - before);
        return refused == users.size();
    }));
    EXPECT_EQ(most, 1u);
}

// Two that begin at once, and room for one: the other hears it when its handshake is done.
TEST(QuicPending, the_limit_of_connections_holds_for_handshakes_that_end_together) {
    World world;
    auto options = world.options(true);
    options.transport.connections_max = 1;
    auto& server = world.add(options, world.server_user);
    SeriesPeer users[2];
    for (SeriesPeer& user : users) world.connect(world.add(world.options(false), user));
    ASSERT_TRUE(world.run_until([&] { return users[0].closed.size() + users[1].closed.size() == 1; }));
    EXPECT_EQ(users[0].open.size() + users[1].open.size(), 1u);
    EXPECT_EQ(counter(server, "connections_open"), 1u);
    EXPECT_EQ(counter(server, "drop_connections_max"), 1u);
    const SeriesPeer& refused = users[0].open.empty() ? users[0] : users[1];
    EXPECT_THAT(refused.closed, ::testing::ElementsAre(::testing::HasSubstr("connections_max (1) reached")));
}

}  // namespace
}  // namespace bayplan::dataplane::testing
