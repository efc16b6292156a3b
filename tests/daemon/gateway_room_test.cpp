// Connections that are not admitted, observers and shims: each kind has a limit of its own, and keeps no other out.
#include <gtest/gtest.h>

#include <chrono>

#include "gateway_world.h"

namespace bayplan::testing {
namespace {

using dataplane::Stream;

GatewayWorld world_with(std::uint32_t connections, std::uint32_t observers, std::uint32_t unadmitted) {
    return GatewayWorld(1'024, 64, [=](config::DataPlaneConfig& options) {
        options.transport.connections_max = connections;
        options.observers_max = observers;
        options.unadmitted_max = unadmitted;
    });
}

void observe(GatewayWorld& world, const std::string& name) {
    RawShim& observer = world.connect(name);
    ASSERT_TRUE(observer.send(Stream::control, wire::CountersRequest{1}));
    ASSERT_TRUE(world.until([&] { return !observer.counters.empty() || observer.closed; }));
}

// Of six, three of one name, and the newest stay.
TEST(GatewayRoom, a_certificate_that_says_nothing_keeps_nobody_out) {
    GatewayWorld world = world_with(1, 1, 6);
    for (int i = 0; i < 12; ++i) world.connect("shim-a");
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 3; })) << world.log_text();
    EXPECT_EQ(world.gateway->counters().displaced, 9u);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(world.shims[i]->closed, i < 9) << i;
    EXPECT_EQ(world.shims.front()->why_closed, "closed by the peer (0): others came before its hello was accepted");
    for (int i = 0; i < 4; ++i) world.connect("shim-b");
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 6; })) << "three of each";
    world.admitted("shim-b", "second");
    EXPECT_FALSE(world.shims.back()->closed);
}

// A refused peer that does not close has less time than another one has for its hello.
TEST(GatewayRoom, each_that_is_refused_is_closed_when_its_own_time_is_up) {
    GatewayWorld world = world_with(4, 1, 6);
    world.connect("shim-a");
    RawShim& first = world.connect("shim-b");
    ASSERT_TRUE(first.hello("third"));
    const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    ASSERT_TRUE(world.until([&] { return std::chrono::steady_clock::now() > later; }));
    RawShim& second = world.connect("shim-b");
    ASSERT_TRUE(second.hello("third"));
    ASSERT_TRUE(world.until([&] { return first.closed; })) << world.log_text();
    EXPECT_EQ(first.why_closed, "closed by the peer (1): refused");
    ASSERT_TRUE(world.until([&] { return second.closed; })) << world.log_text();
    EXPECT_FALSE(world.shims.front()->closed);
}

TEST(GatewayRoom, shims_have_a_limit_and_who_comes_back_takes_its_own_place) {
    GatewayWorld world = world_with(1, 1, 6);
    world.admitted("shim-a");
    RawShim& second = world.connect("shim-b");
    ASSERT_TRUE(second.hello("default"));
    ASSERT_TRUE(world.until([&] { return second.closed; })) << world.log_text();
    EXPECT_TRUE(second.replies.empty()) << "a refusal would be for good";
    EXPECT_EQ(second.why_closed, "closed by the peer (0): connections_max (1) reached");
    EXPECT_FALSE(world.shims.front()->closed);
    world.admitted("shim-a");
    ASSERT_TRUE(world.until([&] { return world.shims.front()->closed; }));
    EXPECT_FALSE(world.shims.back()->closed);
}

TEST(GatewayRoom, observers_have_a_part_of_it) {
    GatewayWorld world = world_with(3, 1, 6);
    observe(world, "shim-a");
    observe(world, "shim-b");
    ASSERT_TRUE(world.until([&] { return world.shims.back()->closed; }));
    EXPECT_EQ(world.shims.back()->refusal, "observers_max (1) reached");
    world.admitted("shim-a");
    world.admitted("shim-b", "second");
    EXPECT_FALSE(world.shims.front()->closed);
}

TEST(GatewayRoom, observers_take_none_of_a_shims_last_place) {
    GatewayWorld world = world_with(1, 9, 6);
    world.admitted("shim-a");
    observe(world, "shim-b");
    EXPECT_EQ(world.shims.back()->refusal, "connections_max (1) reached");
}

}  // namespace
}  // namespace bayplan::testing
