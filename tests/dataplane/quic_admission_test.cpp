// How a server meets more handshakes than it can do, and clients that are not who they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/udp_address.h"
#include "quic/admission.h"
#include "quic/used_tokens.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kSecond = 1'000'000'000;
const UdpAddress kServer = ipv4_address(0x0a000001, 4433);

// attempts = accepted + retried + refused + lost, and accepted = ok + refused + under way.
void expect_attempts_add_up(const DataPlane& server) {
    EXPECT_EQ(counter(server, "handshake_attempts"),
              counter(server, "attempts_accepted") + counter(server, "attempts_retried") +
                  counter(server, "attempts_refused") + counter(server, "attempts_lost"));
    EXPECT_EQ(counter(server, "attempts_accepted"), counter(server, "handshakes_ok") +
                                                        counter(server, "handshakes_refused") +
                                                        counter(server, "handshakes_pending"));
}

constexpr auto kUnproven = Admission::Proof::none;
constexpr auto kRetried = Admission::Proof::retry;
constexpr auto kKnown = Admission::Proof::earlier_connection;

TEST(TokenBucket, gives_a_seconds_worth_at_once_and_then_its_rate) {
    TokenBucket bucket(10);
    std::uint64_t now = 5 * kSecond;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(bucket.take(now));
    EXPECT_FALSE(bucket.take(now));
    now += kSecond / 10;
    EXPECT_TRUE(bucket.take(now));
    EXPECT_FALSE(bucket.take(now));
    for (int i = 0; i < 99; ++i) {  // many small steps lose nothing
        now += kSecond / 1000;
        EXPECT_FALSE(bucket.take(now));
    }
    now += kSecond / 1000;
    EXPECT_TRUE(bucket.take(now));
    now += 1'000'000 * kSecond;
    int given = 0;
    while (bucket.take(now)) ++given;
    EXPECT_EQ(given, 10);
}

TEST(Admission, networks_have_buckets_of_their_own) {
    HandshakeLimits limits;
    limits.per_s_of_network = 3;
    Admission admission(limits, 1);
    const auto judge = [&](std::uint32_t ip) { return admission.judge(ipv4_address(ip, 1), kKnown, {}, kSecond); };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(judge(0x0a000005), Admission::Verdict::accept);
    EXPECT_EQ(judge(0x0a0000ff), Admission::Verdict::source_exceeded) << "same /24";
    EXPECT_EQ(judge(0x0a000105), Admission::Verdict::accept) << "the next one";
    UdpAddress six;
    six.ip[0] = 0x20;
    six.ip[6] = 7;
    for (int i = 0; i < 3; ++i) {
        six.ip[7] = static_cast<std::uint8_t>(i);  // within one /56
        EXPECT_EQ(admission.judge(six, kKnown, {}, kSecond), Admission::Verdict::accept);
    }
    EXPECT_EQ(admission.judge(six, kKnown, {}, kSecond), Admission::Verdict::source_exceeded);
    EXPECT_EQ(admission.judge(six, kUnproven, {}, kSecond), Admission::Verdict::retry)
        << "somebody else may have used the address up";
}

TEST(Admission, limits_of_all_together) {
    HandshakeLimits limits;
    limits.per_s = 2;
    limits.pending_max = 7;
    limits.retry_above = 5;
    Admission admission(limits, 1);
    const UdpAddress from = ipv4_address(0x0a000005, 1);
    EXPECT_EQ(admission.judge(from, kUnproven, {5, 0}, kSecond), Admission::Verdict::retry);
    EXPECT_EQ(admission.judge(from, kKnown, {7, 0}, kSecond), Admission::Verdict::pending_max);
    EXPECT_EQ(admission.judge(from, kKnown, {6, 0}, kSecond), Admission::Verdict::accept);
    EXPECT_EQ(admission.judge(from, kUnproven, {4, 0}, kSecond), Admission::Verdict::accept);
    EXPECT_EQ(admission.judge(from, kUnproven, {4, 0}, kSecond), Admission::Verdict::rate_exceeded);
}

// Of 8, two are for clients that were here before, and a network has three.
TEST(Admission, handshakes_under_way_leave_room_for_others) {
    HandshakeLimits limits;
    limits.pending_max = 8;
    limits.pending_max_of_network = 3;
    Admission admission(limits, 1);
    const UdpAddress from = ipv4_address(0x0a000005, 1);
    EXPECT_EQ(admission.judge(from, kRetried, {5, 2}, kSecond), Admission::Verdict::accept);
    EXPECT_EQ(admission.judge(from, kRetried, {5, 3}, kSecond), Admission::Verdict::pending_max_network);
    EXPECT_EQ(admission.judge(from, kKnown, {5, 3}, kSecond), Admission::Verdict::pending_max_network);
    EXPECT_EQ(admission.judge(from, kRetried, {6, 0}, kSecond), Admission::Verdict::pending_max);
    EXPECT_EQ(admission.judge(from, kKnown, {6, 0}, kSecond), Admission::Verdict::accept);
    EXPECT_EQ(admission.judge(from, kKnown, {8, 0}, kSecond), Admission::Verdict::pending_max);
    EXPECT_TRUE(Admission::same_network(from, ipv4_address(0x0a0000ff, 7)));
    EXPECT_FALSE(Admission::same_network(from, ipv4_address(0x0a000105, 1)));
}

struct Clients {
    Clients(World& world, std::size_t count) : users(count) {
        for (auto& user : users) world.connect(world.add(world.options(false), user));
    }
    bool all_open() const {
        return std::all_of(users.begin(), users.end(), [](const SeriesPeer& user) { return user.open.size() == 1; });
    }
    std::vector<SeriesPeer> users;
};

// All of one network, at once: some have to repeat their first packet.
TEST(QuicPending, a_network_has_its_part_of_them) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.pending_max_of_network = 3;
    auto& server = world.add(options, world.server_user);
    Clients clients(world, 20);
    ASSERT_TRUE(world.run_until([&] { return clients.all_open(); }));
    EXPECT_GT(counter(server, "drop_handshakes_pending"), 0u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 20u);
    EXPECT_EQ(counter(server, "handshakes_pending"), 0u);
    expect_attempts_add_up(server);
}

TEST(QuicRetry, a_client_that_proves_its_address_gets_in) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.retry_above = 0;
    auto& server = world.add(options, world.server_user);
    Clients clients(world, 5);
    ASSERT_TRUE(world.run_until([&] { return clients.all_open(); }));
    EXPECT_EQ(counter(server, "attempts_retried"), 5u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 5u);
    EXPECT_EQ(counter(server, "handshakes_pending"), 0u);
    expect_attempts_add_up(server);
    clients.users[0].send_series(Stream::state, {100, 100, 1'000});
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 100; }));
}

TEST(QuicRetry, begins_when_handshakes_are_many) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.retry_above = 3;
    auto& server = world.add(options, world.server_user);
    Clients clients(world, 20);
    ASSERT_TRUE(world.run_until([&] { return clients.all_open(); }));
    EXPECT_GT(counter(server, "attempts_retried"), 0u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 20u);
    EXPECT_EQ(counter(server, "attempts_refused"), 0u);
    expect_attempts_add_up(server);
}

// Records a first packet that carries a Retry token.
struct WithToken {
    WithToken() {
        auto options = world.options(true);
        options.transport.handshakes.retry_above = 0;
        server = &world.add(options, world.server_user);
        world.network.tap = [this](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
            if (from.port == 50'000 && bytes.size() >= 1200) seen.push_back(bytes);
        };
        client = &world.add(world.options(false), world.client_user);
        world.connect(*client);
        got_in = world.run_until([&] { return !world.client_user.open.empty(); });
        world.crash(*client);
        world.run_for(40 * kSecond);  // until the server has forgotten the connection
    }
    World world;
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
    bool got_in = false;
    std::vector<std::vector<std::uint8_t>> seen;
};

TEST(QuicRetry, a_token_that_is_too_old_is_refused) {
    WithToken session;
    ASSERT_TRUE(session.got_in);
    ASSERT_GE(session.seen.size(), 2u);
    session.world.network.inject(ipv4_address(0x0a000002, 50'000), kServer, session.seen[1]);
    session.world.run_for(kSecond);
    EXPECT_EQ(counter(*session.server, "drop_token_invalid"), 1u);
    EXPECT_EQ(counter(*session.server, "attempts_refused"), 1u);
    expect_attempts_add_up(*session.server);
}

// The tap sees the client's packets; nothing of the connection is left when the packet with the token comes again.
TEST(QuicRetry, a_token_begins_one_connection_only) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.retry_above = 0;
    auto& server = world.add(options, world.server_user);
    std::vector<std::vector<std::uint8_t>> seen;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from.port == 50'000 && bytes.size() >= 1200) seen.push_back(bytes);
    };
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    ASSERT_GE(seen.size(), 2u);
    client.close(world.client_user.open.back(), 7, "going home");
    ASSERT_TRUE(world.run_until([&] { return !world.server_user.closed.empty(); }));
    world.run_for(2 * kSecond);  // well within the time that a token is good for; the ended connection is forgotten
    world.network.inject(ipv4_address(0x0a000002, 50'000), kServer, seen[1]);
    world.run_for(kSecond / 100);
    EXPECT_EQ(counter(server, "drop_token_invalid"), 1u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 1u);
    expect_attempts_add_up(server);
}

TEST(UsedTokens, are_known_for_as_long_as_a_token_is_good) {
    UsedTokens tokens(10);
    const auto id = [](std::uint8_t first) { return Cid(std::array<std::uint8_t, 4>{first, 2, 3, 4}); };
    for (std::uint8_t at = 0; at < 200; ++at) {
        tokens.add(id(at), at);
        for (std::uint8_t earlier = at >= 10 ? at - 10 : 0; earlier <= at; ++earlier)
            EXPECT_TRUE(tokens.used(id(earlier)));
        EXPECT_FALSE(tokens.used(id(at + 1)));
        EXPECT_LE(tokens.size(), 20u);
    }
}

TEST(QuicRetry, a_token_of_another_address_is_refused) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.retry_above = 0;
    auto& server = world.add(options, world.server_user);
    std::vector<std::vector<std::uint8_t>> seen;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from.port != 50'000 || bytes.size() < 1200) return;
        seen.push_back(bytes);
        // Packets with the token never arrive, so that the connection's id stays unknown.
        if (seen.size() == 2) world.network.weather.loss = 1;
    };
    world.connect(world.add(world.options(false), world.client_user));
    ASSERT_TRUE(world.run_until([&] { return seen.size() >= 2; }));
    world.network.inject(ipv4_address(0x0a000063, 50'000), kServer, seen[1]);
    world.run_for(kSecond / 100);
    EXPECT_EQ(counter(server, "drop_token_invalid"), 1u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 0u);
    world.network.inject(ipv4_address(0x0a000002, 50'000), kServer, seen[1]);
    world.run_for(kSecond / 100);
    EXPECT_EQ(counter(server, "attempts_accepted"), 1u) << "the address it was made for";
    expect_attempts_add_up(server);
}

TEST(QuicRetry, somebody_elses_token_counts_as_none) {
    World world;
    auto& server = world.add(world.options(true), world.server_user);
    auto packet = first_packets(1)[0];
    // Token length 0 -> 4 and a token: the packet no longer decrypts, but its header is read.
    const std::size_t at = 7 + packet[5] + packet[6 + packet[5]];
    ASSERT_EQ(packet[at], 0);
    packet[at] = 4;
    const std::uint8_t token[] = {0x36, 1, 2, 3};
    packet.insert(packet.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::begin(token), std::end(token));
    world.network.inject(ipv4_address(0x0a000063, 999), kServer, packet);
    world.run_for(kSecond / 100);
    EXPECT_EQ(counter(server, "drop_token_invalid"), 0u);
    EXPECT_EQ(counter(server, "attempts_lost"), 1u);
    expect_attempts_add_up(server);
}

// --- tokens of an earlier connection (NEW_TOKEN)

// A server that asks everybody by Retry, and a client that was connected once.
struct Returning {
    Returning() {
        options.transport.handshakes.retry_above = 0;
        server = &world.add(options, world.server_user);
        client = &world.add(world.options(false), world.client_user);
        came_in = come();
        EXPECT_EQ(counter(*server, "attempts_retried"), 1u) << "nobody knows it yet";
    }
    // Connects, and hangs up when the token must have come.
    bool come() {
        const std::size_t before = world.client_user.open.size();
        world.connect(*client);
        if (!world.run_until([&] { return world.client_user.open.size() > before; })) return false;
        world.run_for(kSecond);
        client->close(world.client_user.open.back(), 0, "over");
        return world.run_until([&] { return world.client_user.closed.size() > before; });
    }
    World world;
    DataPlaneOptions options = world.options(true);
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
    bool came_in = false;
};

TEST(QuicToken, who_comes_back_needs_no_retry) {
    Returning session;
    ASSERT_TRUE(session.came_in);
    for (std::uint64_t times = 1; times <= 3; ++times) {  // each connection brings the next token
        ASSERT_TRUE(session.come());
        EXPECT_EQ(counter(*session.server, "attempts_retried"), 1u);
        EXPECT_EQ(counter(*session.server, "tokens_accepted"), times);
    }
    EXPECT_EQ(counter(*session.server, "handshakes_ok"), 4u);
    expect_attempts_add_up(*session.server);
}

TEST(QuicToken, holds_for_a_server_that_was_killed_and_came_back) {
    Returning session;
    ASSERT_TRUE(session.came_in);
    session.world.crash(*session.server);
    session.server = &session.world.add(session.options, session.world.server_user);
    ASSERT_TRUE(session.come());
    EXPECT_EQ(counter(*session.server, "attempts_retried"), 0u);
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 1u);
}

TEST(QuicToken, of_another_address_counts_as_none) {
    Returning session;
    ASSERT_TRUE(session.came_in);
    session.world.network.move(ipv4_address(0x0a000002, 50'000), ipv4_address(0x0a000063, 50'000));
    ASSERT_TRUE(session.come());
    EXPECT_EQ(counter(*session.server, "attempts_retried"), 2u);
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 0u);
    EXPECT_EQ(counter(*session.server, "attempts_refused"), 0u);
    expect_attempts_add_up(*session.server);
}

TEST(QuicToken, holds_for_another_port_of_the_address) {
    Returning session;
    ASSERT_TRUE(session.came_in);
    session.world.network.move(ipv4_address(0x0a000002, 50'000), ipv4_address(0x0a000002, 50'001));
    ASSERT_TRUE(session.come());
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 1u);
}

TEST(QuicToken, of_the_day_before_counts_as_none) {
    Returning session;
    ASSERT_TRUE(session.came_in);
    session.world.clock_offset_ns += 25 * 3600 * static_cast<std::int64_t>(kSecond);
    ASSERT_TRUE(session.come());
    EXPECT_EQ(counter(*session.server, "attempts_retried"), 2u);
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 0u);
    expect_attempts_add_up(*session.server);
}

TEST(QuicRates, of_one_network_delay_its_clients_and_lose_none) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.per_s_of_network = 8;
    auto& server = world.add(options, world.server_user);
    Clients clients(world, 20);
    ASSERT_TRUE(world.run_until([&] { return clients.all_open(); }));
    EXPECT_GT(counter(server, "drop_network_rate"), 0u);
    EXPECT_EQ(counter(server, "attempts_accepted"), 20u);
    expect_attempts_add_up(server);
}

TEST(QuicRates, of_all_delay_clients_and_lose_none) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.per_s = 8;
    auto& server = world.add(options, world.server_user);
    Clients clients(world, 20);
    ASSERT_TRUE(world.run_until([&] { return clients.all_open(); }));
    EXPECT_GT(counter(server, "drop_handshake_rate"), 0u);
    expect_attempts_add_up(server);
}

TEST(QuicAmplification, a_forged_source_gets_at_most_three_times_what_came_from_it) {
    World world;
    auto& server = world.add(world.options(true), world.server_user);
    const UdpAddress victim = ipv4_address(0x0a000063, 999);
    std::size_t bytes_to_victim = 0;
    world.network.tap_to = [&](const UdpAddress& to, const std::vector<std::uint8_t>& bytes) {
        if (to == victim) bytes_to_victim += bytes.size();
    };
    const auto packet = first_packets(1)[0];
    world.network.inject(victim, kServer, packet);
    world.run_for(20 * kSecond);  // with all that is sent again
    EXPECT_GT(bytes_to_victim, 0u);
    EXPECT_LE(bytes_to_victim, 3 * packet.size());
    EXPECT_EQ(counter(server, "handshakes_pending"), 0u) << "and is forgotten";
    expect_attempts_add_up(server);
}

// --- stateless reset

TEST(QuicReset, a_server_that_came_back_tells_its_former_peers_at_once) {
    World world;
    auto* server = &world.add(world.options(true), world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    world.crash(*server);
    SeriesPeer second_life;
    server = &world.add(world.options(true), second_life);
    world.client_user.send_series(Stream::state, {1, 100, 100});
    const std::uint64_t began = world.network.now();
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_LT(world.network.now() - began, kSecond) << "not after the idle timeout";
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("stateless reset")));
    EXPECT_GE(counter(*server, "stateless_resets"), 1u);
    world.connect(client);
    EXPECT_TRUE(world.run_until([&] { return world.client_user.open.size() == 2; }));
}

TEST(QuicReset, one_that_does_not_know_the_token_ends_nothing) {
    World world;
    world.add(world.options(true), world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    std::vector<std::uint8_t> forged(43, 0x55);
    world.network.inject(kServer, ipv4_address(0x0a000002, 50'000), forged);
    world.client_user.send_series(Stream::state, {10, 100, 100});
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 10; }));
    EXPECT_THAT(world.client_user.closed, IsEmpty());
    EXPECT_EQ(counter(client, "drop_unknown_connection"), 1u);
}

TEST(QuicReset, answers_to_strangers_are_shorter_and_have_a_rate) {
    World world;
    auto options = world.options(true);
    options.transport.handshakes.answers_per_s = 10;
    auto& server = world.add(options, world.server_user);
    world.network.tap = [&](const UdpAddress&, const std::vector<std::uint8_t>& bytes) {
        EXPECT_LT(bytes.size(), 30u);
    };
    for (int i = 0; i < 25; ++i) {
        world.network.inject(ipv4_address(0x0a000063, 999), kServer, std::vector<std::uint8_t>(30, 0x45));
    }
    world.network.inject(ipv4_address(0x0a000063, 999), kServer, std::vector<std::uint8_t>(21, 0x45));
    world.run_for(1'000'000);
    EXPECT_EQ(counter(server, "stateless_resets"), 10u);
    EXPECT_EQ(counter(server, "drop_answer_rate"), 15u);
    EXPECT_EQ(counter(server, "drop_unknown_connection"), 26u);
}

}  // namespace
}  // namespace bayplan::dataplane::testing
