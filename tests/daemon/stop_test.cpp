// The program at its end: a daemon that has much to do, or is flooded, and shims that do not acknowledge. How long it may take
// is a setting; a second signal ends the wait.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "certificates.h"
#include "process.h"
#include "raw_shim.h"
#include "state_frames.h"

namespace bayplan::testing {
namespace {

using dataplane::Stream;

std::string configuration(const std::string& more) {
    const dataplane::TlsFiles tls = tls_of("server");
    return fmt::format(
        "rest_listen: off\n"
        "partitions:\n"
        "  - name: default\n"
        "    shims: shim-*\n"
        "    executor: inline\n"
        "    path: inline\n"
        "    backoff_initial: 1ms\n"
        "    backoff_max: 1ms\n"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}}}\n"
        "{}",
        tls.certificate, tls.key, tls.authority, more);
}

// Packets in the shape of a client's first, and noise, as fast as the loopback takes them.
class LoopbackFlood {
public:
    explicit LoopbackFlood(std::uint16_t udp_port) : thread_([this, udp_port] { run(udp_port); }) {}
    ~LoopbackFlood() {
        stop_ = true;
        thread_.join();
    }
    std::size_t sent() const { return sent_; }

private:
    void run(std::uint16_t udp_port) {
        const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        to.sin_port = htons(udp_port);
        std::mt19937_64 random(7);
        std::vector<std::uint8_t> packet(1'200);
        while (!stop_) {
            for (std::uint8_t& byte : packet) byte = static_cast<std::uint8_t>(random());
            const std::uint8_t first[] = {0xc3, 0, 0, 0, 1, 8};  // Initial of QUIC version 1
            if (sent_ % 4 != 0) std::copy(std::begin(first), std::end(first), packet.begin());
            if (sendto(any, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to) > 0) ++sent_;
        }
        close(any);
    }

    std::atomic<bool> stop_{false};
    std::atomic<std::size_t> sent_{0};
    std::thread thread_;
};

// A shim that acknowledges nothing, with many asks of which few fit.
class Busy {
public:
    explicit Busy(const Process& daemon) : shim_("shim-a", daemon.udp_port()) {
        EXPECT_TRUE(until([&] { return shim_.open; })) << daemon.log();
        EXPECT_TRUE(shim_.hello("default"));
        EXPECT_TRUE(until([&] { return !shim_.replies.empty(); })) << daemon.log();
        for (const auto& frames : {resync_frames(8), ask_frames("pod", kAsks, 6)}) {
            for (const dataplane::Frame& frame : frames) send(frame);
        }
        EXPECT_TRUE(until([&] { return shim_.decisions.size() >= 320; })) << daemon.log();
    }
    // Room comes and goes: all that wait are tried again.
    void restate_nodes(std::size_t times) {
        for (std::size_t round = 0; round < times; ++round) {
            const NodeItem node{.node = 100, .action = NodeAction::update, .capacity = kCapacity, .attributes = {}};
            const NodesMessage message{std::span(&node, 1)};
            const auto sent = [&] { return shim_.state(sequence_ + 1, message) || shim_.closed; };
            ASSERT_TRUE(until(sent));
            ++sequence_;
        }
    }
    template <class Condition>
    bool until(Condition&& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            shim_.turn();
        }
        return true;
    }
    bool closed() const { return shim_.closed; }

private:
    static constexpr std::size_t kAsks = 20'000;
    static constexpr Amount kCapacity[] = {{1, 4'000}, {2, 110}};
    void send(const dataplane::Frame& frame) {
        ASSERT_TRUE(until([&] { return shim_.send_bytes(Stream::state, frame.bytes()); }));
        ++sequence_;
    }
    RawShim shim_;
    std::uint64_t sequence_ = 0;
};

// While the shim stays connected, and acknowledges nothing.
int exit_beside(Busy& shim, Process& daemon) {
    std::atomic<bool> ended{false};
    std::thread going_on([&] { shim.until([&] { return ended || shim.closed(); }); });
    const int status = daemon.wait_for_exit();
    ended = true;
    going_on.join();
    return status;
}

TEST(Stop, a_busy_daemon_under_a_flood_ends_within_its_time) {
    Process daemon(configuration("stop_within: 1s\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Busy shim(daemon);
    const LoopbackFlood flood(daemon.udp_port());
    shim.restate_nodes(200);
    ASSERT_TRUE(shim.until([&] { return flood.sent() > 1'000; }));
    daemon.signal(SIGTERM);
    EXPECT_EQ(exit_beside(shim, daemon), 0) << "a minute is far more than it may take";
}

TEST(Stop, a_second_signal_ends_the_wait_for_a_shim_that_acknowledges_nothing) {
    Process daemon(configuration("stop_within: 600s\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Busy shim(daemon);
    const LoopbackFlood flood(daemon.udp_port());
    daemon.signal(SIGTERM);
    ASSERT_TRUE(daemon.wait_for_log("msg=\"stopping\" within_ms=600000")) << daemon.log();
    // Nothing is decided any more; the daemon waits for acknowledgements.
    ASSERT_TRUE(shim.until([&] { return !daemon.affinities().contains("bp-engine0"); })) << daemon.log();
    daemon.signal(SIGTERM);
    EXPECT_EQ(exit_beside(shim, daemon), 0) << "else it would have waited for ten minutes";
}

}  // namespace
}  // namespace bayplan::testing
