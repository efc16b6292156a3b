// The program on a bad day: many shims at once on two lcores, certificates that change, a shim that
// comes back on another lcore, a process that is stopped for a while.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "bayplan/client.h"
#include "certificates.h"
#include "process.h"

namespace bayplan::testing {
namespace {

constexpr auto kPatience = std::chrono::seconds(120);

template <typename Condition>
bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

std::string certificates() { return std::filesystem::path(tls_of("server").authority).parent_path().string(); }
std::string revocations() { return certificates() + "/revoked.pem"; }

std::string configuration(const std::string& data_plane = "", std::size_t partitions = 1) {
    const dataplane::TlsFiles tls = tls_of("server");
    std::string text = "rest_listen: 127.0.0.1:0\npartitions:\n";
    for (std::size_t i = 0; i < partitions; ++i) {
        text += fmt::format("  - name: p{}\n    shims: shim-*\n    executor: inline\n    path: inline\n", i);
    }
    return text + fmt::format(
                      "data_plane:\n"
                      "  address: 127.0.0.1\n"
                      "  udp_port: 0\n"
                      "  tls: {{certificate: {}, key: {}, authority: {}, revoked: {}}}\n{}",
                      tls.certificate, tls.key, tls.authority, revocations(), data_plane);
}

// One node and an application; asks for pods and counts which came back, and how often.
class Shim final : public ClientHandler, public StateSource {
public:
    Shim(const std::string& certificate_name, std::uint16_t udp_port, const std::string& partition) : name_(partition) {
        ClientOptions options = options_of(certificate_name, udp_port);
        options.partition = partition;
        std::string error;
        client_ = Client::open(options, *this, this, error);
        EXPECT_NE(client_, nullptr) << error;
        client_->start();
    }
    ~Shim() override { client_->stop(); }

    void begin() override {}
    bool state(StateWriter& writer) override {
        const NamedAmount capacity[] = {{"cpu", 1'000'000'000}, {"pods", 1'000'000}};
        const NodeStatement node{"node", NodeAction::create, capacity, {}};
        writer.nodes(std::span(&node, 1));
        const ApplicationStatement application{"app", "", ""};
        writer.applications(std::span(&application, 1));
        return true;
    }
    void ask(std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            const NamedAmount requests[] = {{"cpu", 100}, {"pods", 1}};
            const std::string key = fmt::format("{}-pod-{}", name_, i);
            PodStatement pod;
            pod.key = key;
            pod.application = "app";
            pod.requests = requests;
            ASSERT_EQ(client_->pods(std::span(&pod, 1), Wait::yes), Submitted::yes);
        }
    }
    void on_connected(HelloOutcome) override { ++connected; }
    void on_disconnected(std::string_view) override { ++disconnected; }
    void on_refused(std::string_view) override { ++refused; }
    void on_allocated(std::string_view key, std::string_view) override {
        const std::lock_guard lock(mutex_);
        if (!seen_.insert(std::string(key)).second) ++doubled;
        ++allocated;
    }

    std::atomic<int> connected{0};
    std::atomic<int> disconnected{0};
    std::atomic<int> refused{0};
    std::atomic<int> doubled{0};
    std::atomic<std::size_t> allocated{0};

private:
    const std::string name_;
    std::mutex mutex_;
    std::set<std::string> seen_;
    std::unique_ptr<Client> client_;
};

// The value of a counter in each element of "lcores" of the status.
std::vector<std::uint64_t> of_lcores(const std::string& status, const std::string& name) {
    std::vector<std::uint64_t> values;
    const std::size_t from = status.find("\"lcores\":[");
    const std::size_t end = status.find(']', from);
    const std::string key = "\"" + name + "\":";
    for (std::size_t at = status.find(key, from); at < end; at = status.find(key, at + 1))
        values.push_back(std::strtoull(status.c_str() + at + key.size(), nullptr, 10));
    return values;
}

void revoke(const std::string& names) {
    const std::string command = std::string("'") + BAYPLAN_MAKE_REVOCATIONS + "' '" + certificates() + "' " + names;
    ASSERT_EQ(std::system(command.c_str()), 0);
}

class Hostile : public ::testing::Test {
protected:
    void SetUp() override { revoke(""); }
};

TEST_F(Hostile, sixty_four_shims_at_once_on_two_lcores) {
    constexpr std::size_t kShims = 64;
    constexpr std::size_t kPods = 100;
    Process daemon(configuration("  lcores: 2\n  handshakes: {retry_above: 8}\n", kShims));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    std::vector<std::unique_ptr<Shim>> shims;
    for (std::size_t i = 0; i < kShims; ++i) {
        shims.push_back(std::make_unique<Shim>("shim-a", daemon.udp_port(), fmt::format("p{}", i)));
    }
    for (const auto& shim : shims) {
        ASSERT_TRUE(until([&] { return shim->connected > 0; })) << daemon.log();
        shim->ask(0, kPods);
    }
    for (const auto& shim : shims) {
        ASSERT_TRUE(until([&] { return shim->allocated >= kPods; })) << daemon.log();
        EXPECT_EQ(shim->allocated, kPods);
        EXPECT_EQ(shim->doubled, 0);
        EXPECT_EQ(shim->connected, 1) << "nobody was cut";
    }
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    const std::string status = read_file(daemon.file("status.json"));
    const auto handshakes = of_lcores(status, "handshakes_ok");
    ASSERT_EQ(handshakes.size(), 2u) << status;
    EXPECT_EQ(handshakes[0] + handshakes[1], kShims) << "each on one lcore; " << daemon.log();
    EXPECT_GT(handshakes[0], 0u);
    EXPECT_GT(handshakes[1], 0u);
    const auto attempts = of_lcores(status, "handshake_attempts");
    const auto accepted = of_lcores(status, "attempts_accepted");
    const auto retried = of_lcores(status, "attempts_retried");
    const auto refused = of_lcores(status, "attempts_refused");
    const auto lost = of_lcores(status, "attempts_lost");
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(attempts[i], accepted[i] + retried[i] + refused[i] + lost[i]);
}

TEST_F(Hostile, a_newer_connection_replaces_the_older_on_whichever_lcore_it_is) {
    Process daemon(configuration("  lcores: 3\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    // The same shim from new UDP ports, until two of them were on different lcores.
    std::unique_ptr<Shim> shim;
    std::size_t pods = 0;
    for (int round = 0; round < 8; ++round) {
        auto next = std::make_unique<Shim>("shim-a", daemon.udp_port(), "p0");
        ASSERT_TRUE(until([&] { return next->connected > 0; })) << daemon.log();
        shim.reset();  // or it would come back and take its place again
        next->ask(pods, 50);
        ASSERT_TRUE(until([&] { return next->allocated >= 50; })) << daemon.log();
        pods += 50;
        shim = std::move(next);
    }
    ASSERT_TRUE(
        until([&] { return read_file(daemon.file("status.json")).find("\"connections\":1,") != std::string::npos; }));
    shim.reset();
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

// The older one is told that another took its place, and stays out for ten minutes: the newer one works undisturbed.
TEST_F(Hostile, two_processes_of_one_name_do_not_push_each_other_out) {
    Process daemon(configuration());
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim older("shim-a", daemon.udp_port(), "p0");
    ASSERT_TRUE(until([&] { return older.connected > 0; })) << daemon.log();
    Shim newer("shim-a", daemon.udp_port(), "p0");
    ASSERT_TRUE(until([&] { return newer.connected > 0 && older.disconnected > 0; })) << daemon.log();
    // Many times as long as a client usually waits before it tries again.
    for (std::size_t round = 0; round < 40; ++round) {
        newer.ask(round * 50, 50);
        ASSERT_TRUE(until([&] { return newer.allocated == (round + 1) * 50; })) << daemon.log();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(older.connected, 1);
    EXPECT_EQ(newer.connected, 1);
    EXPECT_EQ(newer.disconnected, 0);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

TEST_F(Hostile, a_signal_reads_certificates_again_and_drops_the_revoked_alone) {
    Process daemon(configuration("  lcores: 2\n", 2));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim good("shim-a", daemon.udp_port(), "p0");
    Shim bad("shim-b", daemon.udp_port(), "p1");
    ASSERT_TRUE(until([&] { return good.connected > 0 && bad.connected > 0; })) << daemon.log();
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("msg=\"certificates read again\"")) << daemon.log();
    good.ask(0, 100);
    bad.ask(0, 100);
    ASSERT_TRUE(until([&] { return good.allocated == 100 && bad.allocated == 100; }));
    EXPECT_EQ(good.connected, 1);

    revoke("shim-b");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("client certificate \\\"shim-b\\\" was revoked")) << daemon.log();
    ASSERT_TRUE(daemon.wait_for_log("msg=\"handshake refused\"")) << "it tries again";
    good.ask(100, 100);
    ASSERT_TRUE(until([&] { return good.allocated == 200; }));
    EXPECT_EQ(good.connected, 1) << "not disturbed";

    std::ofstream(certificates() + "/revoked.pem") << "nothing of the kind\n";
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("msg=\"certificates not read again, the old ones stay\""));
    good.ask(200, 100);
    ASSERT_TRUE(until([&] { return good.allocated == 300; }));
    // Shown are the dates of the list in use, though REST, which has no certificate, was read again.
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    const std::string status = read_file(daemon.file("status.json"));
    EXPECT_NE(status.find("\"revocations_due_s\":"), std::string::npos) << status;
    EXPECT_EQ(status.find("\"revocations_due_s\":0"), std::string::npos) << status;
}

TEST_F(Hostile, a_daemon_that_is_stopped_for_five_seconds_goes_on_and_loses_nothing) {
    Process daemon(configuration());
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim shim("shim-a", daemon.udp_port(), "p0");
    ASSERT_TRUE(until([&] { return shim.connected > 0; })) << daemon.log();
    constexpr std::size_t kPods = 4'000;
    std::thread asking([&] { shim.ask(0, kPods); });
    ASSERT_TRUE(until([&] { return shim.allocated > 100; }));
    daemon.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(5));  // the length of the stop is tested
    daemon.signal(SIGCONT);
    asking.join();
    ASSERT_TRUE(until([&] { return shim.allocated >= kPods; })) << shim.allocated << daemon.log();
    EXPECT_EQ(shim.allocated, kPods);
    EXPECT_EQ(shim.doubled, 0);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    const auto stalls = of_lcores(read_file(daemon.file("status.json")), "stalls");
    ASSERT_EQ(stalls.size(), 1u);
    EXPECT_GE(stalls[0], 1u);
}

}  // namespace
}  // namespace bayplan::testing
