// States of pods, events, configuration and the shim's own state, over a real connection to the program as a process:
// each is told to shims that want it, and to no others.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bayplan/client.h"
#include "certificates.h"
#include "client.h"
#include "process.h"

namespace bayplan::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kQueues =
    "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: {}\n";
constexpr SpecNumber kGated = 1;

template <typename Condition>
bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

class InformedShim final : public ClientHandler, public StateSource {
public:
    enum class Wants : std::uint8_t { nothing, all };

    InformedShim(std::uint16_t udp_port, const std::string& name, Wants wants) {
        ClientOptions options = options_of(name, udp_port);
        options.reconnect_initial_ms = 1;
        options.wants_container_states = options.wants_events = options.wants_configuration = options.tells_its_state =
            wants == Wants::all;
        std::string error;
        client_ = Client::open(options, *this, this, error);
        EXPECT_NE(client_, nullptr) << error;
        client_->start();
    }
    ~InformedShim() override { client_->stop(); }

    void ask(const std::string& key, std::int64_t cpu, int priority = 0, SpecNumber spec = 0) {
        const NamedAmount requests[] = {{"cpu", cpu}, {"pods", 1}};
        PodStatement pod;
        pod.key = key;
        pod.application = "app";
        pod.requests = requests;
        pod.priority = priority;
        pod.spec = spec;
        ASSERT_EQ(client_->pods({&pod, 1}, Wait::yes), Submitted::yes);
    }
    void tells(std::string state) {
        const std::lock_guard lock(mutex_);
        state_ = std::move(state);
    }
    std::vector<std::string> heard(const std::string& kind) const {
        const std::lock_guard lock(mutex_);
        std::vector<std::string> lines;
        std::ranges::copy_if(heard_, std::back_inserter(lines),
                             [&](const std::string& line) { return line.starts_with(kind); });
        return lines;
    }
    bool has_heard(const std::string& line) const {
        const auto all = heard(line.substr(0, line.find(' ')));
        return std::ranges::any_of(all, [&](const std::string& one) { return one.find(line) != std::string::npos; });
    }
    bool connected() const {
        const std::lock_guard lock(mutex_);
        return connected_;
    }
    void cut() { client_->cut(); }

    void begin() override {}
    bool state(StateWriter& writer) override {
        SpecItem gated;
        gated.number = kGated;
        gated.spec.gates.push_back(1);
        writer.specs({&gated, 1}, [](Text) { return std::string_view("a-gate"); });
        const NamedAmount capacity[] = {{"cpu", 1'000}, {"pods", 110}};
        const NodeStatement node{"n1", NodeAction::create, capacity, {}};
        writer.nodes({&node, 1});
        const ApplicationStatement application{"app", "root.first", "somebody"};
        writer.applications({&application, 1});
        return true;
    }
    void on_connected(HelloOutcome) override {
        const std::lock_guard lock(mutex_);
        connected_ = true;
    }
    void on_container_states(std::span<const ContainerState> states) override {
        for (const ContainerState& one : states) {
            note(fmt::format("state {} {} {}", one.ask, static_cast<int>(one.state), one.reason));
        }
    }
    void on_events(std::span<const EventRecord> events) override {
        for (const EventRecord& one : events) {
            std::string amounts;
            for (const EventAmount& amount : one.amounts)
                amounts += fmt::format(" {}={}", amount.resource, amount.value);
            note(fmt::format("event {} {} {} {}{}", one.type, one.change, one.detail, one.object, amounts));
        }
    }
    void on_configuration(std::string_view partition, std::string_view text) override {
        note(fmt::format("configuration {} {}", partition, text));
    }
    std::string on_state_dump() override {
        note("dump");
        const std::lock_guard lock(mutex_);
        return state_;
    }

private:
    void note(std::string line) {
        const std::lock_guard lock(mutex_);
        heard_.push_back(std::move(line));
    }

    mutable std::mutex mutex_;
    std::vector<std::string> heard_;
    std::string state_ = R"({"cache":{"pods":3}})";
    bool connected_ = false;
    std::unique_ptr<Client> client_;
};

class Information : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_);
        write_queues("first");
        const dataplane::TlsFiles tls = tls_of("server");
        daemon_ =
            std::make_unique<Process>(fmt::format("rest_listen: 127.0.0.1:0\n"
                                                  "partitions:\n"
                                                  "  - name: default\n"
                                                  "    shims: \"shim-*\"\n"
                                                  "    executor: inline\n"
                                                  "    path: inline\n"
                                                  "    queues_file: {}\n"
                                                  "data_plane:\n"
                                                  "  address: 127.0.0.1\n"
                                                  "  udp_port: 0\n"
                                                  "  tls: {{certificate: {}, key: {}, authority: {}}}\n",
                                                  queues_file(), tls.certificate, tls.key, tls.authority));
        ASSERT_TRUE(daemon_->wait_for_log("msg=\"ready\"")) << daemon_->log();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::unique_ptr<InformedShim> shim(const std::string& name, InformedShim::Wants wants) {
        auto made = std::make_unique<InformedShim>(daemon_->udp_port(), name, wants);
        EXPECT_TRUE(until([&] { return made->connected(); })) << daemon_->log();
        return made;
    }
    std::string queues_file() const { return (folder_ / "queues.yaml").string(); }
    void write_queues(std::string_view queue) const {
        std::ofstream(queues_file()) << fmt::format(fmt::runtime(kQueues), queue);
    }
    std::string dump() const {
        const std::string log = daemon_->log();
        const std::size_t port = log.find(" port=", log.find("msg=\"rest\""));
        return http::get(static_cast<std::uint16_t>(std::stoi(log.substr(port + 6))), "/debug/fullstatedump").body;
    }

    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / fmt::format("bayplan-information-{}", getpid());
    std::unique_ptr<Process> daemon_;
};

TEST_F(Information, pods_are_scheduled_failed_reserved_or_skipped) {
    const auto told = shim("shim-a", InformedShim::Wants::all);
    told->ask("small", 600);
    EXPECT_TRUE(until([&] { return told->has_heard("state small 2"); })) << daemon_->log();
    told->ask("large", 5'000);
    EXPECT_TRUE(until([&] { return told->has_heard("state large 4 0/1 nodes are available"); })) << daemon_->log();
    told->ask("gated", 100, 0, kGated);
    EXPECT_TRUE(until([&] { return told->has_heard("state gated 1 waiting for scheduling gates"); })) << daemon_->log();
    told->ask("preemptor", 600, 10);
    EXPECT_TRUE(until([&] { return told->has_heard("state preemptor 3"); })) << daemon_->log();
}

TEST_F(Information, events_come_as_they_happen_with_amounts) {
    const auto told = shim("shim-a", InformedShim::Wants::all);
    told->ask("small", 600);
    EXPECT_TRUE(until([&] { return told->has_heard("event 2 2 200 app"); })) << "an application gets an allocation";
    EXPECT_TRUE(until([&] { return told->has_heard("event 3 2 303 n1"); })) << "a node likewise";
    EXPECT_TRUE(std::ranges::any_of(told->heard("event"),
                                    [](const std::string& line) { return line.find("=600") != std::string::npos; }));
}

TEST_F(Information, queues_are_told_once_connected_and_when_they_change) {
    const auto told = shim("shim-a", InformedShim::Wants::all);
    EXPECT_TRUE(until([&] { return told->heard("configuration").size() == 1; }));
    EXPECT_THAT(told->heard("configuration")[0], HasSubstr("name: first"));
    write_queues("second");
    daemon_->signal(SIGHUP);
    EXPECT_TRUE(until([&] { return told->heard("configuration").size() == 2; })) << daemon_->log();
    EXPECT_THAT(told->heard("configuration")[1], HasSubstr("name: second"));
    told->cut();
    EXPECT_TRUE(until([&] { return told->heard("configuration").size() == 3; })) << "on a new connection anew";
}

TEST_F(Information, the_state_dump_has_the_shims_own_state_or_says_why_not) {
    EXPECT_THAT(dump(), HasSubstr(R"("rmDiagnostics": {)"));
    EXPECT_THAT(dump(), HasSubstr(R"("empty": "no shim tells its state")"));
    const auto told = shim("shim-a", InformedShim::Wants::all);
    EXPECT_THAT(dump(), HasSubstr("\"cache\": {\n      \"pods\": 3"));
    told->tells("nonsense");
    EXPECT_THAT(dump(), HasSubstr("the shim's state is no JSON"));
    told->tells(std::string(2u << 20, 'x'));
    EXPECT_THAT(dump(), HasSubstr("the state has 2097152 bytes"));
    told->tells("{}");
    const auto other = shim("shim-b", InformedShim::Wants::all);
    EXPECT_THAT(dump(), HasSubstr(R"("shim-b": {)"));
}

TEST_F(Information, a_shim_that_wants_none_of_it_hears_none_of_it) {
    const auto silent = shim("shim-b", InformedShim::Wants::nothing);
    const auto told = shim("shim-a", InformedShim::Wants::all);
    told->ask("small", 600);
    EXPECT_TRUE(until([&] { return told->has_heard("state small 2"); })) << daemon_->log();
    EXPECT_TRUE(until([&] { return !told->heard("event").empty() && !told->heard("configuration").empty(); }));
    dump();
    EXPECT_EQ(told->heard("dump").size(), 1u);
    for (const char* const kind : {"state", "event", "configuration", "dump"}) {
        EXPECT_THAT(silent->heard(kind), IsEmpty());
    }
}

}  // namespace
}  // namespace bayplan::testing
