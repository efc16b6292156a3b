// Peers that are admitted and peers that are refused, and that either side's log can say why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/udp_address.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One handshake that must fail; returns once both sides have said so.
struct Attempt {
    explicit Attempt(const TlsFiles& client_tls, const TlsFiles& server_tls = tls_of("server"),
                     const std::string& client_alpn = "bayplan/1") {
        auto server_options = world.options(true);
        server_options.transport.tls = server_tls;
        auto client_options = world.options(false);
        client_options.transport.tls = client_tls;
        client_options.transport.alpn = client_alpn;
        server = &world.add(server_options, world.server_user);
        client = &world.add(client_options, world.client_user);
        world.connect(*client);
        ended =
            world.run_until([&] { return !world.server_user.refused.empty() && !world.client_user.closed.empty(); });
    }
    World world;
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
    bool ended = false;
};

void expect_refused(Attempt& attempt, const char* at_server, const char* at_client) {
    ASSERT_TRUE(attempt.ended);
    EXPECT_THAT(attempt.world.server_user.refused, ElementsAre(HasSubstr(at_server)));
    EXPECT_THAT(attempt.world.client_user.refused, ElementsAre(HasSubstr(at_client)));
    EXPECT_THAT(attempt.world.client_user.closed, ElementsAre(HasSubstr(at_client)));
    EXPECT_THAT(attempt.world.server_user.closed, IsEmpty());
    EXPECT_THAT(attempt.world.server_user.open, IsEmpty());
    EXPECT_THAT(attempt.world.client_user.open, IsEmpty()) << "open means that the server has agreed";
    EXPECT_EQ(counter(*attempt.server, "handshakes_refused"), 1u);
    EXPECT_EQ(counter(*attempt.client, "handshakes_refused"), 1u);
    EXPECT_EQ(counter(*attempt.server, "connections_open"), 0u);
}

TEST(QuicRefusal, a_client_without_a_certificate) {
    Attempt attempt(tls_without_certificate());
    expect_refused(attempt, "no client certificate", "no client certificate");
}

TEST(QuicRefusal, a_client_of_another_authority) {
    TlsFiles other = tls_of("other-client");
    Attempt attempt(other);
    expect_refused(attempt, "client certificate \"other-client\" is not signed by our CA",
                   "client certificate \"other-client\" is not signed by our CA");
}

TEST(QuicRefusal, a_server_of_another_authority) {
    TlsFiles other = tls_of("other-server");
    Attempt attempt(tls_of("shim-a"), other);
    expect_refused(attempt, "server certificate \"other-server\" is not signed by our CA",
                   "server certificate \"other-server\" is not signed by our CA");
}

TEST(QuicRefusal, a_clients_certificate_posing_as_the_server) {
    Attempt attempt(tls_of("shim-a"), tls_of("shim-b"));
    expect_refused(attempt, "is not for use by a server", "is not for use by a server");
}

// A server of our own authority, but not of the name that was meant.
TEST(QuicRefusal, a_server_of_another_name) {
    for (const char* const name : {"another-server", "bayplan-server", "10.99.0.7", "fd99::7"}) {
        World world;
        world.add(world.options(true), world.server_user);
        auto options = world.options(false);
        options.transport.server_name = name;  // the second is its common name, which does not count
        auto& client = world.add(options, world.client_user);
        world.connect(client);
        ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); })) << name;
        EXPECT_THAT(world.client_user.closed,
                    ElementsAre(HasSubstr(std::string("server certificate \"bayplan-server\" is not for ") + name)));
        EXPECT_THAT(world.server_user.open, IsEmpty());
    }
}

TEST(QuicRefusal, a_server_of_the_name_that_was_meant_is_none) {
    for (const char* const name : {"localhost", "127.0.0.1", "fd99::2", ""}) {
        World world;
        world.add(world.options(true), world.server_user);
        auto options = world.options(false);
        options.transport.server_name = name;
        auto& client = world.add(options, world.client_user);
        world.connect(client);
        EXPECT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); })) << name;
    }
}

// In virtual time: its certificate is valid for a day.
TEST(QuicRefusal, a_client_whose_certificate_has_expired_does_not_stay) {
    World world;
    auto server_options = world.options(true);
    server_options.transport.idle_timeout_ms = 10u * 24 * 3600 * 1000;
    auto client_options = world.options(false);
    client_options.transport.idle_timeout_ms = server_options.transport.idle_timeout_ms;
    client_options.transport.tls = tls_of("brief-shim");
    world.add(server_options, world.server_user);
    auto& client = world.add(client_options, world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.server_user.open.empty(); }));
    world.network.advance(23ULL * 3600 * 1'000'000'000);
    world.run_for(1'000'000'000);
    ASSERT_THAT(world.server_user.closed, IsEmpty());
    world.network.advance(2ULL * 3600 * 1'000'000'000);
    world.run_for(1'000'000'000);
    EXPECT_THAT(world.server_user.closed, ElementsAre(HasSubstr("client certificate \"brief-shim\" has expired")));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("expired")));
}

TEST(QuicRefusal, a_servers_certificate_posing_as_a_client) {
    Attempt attempt(tls_of("server"));
    expect_refused(attempt, "is not for use by a client", "is not for use by a client");
}

TEST(QuicRefusal, a_client_of_another_protocol) {
    Attempt attempt(tls_of("shim-a"), tls_of("server"), "bayplan/9");
    expect_refused(attempt, "ALPN mismatch", "ALPN mismatch");
}

TEST(QuicRefusal, the_client_over_the_limit_is_told_and_the_others_stay) {
    World world;
    auto options = world.options(true);
    options.transport.connections_max = 1;
    auto& server = world.add(options, world.server_user);
    auto& first = world.add(world.options(false), world.client_user);
    SeriesPeer second_user;
    auto& second = world.add(world.options(false), second_user);
    world.connect(first);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    world.connect(second);
    ASSERT_TRUE(world.run_until([&] { return !second_user.closed.empty(); }));
    EXPECT_THAT(second_user.closed, ElementsAre(HasSubstr("connections_max (1) reached")));
    EXPECT_THAT(world.server_user.refused, ElementsAre(HasSubstr("connections_max (1) reached")));
    EXPECT_GE(counter(server, "drop_connections_max"), 1u);
    world.client_user.send_series(Stream::state, {100, 100, 100});
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 100; }));

    // Room again once the first has gone.
    first.close(world.client_user.open[0], 0, "done");
    ASSERT_TRUE(world.run_until([&] { return world.server_user.closed.size() == 1; }));
    world.run_for(1'000'000'000);
    world.connect(second);
    EXPECT_TRUE(world.run_until([&] { return !second_user.open.empty(); }));
}

TEST(QuicRefusal, nobody_there) {
    World world;
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("handshake timed out")));
}

TEST(QuicRefusal, an_address_that_is_none) {
    World world;
    auto& client = world.add(world.options(false), world.client_user);
    client.connect("256.1.1.1", 4433);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("'256.1.1.1' is not known")));
}

TEST(QuicRefusal, files_that_do_not_load_are_named) {
    SeriesPeer user;
    World world;
    auto options = world.options(true);
    std::string error;
    options.transport.tls.authority = "/nonexistent/ca.pem";
    EXPECT_EQ(make_data_plane(options, user, world.network.attach({}), error), nullptr);
    EXPECT_THAT(error, HasSubstr("/nonexistent/ca.pem"));
    options = world.options(true);
    options.transport.tls.key = options.transport.tls.certificate;
    EXPECT_EQ(make_data_plane(options, user, world.network.attach({}), error), nullptr);
    EXPECT_THAT(error, HasSubstr("server.pem"));
    options = world.options(true);
    options.transport.send_buffer_bytes = 1000;
    EXPECT_EQ(make_data_plane(options, user, world.network.attach({}), error), nullptr);
    EXPECT_THAT(error, HasSubstr("send_buffer_bytes"));
}

// --- packets of no connection

class StrangerTest : public ::testing::Test {
protected:
    StrangerTest() : server(world.add(world.options(true), world.server_user)) {}
    void inject(std::vector<std::uint8_t> bytes) {
        world.network.inject(stranger, ipv4_address(0x0a000001, 4433), std::move(bytes));
        world.run_for(10'000'000);
    }
    World world;
    DataPlane& server;
    UdpAddress stranger = ipv4_address(0x0a000063, 999);
};

std::vector<std::uint8_t> long_header(std::uint32_t version, std::size_t size) {
    std::vector<std::uint8_t> out(size, 0);
    out[0] = 0xc0;
    for (int i = 0; i < 4; ++i) out[1 + i] = static_cast<std::uint8_t>(version >> (24 - 8 * i));
    out[5] = 8;   // destination id, bytes 6..13
    out[14] = 8;  // source id
    return out;
}

TEST_F(StrangerTest, each_kind_of_stray_packet_is_dropped_and_counted) {
    inject({});
    inject({0x40});
    EXPECT_EQ(counter(server, "drop_malformed_header"), 2u);
    inject(std::vector<std::uint8_t>(100, 0x40));
    EXPECT_EQ(counter(server, "drop_unknown_connection"), 1u);
    inject(long_header(1, 300));
    EXPECT_EQ(counter(server, "drop_short_initial"), 1u);
    auto handshake = long_header(1, 1200);
    handshake[0] = 0xe0;
    inject(handshake);
    EXPECT_EQ(counter(server, "drop_not_initial"), 1u);
    EXPECT_EQ(counter(server, "stateless_resets"), 1u);
    EXPECT_EQ(world.network.carried, 1u) << "none but that may be answered";
}

TEST_F(StrangerTest, an_unknown_version_is_answered_with_ours) {
    std::vector<std::uint8_t> answer;
    world.network.tap = [&](const UdpAddress&, const std::vector<std::uint8_t>& bytes) { answer = bytes; };
    inject(long_header(0xbabababa, 1200));
    EXPECT_EQ(counter(server, "version_negotiations"), 1u);
    ASSERT_GE(answer.size(), 7u + 16u + 4u);
    EXPECT_EQ(std::vector<std::uint8_t>(answer.begin() + 1, answer.begin() + 5),
              (std::vector<std::uint8_t>{0, 0, 0, 0}));
    EXPECT_EQ(std::vector<std::uint8_t>(answer.end() - 4, answer.end()), (std::vector<std::uint8_t>{0, 0, 0, 1}));
}

TEST_F(StrangerTest, an_initial_of_garbage_costs_nothing_lasting) {
    auto initial = long_header(1, 1200);
    initial[23] = 0;     // token length
    initial[24] = 0x44;  // length: the rest
    initial[25] = 0x96;
    for (std::size_t i = 26; i < initial.size(); ++i) initial[i] = static_cast<std::uint8_t>(i * 31);
    inject(initial);
    world.run_for(10'000'000'000);
    EXPECT_THAT(world.server_user.open, IsEmpty());
    EXPECT_EQ(counter(server, "connections_open"), 0u);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    EXPECT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
}

TEST_F(StrangerTest, an_overheard_packet_sent_again_from_elsewhere_moves_nothing) {
    std::vector<std::uint8_t> overheard;
    std::size_t answers = 0;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from.port == 50'000 && (bytes[0] & 0x80) == 0) overheard = bytes;
    };
    world.network.tap_to = [&](const UdpAddress& to, const std::vector<std::uint8_t>&) {
        answers += to == stranger ? 1 : 0;
    };
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    world.client_user.send_series(Stream::state, {10, 100, 100});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 10; }));
    world.run_for(100'000'000);  // until it has arrived itself
    ASSERT_FALSE(overheard.empty());
    inject(overheard);
    EXPECT_EQ(counter(server, "path_changes"), 0u);
    EXPECT_EQ(answers, 0u);
}

TEST_F(StrangerTest, packets_of_a_real_session_cut_bent_and_lengthened_do_no_harm) {
    std::vector<std::vector<std::uint8_t>> recorded;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from.port == 50'000) recorded.push_back(bytes);
    };
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    world.client_user.send_series(Stream::state, {200, 100, 2'000});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 200; }));
    world.network.tap = nullptr;
    ASSERT_GT(recorded.size(), 50u);

    std::mt19937 random(17);
    const UdpAddress server_address = ipv4_address(0x0a000001, 4433);
    const UdpAddress senders[] = {ipv4_address(0x0a000002, 50'000), stranger};
    for (int i = 0; i < 20'000; ++i) {
        // The handshake's packets are few and the ones that open things: every second one is
        // theirs.
        auto bytes = recorded[random() % (i % 2 == 0 ? 8 : recorded.size())];
        const auto kind = random() % 4;
        if (kind == 0) bytes.resize(random() % (bytes.size() + 1));
        if (kind == 1) bytes.resize(bytes.size() + random() % 500, 0x5a);
        for (std::size_t n = random() % 4; n > 0 && !bytes.empty(); --n) {
            bytes[random() % std::min<std::size_t>(bytes.size(), 64)] = static_cast<std::uint8_t>(random());
        }
        world.network.inject(senders[random() % 2], server_address, std::move(bytes));
        if (i % 16 == 0) world.run_for(10'000);
    }
    world.client_user.send_series(Stream::state, {400, 100, 2'000});
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 400; }));
    EXPECT_EQ(world.server_user.fault, "");
    EXPECT_THAT(world.server_user.closed, IsEmpty());
    EXPECT_EQ(counter(server, "connections_open"), 1u);
    EXPECT_GT(counter(server, "drop_malformed_header"), 0u);
    EXPECT_GT(counter(server, "drop_remote_changed"), 0u);
}

TEST(QuicConnectionIds, carry_the_lcore_that_owns_the_connection) {
    World world;
    auto options = world.options(true);
    options.lcore = 5;
    world.add(options, world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    std::size_t seen = 0;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from.port != 50'000 || (bytes[0] & 0x80) != 0) return;
        EXPECT_EQ(bytes[1], 5);
        ++seen;
    };
    world.client_user.send_series(Stream::state, {100, 1'000, 1'000});
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 100; }));
    EXPECT_GT(seen, 50u);
}

}  // namespace
}  // namespace bayplan::dataplane::testing
