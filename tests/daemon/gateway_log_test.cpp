// Lines of the log that peers without rights cause: the first of a second is written at once, the others as their number.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gateway_world.h"

namespace bayplan::testing {
namespace {

constexpr std::uint64_t kTimes = 20;

// Lines with one message, and how often it happened, as they say.
struct LinesOf {
    std::uint64_t lines = 0;
    std::uint64_t times = 0;
};

LinesOf lines_of(const GatewayWorld& world, const std::string& message) {
    constexpr std::string_view kMore = " more=";
    const std::string start = "msg=\"" + message + "\"";
    const std::string log = world.log_text();
    LinesOf out;
    for (std::size_t at = log.find(start); at != std::string::npos; at = log.find(start, at + 1)) {
        const std::string line = log.substr(at, log.find('\n', at) - at);
        const std::size_t more = line.find(kMore);
        out.times += more == std::string::npos ? 1 : std::stoull(line.substr(more + kMore.size()));
        ++out.lines;
    }
    return out;
}

void expect_summed(GatewayWorld& world, const std::string& message) {
    ASSERT_TRUE(world.until([&] { return lines_of(world, message).times >= kTimes; })) << world.log_text();
    const LinesOf all = lines_of(world, message);
    EXPECT_EQ(all.times, kTimes) << world.log_text();
    EXPECT_LT(all.lines, kTimes) << world.log_text();
}

TEST(GatewayLog, handshakes_refused_for_one_reason_are_summed) {
    GatewayWorld world;
    for (std::uint64_t i = 0; i < kTimes; ++i) {
        world.shims.push_back(std::make_unique<RawShim>("other-client", world.plane->udp_port()));
    }
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().handshakes_refused == kTimes; }))
        << world.log_text();
    expect_summed(world, "handshake refused");
}

// Each of them is two lines: of the message, and of the end.
TEST(GatewayLog, messages_refused_for_one_reason_and_their_connections_are_summed) {
    GatewayWorld world;
    for (std::uint64_t i = 0; i < kTimes; ++i) world.connect("shim-a");
    for (const auto& shim : world.shims) ASSERT_TRUE(shim->acknowledge(1));
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 0; })) << world.log_text();
    expect_summed(world, "message refused, closing the connection");
    expect_summed(world, "connection closed");
}

TEST(GatewayLog, connections_that_end_before_a_hello_are_summed) {
    GatewayWorld world;
    for (std::uint64_t i = 0; i < kTimes; ++i) world.connect("shim-a");
    for (const auto& shim : world.shims) shim->hang_up();
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 0; })) << world.log_text();
    expect_summed(world, "connection closed");
}

}  // namespace
}  // namespace bayplan::testing
