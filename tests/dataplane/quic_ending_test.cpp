// How connections end: closed by either side, idle, crashed, or by bytes that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EndingTest : public ::testing::Test {
protected:
    void start(DataPlaneOptions server_options, DataPlaneOptions client_options) {
        server = &world.add(server_options, world.server_user);
        client = &world.add(client_options, world.client_user);
        world.connect(*client);
        ASSERT_TRUE(
            world.run_until([&] { return !world.server_user.open.empty() && !world.client_user.open.empty(); }));
    }
    void start() { start(world.options(true), world.options(false)); }
    ConnectionId at_client() const { return world.client_user.open.at(0); }
    ConnectionId at_server() const { return world.server_user.open.at(0); }

    World world;
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
};

TEST_F(EndingTest, either_side_closes_and_the_other_learns_code_and_reason) {
    start();
    client->close(at_client(), 7, "going home");
    ASSERT_TRUE(world.run_until([&] { return !world.server_user.closed.empty(); }));
    EXPECT_THAT(world.client_user.closed, ElementsAre("going home"));
    EXPECT_THAT(world.server_user.closed, ElementsAre("closed by the peer (7): going home"));
    EXPECT_EQ(counter(*server, "connections_open"), 0u);
    EXPECT_EQ(counter(*client, "connections_closed"), 1u);
    EXPECT_FALSE(client->send(at_client(), Stream::state, numbered_frame(0, 8)));

    world.connect(*client);
    ASSERT_TRUE(world.run_until([&] { return world.server_user.open.size() == 2; }));
    ASSERT_TRUE(world.run_until([&] { return world.client_user.open.size() == 2; }));
    server->close(world.server_user.open[1], 8, "you\ngo");
    ASSERT_TRUE(world.run_until([&] { return world.client_user.closed.size() == 2; }));
    EXPECT_EQ(world.client_user.closed[1], "closed by the peer (8): you?go");
    EXPECT_NE(world.client_user.open[0], world.client_user.open[1]);
}

TEST_F(EndingTest, a_lost_close_is_repeated_while_the_peer_still_sends) {
    start();
    world.client_user.send_series(Stream::state, {100'000, 1'000, 1'000});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) > 100; }));
    world.network.weather.loss = 0.7;
    server->close(at_server(), 1, "enough");
    EXPECT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }, 5'000'000'000));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("enough")));
}

// Or the loop would not sleep for as long as peers come and go.
TEST_F(EndingTest, a_connection_that_lingers_is_no_work) {
    start();
    world.run_for(1'000'000'000);  // all is acknowledged
    server->close(at_server(), 1, "enough");
    EXPECT_GT(server->turn(), 0u);
    for (int turns = 0; turns < 3; ++turns) EXPECT_EQ(server->turn(), 0u) << turns;
    world.run_for(1'000'000'000);
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("enough")));
    const std::uint64_t repeated = counter(*server, "closes_repeated");
    world.connect(*client);  // the place that it had is another's
    ASSERT_TRUE(world.run_until([&] { return world.server_user.open.size() == 2; }));
    EXPECT_EQ(counter(*server, "closes_repeated"), repeated);
}

TEST_F(EndingTest, a_crashed_client_is_noticed_by_the_idle_timeout) {
    auto server_options = world.options(true);
    server_options.transport.idle_timeout_ms = 3'000;
    start(server_options, world.options(false));
    world.crash(*client);
    ASSERT_TRUE(world.run_until([&] { return !world.server_user.closed.empty(); }));
    EXPECT_THAT(world.server_user.closed, ElementsAre(HasSubstr("idle timeout")));
}

TEST_F(EndingTest, a_crashed_server_is_noticed_by_the_client) {
    auto client_options = world.options(false);
    client_options.transport.idle_timeout_ms = 3'000;
    start(world.options(true), client_options);
    world.crash(*server);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("idle timeout")));
}

TEST_F(EndingTest, keep_alive_holds_an_idle_connection_open) {
    auto server_options = world.options(true);
    auto client_options = world.options(false);
    server_options.transport.idle_timeout_ms = client_options.transport.idle_timeout_ms = 2'000;
    start(server_options, client_options);
    world.run_for(20'000'000'000);
    EXPECT_THAT(world.server_user.closed, IsEmpty());
    EXPECT_THAT(world.client_user.closed, IsEmpty());
}

TEST_F(EndingTest, a_frame_over_the_peers_limit_closes_with_the_reason) {
    auto server_options = world.options(true);
    server_options.transport.frame_bytes_max = 1'000;
    start(server_options, world.options(false));
    world.server_user.check_content = false;
    EXPECT_TRUE(client->send(at_client(), Stream::state, numbered_frame(0, 1'000)));
    EXPECT_TRUE(client->send(at_client(), Stream::state, numbered_frame(1, 1'001)));
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_EQ(world.server_user.kept.size(), 1u);
    EXPECT_THAT(world.server_user.closed, ElementsAre("frame of 1001 bytes exceeds the limit of 1000"));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("frame of 1001 bytes exceeds")));
}

TEST_F(EndingTest, an_own_frame_over_the_limit_closes_loudly_instead_of_waiting_for_ever) {
    start();
    EXPECT_FALSE(client->send(at_client(), Stream::state, numbered_frame(0, (1u << 20) + 1)));
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("own frame of 1048577 bytes")));
}

TEST_F(EndingTest, streams_of_the_other_side_cannot_be_written) {
    start();
    EXPECT_FALSE(client->send(at_client(), Stream::decisions, numbered_frame(0, 8)));
    EXPECT_FALSE(server->send(at_server(), Stream::state, numbered_frame(0, 8)));
    EXPECT_EQ(counter(*client, "send_to_nobody"), 1u);
    EXPECT_EQ(counter(*server, "send_to_nobody"), 1u);
    world.run_for(100'000'000);
    EXPECT_THAT(world.client_user.closed, IsEmpty());
}

// A handler that closes from inside every callback it gets.
class Closer final : public FrameHandler {
public:
    void on_open(DataPlane& plane, ConnectionId id, const Peer&) override {
        if (close_on_open) plane.close(id, 1, "closed in on_open");
    }
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame&) override {
        ++frames;
        plane.close(id, 2, "closed in on_frame");
        return true;
    }
    void on_close(DataPlane&, ConnectionId, std::string_view why) override { closed.emplace_back(why); }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }
    bool close_on_open = false;
    int frames = 0;
    std::vector<std::string> closed;
};

TEST(QuicClosing, from_inside_on_open) {
    World world;
    Closer closer;
    closer.close_on_open = true;
    world.add(world.options(true), closer);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_THAT(closer.closed, ElementsAre("closed in on_open"));
    EXPECT_THAT(world.client_user.closed, ElementsAre(HasSubstr("closed in on_open")));
}

TEST(QuicClosing, from_inside_on_frame_ends_the_delivery) {
    World world;
    Closer closer;
    world.add(world.options(true), closer);
    auto& client = world.add(world.options(false), world.client_user);
    world.client_user.send_series(Stream::state, {1'000, 100, 100});
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.closed.empty(); }));
    EXPECT_EQ(closer.frames, 1);
    EXPECT_THAT(closer.closed, ElementsAre("closed in on_frame"));
}

}  // namespace
}  // namespace bayplan::dataplane::testing
