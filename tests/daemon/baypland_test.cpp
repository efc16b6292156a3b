// The program as a process, driven by the shim client over loopback.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "bayplan/client.h"
#include "certificates.h"
#include "process.h"
#include "recorder/recording_reader.h"
#include "threads/host_cpus.h"

namespace bayplan::testing {
namespace {

constexpr std::size_t kNodes = 64;
constexpr std::size_t kPods = 2'000;
// Debian's TBB is not instrumented: ThreadSanitizer sees races where it hands over.
#ifdef __SANITIZE_THREAD__
constexpr std::string_view kExecutor = "threads";
#else
constexpr std::string_view kExecutor = "tbb";
#endif

std::string configuration(const std::string& more = "") {
    const dataplane::TlsFiles tls = tls_of("server");
    return fmt::format(
        "rest_listen: 127.0.0.1:0\n"
        "partitions:\n"
        "  - name: default\n"
        "    shims: shim-a\n"
        "    path: graph\n"
        "    executor: {}\n"
        "    workers: 2\n"
        "    victim_workers: 2\n"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}}}\n"
        "{}",
        kExecutor, tls.certificate, tls.key, tls.authority, more);
}

// States nodes and an application, asks for pods of two sizes, counts where they went.
class Shim final : public ClientHandler, public StateSource {
public:
    Shim(const std::string& certificate_name, std::uint16_t udp_port) {
        ClientOptions options = options_of(certificate_name, udp_port);
        std::string error;
        client_ = Client::open(options, *this, this, error);
        EXPECT_NE(client_, nullptr) << error;
        client_->start();
    }
    ~Shim() override { client_->stop(); }

    void begin() override {}
    bool state(StateWriter& writer) override {
        const NamedAmount capacity[] = {{"cpu", 32'000}, {"pods", 110}};
        std::vector<std::string> names;
        for (std::size_t i = 0; i < kNodes; ++i) names.push_back(fmt::format("node-{}", i));
        std::vector<NodeStatement> nodes;
        for (const std::string& name : names) nodes.push_back({name, NodeAction::create, capacity, {}});
        writer.nodes(nodes);
        const ApplicationStatement application{"app", "", ""};
        writer.applications(std::span(&application, 1));
        return true;
    }

    void ask(std::size_t first = 0) {
        for (std::size_t i = first; i < first + kPods; ++i) {
            const NamedAmount requests[] = {{"cpu", i % 2 == 0 ? 100 : 200}, {"pods", 1}};
            const std::string key = fmt::format("pod-{}", i);
            PodStatement pod;
            pod.key = key;
            pod.application = "app";
            pod.requests = requests;
            ASSERT_EQ(client_->pods(std::span(&pod, 1), Wait::yes), Submitted::yes);
        }
    }

    void on_connected(HelloOutcome) override { connected = true; }
    void on_refused(std::string_view reason) override { refused = !reason.empty(); }
    void on_allocated(std::string_view, std::string_view) override { ++allocated; }

    template <typename Condition>
    static bool until(Condition condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    std::atomic<bool> connected{false};
    std::atomic<bool> refused{false};
    std::atomic<std::size_t> allocated{0};

private:
    std::unique_ptr<Client> client_;
};

TEST(BayplandCheck, a_sound_configuration_passes_and_every_fault_of_another_is_told) {
    const std::string folder = std::filesystem::temp_directory_path() / fmt::format("baypland-check-{}", getpid());
    std::filesystem::create_directory(folder);
    const std::string file = folder + "/b.yaml";
    std::ofstream(file) << configuration();
    std::string output;
    EXPECT_EQ(run_to_end({"--config", file, "--check"}, output), 0);
    EXPECT_NE(output.find(file + ": no faults\n"), std::string::npos) << output;
    std::ofstream(file) << configuration("logg: {}\nstop_within: soon\n");
    EXPECT_EQ(run_to_end({"--config", file, "--check"}, output), 2);
    EXPECT_NE(output.find(file + ":13:1: unknown key 'logg' at the top level; did you mean 'log'?\n"),
              std::string::npos)
        << output;
    EXPECT_NE(output.find(file + ":14:14: 'stop_within' is 'soon'; "), std::string::npos) << output;
    EXPECT_EQ(run_to_end({"--config", file}, output), 2) << "it does not start with faults either";
    EXPECT_EQ(run_to_end({}, output), 2);
    EXPECT_EQ(run_to_end({"--no-such-option"}, output), 2);
    EXPECT_EQ(run_to_end({"--help-config"}, output), 0);
    EXPECT_NE(output.find("credit_window: 64Ki"), std::string::npos);
    std::ofstream(file) << configuration();
    EXPECT_EQ(run_to_end({"--config", file, "--check", "--predicates", "NodeName,NodePorts", "--reservation-predicates",
                          "NodeName"},
                         output),
              0);
    for (const std::string option : {"--predicates", "--reservation-predicates"}) {
        EXPECT_EQ(run_to_end({"--config", file, option, "NodeName,NodeFit"}, output), 2);
        EXPECT_NE(output.find("baypland: '" + option +
                              "' is 'NodeFit', which is no predicate; "
                              "known are NodeUnschedulable, NodeName, "),
                  std::string::npos)
            << output;
    }
    std::filesystem::remove_all(folder);
}

TEST(BayplandLog, what_dpdk_says_is_an_entry_like_all_others) {
    std::string text = configuration(
        "  port: dpdk\n"
        "  eal: [--no-huge, -m, \"64\", --no-pci, \"--vdev=net_af_packet0,iface=nowhere0\"]\n"
        "log: {format: json}\n");
    const std::string of_kernel = "address: 127.0.0.1\n  udp_port: 0\n";
    text.replace(text.find(of_kernel), of_kernel.size(), "address: 10.99.0.2\n");
    Process daemon(text);
    EXPECT_EQ(daemon.wait_for_exit(), 1) << "there is no such interface";
    std::istringstream lines(daemon.log());
    std::size_t of_dpdk = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(line.starts_with("{\"time\":") && line.ends_with("}")) << line;
        of_dpdk += line.find("\"msg\":\"dpdk\",\"line\":") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(of_dpdk, 0u) << daemon.log();
}

std::string names_of(const std::multimap<std::string, std::string>& threads) {
    std::string text;
    for (const auto& [name, cpus] : threads) {
        text += fmt::format("{} on {}\n", name, cpus);
    }
    return text;
}

// Threads of a daemon under load, against the profile; then with its CPUs swapped.
void expect_affinities(std::size_t first, std::size_t second) {
    const std::string both = first == second ? fmt::format("{}", first)
                                             : fmt::format("{},{}", std::min(first, second), std::max(first, second));
    Process daemon(
        configuration(fmt::format("profile: {{data_plane: {0}, engine: {1}, teller: {0}, workers: [{0}, {1}], "
                                  "victim_workers: [{1}, {0}], housekeeping: "
                                  "{0}}}\n",
                                  first, second)));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim shim("shim-a", daemon.udp_port());
    ASSERT_TRUE(Shim::until([&] { return shim.connected.load(); })) << daemon.log();
    shim.ask();
    ASSERT_TRUE(Shim::until([&] { return shim.allocated == kPods; })) << shim.allocated << daemon.log();
    // A worker is there once it has had work; which of two gets the first is TBB's choice.
    // Until its first work a worker has the name of the thread that began it, and no affinity of its own: it is given some.
    std::multimap<std::string, std::string> seen;
    std::size_t asked = kPods;
    ASSERT_TRUE(Shim::until([&] {
        seen = daemon.affinities();
        if (std::adjacent_find(seen.begin(), seen.end(),
                               [](const auto& a, const auto& b) { return a.first == b.first; }) == seen.end()) {
            return true;
        }
        if (shim.allocated == asked && asked < 50 * kPods) {
            shim.ask(asked);
            asked += kPods;
        }
        return false;
    })) << names_of(seen)
        << daemon.log();
#ifdef __SANITIZE_THREAD__
    seen.erase("baypland");  // the sanitizer's own thread
#endif
    EXPECT_TRUE(seen.contains("bp-worker0") || seen.contains("bp-worker1"));
    const std::map<std::string, std::string> planned{
        {"main", std::to_string(first)},        {"bp-house0", std::to_string(first)},
        {"bp-lcore0", std::to_string(first)},   {"bp-engine0", std::to_string(second)},
        {"bp-teller0", std::to_string(first)},  {"bp-worker0", std::to_string(first)},
        {"bp-worker1", std::to_string(second)}, {"bp-victim0", std::to_string(second)},
        {"bp-victim1", std::to_string(first)},  {"bp-http", std::to_string(first)},
        {"bp-model0", std::to_string(first)},   {"bp-watch", std::to_string(first)},
    };
    for (const auto& [name, cpus] : seen) {
        ASSERT_TRUE(planned.contains(name)) << "an unplanned thread: " << name;
        EXPECT_EQ(cpus, planned.at(name)) << name;
    }
    for (const char* name : {"main", "bp-house0", "bp-lcore0", "bp-engine0", "bp-teller0", "bp-victim0", "bp-victim1",
                             "bp-http", "bp-model0", "bp-watch"})
        EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(BayplandThreads, affinities_equal_the_profile_and_again_with_its_cpus_swapped) {
    const std::vector<std::size_t> cpus = threads::read_host_cpus().allowed.cpus();
    expect_affinities(cpus.front(), cpus.back());
    expect_affinities(cpus.back(), cpus.front());
}

// Its recording goes to a pipe that nobody reads, as to a disk that hangs.
TEST(BayplandService, an_engine_that_does_not_end_does_not_keep_the_daemon) {
    std::string folder = (std::filesystem::temp_directory_path() / "bayplan-pipe-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string pipe = folder + "/run.rec";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int nobody = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(nobody, 0);
    const std::string flight = folder + "/flight.txt";
    Process daemon(configuration(fmt::format("stop_within: 1s\nwatchdog: 1s\nflight_recorder: {}\n", flight)),
                   {"--record", pipe});
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim shim("shim-a", daemon.udp_port());
    ASSERT_TRUE(Shim::until([&] { return shim.connected.load(); })) << daemon.log();
    shim.ask();
    ASSERT_TRUE(Shim::until([&] { return shim.allocated >= 1'000; })) << daemon.log();
    // And it is told, with where it hangs and what it did before.
    EXPECT_TRUE(daemon.wait_for_log("msg=\"a thread does not go on\" thread=engine0 doing=recording")) << daemon.log();
    EXPECT_TRUE(daemon.wait_for_log("msg=\"flight recorder written\"")) << daemon.log();
    EXPECT_NE(read_file(flight).find(" state connection="), std::string::npos);
    EXPECT_TRUE(Shim::until(
        [&] { return read_file(daemon.file("status.json")).find("\"stuck\":[\"engine0\"]") != std::string::npos; }));
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 1) << daemon.log();
    EXPECT_NE(daemon.log().find("an engine does not end, the daemon ends without it"), std::string::npos);
    close(nobody);
    std::filesystem::remove_all(folder);
}

TEST(BayplandService, a_run_is_placed_recorded_reported_and_stopped) {
    Process daemon(configuration(), {"--record", "/proc/none/run.rec"});
    EXPECT_EQ(daemon.wait_for_exit(), 1) << "a record that cannot be written stops the start";
    EXPECT_NE(daemon.log().find("msg=\"cannot start\" step=engines"), std::string::npos) << daemon.log();

    Process sound(configuration("record: run.rec\n"), {"--predicates", "NodeResourcesFit"});
    ASSERT_TRUE(sound.wait_for_log("msg=\"ready\"")) << sound.log();
    for (const char* part : {"version=", "msg=\"allocator\" name=", "msg=\"tbb\" concurrency=", "port=kernel-udp",
                             "msg=\"profile\" source=any", "predicates=NodeResourcesFit reservation_predicates=all"}) {
        EXPECT_NE(sound.log().find(part), std::string::npos) << part << " in " << sound.log();
    }
    {
        Shim shim("shim-a", sound.udp_port());
        shim.ask();
        ASSERT_TRUE(Shim::until([&] { return shim.allocated == kPods; })) << shim.allocated << sound.log();
        const std::string placed = fmt::format("\"placed\":{}", kPods);
        EXPECT_TRUE(
            Shim::until([&] { return read_file(sound.file("status.json")).find(placed) != std::string::npos; }));
        sound.signal(SIGUSR1);
        EXPECT_TRUE(sound.wait_for_log("msg=\"status\" json=")) << sound.log();
        // The shim is still connected: the stop must close it gracefully.
        sound.signal(SIGTERM);
        EXPECT_EQ(sound.wait_for_exit(), 0) << sound.log();
    }
    const std::string log = sound.log();
    EXPECT_NE(
        log.find(fmt::format("msg=\"decisions\" partition=default attempts={0} placed={0} failed=0 digest=", kPods)),
        std::string::npos)
        << log;
    EXPECT_EQ(log.find("not acknowledged in time"), std::string::npos) << log;
    const std::string status = read_file(sound.file("status.json"));
    EXPECT_NE(status.find("\"state\":\"stopped\""), std::string::npos);
    EXPECT_EQ(status.find("\"rx_packets\":0,"), std::string::npos) << status;

    std::string error;
    const auto record = recorder::RecordingReader::open(sound.file("run.rec"), error);
    ASSERT_NE(record, nullptr) << error;
    recorder::RecordingEntry entry;
    recorder::RecordingStep step;
    while ((step = record->next(entry)) == recorder::RecordingStep::input) {
    }
    EXPECT_EQ(step, recorder::RecordingStep::finished) << record->fault();
    EXPECT_EQ(entry.attempts, kPods);
}

// A field of the status of each thread of a process.
std::set<std::string> of_threads(pid_t pid, const std::string& field) {
    std::set<std::string> values;
    for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
        std::istringstream lines(read_file(task.path() / "status"));
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(field + ":")) values.insert(line.substr(field.size() + 2));
        }
    }
    return values;
}

const std::set<std::string> kNoCapability{"0000000000000000"};

TEST(BayplandPrivileges, a_daemon_at_work_has_none_in_any_thread) {
    Process daemon(configuration());
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    for (const char* field : {"CapEff", "CapPrm", "CapInh", "CapAmb"}) {
        EXPECT_EQ(of_threads(daemon.pid(), field), kNoCapability) << field;
    }
    EXPECT_EQ(of_threads(daemon.pid(), "NoNewPrivs"), (std::set<std::string>{"1"}));
#ifndef __SANITIZE_ADDRESS__
    EXPECT_EQ(of_threads(daemon.pid(), "Seccomp"), (std::set<std::string>{"2"}));
    // A process without core files belongs to root in /proc.
    struct stat status {};
    ASSERT_EQ(stat(fmt::format("/proc/{}/io", daemon.pid()).c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 0u);
#endif
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

TEST(BayplandPrivileges, system_calls_are_limited_unless_the_configuration_says_otherwise) {
    Process daemon(configuration("privileges: {system_calls: all, core_dumps: yes}\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_EQ(of_threads(daemon.pid(), "Seccomp"), (std::set<std::string>{"0"}));
    struct stat status {};
    ASSERT_EQ(stat(fmt::format("/proc/{}/io", daemon.pid()).c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, geteuid());
}

TEST(BayplandPrivileges, root_becomes_the_user_that_is_named) {
    if (geteuid() != 0) GTEST_SKIP() << "this test needs root";
    Process daemon(configuration("privileges: {user: nobody}\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    const passwd* const nobody = getpwnam("nobody");
    ASSERT_NE(nobody, nullptr);
    const std::string four = fmt::format("{0}\t{0}\t{0}\t{0}", nobody->pw_uid);
    EXPECT_EQ(of_threads(daemon.pid(), "Uid"), (std::set<std::string>{four}));
    EXPECT_EQ(of_threads(daemon.pid(), "Groups"), (std::set<std::string>{fmt::format("{} ", nobody->pw_gid)}));
    EXPECT_EQ(of_threads(daemon.pid(), "CapPrm"), kNoCapability);
    EXPECT_NE(daemon.log().find("msg=\"privileges\" user=nobody capabilities=0"), std::string::npos) << daemon.log();
    // And is of use as such.
    Shim shim("shim-a", daemon.udp_port());
    shim.ask();
    EXPECT_TRUE(Shim::until([&] { return shim.allocated == kPods; })) << daemon.log();
}

TEST(BayplandPrivileges, a_user_that_is_not_there_ends_the_start) {
    Process daemon(configuration("privileges: {user: not-a-user}\n"));
    EXPECT_EQ(daemon.wait_for_exit(), 1);
    EXPECT_NE(daemon.log().find("there is no user 'not-a-user'"), std::string::npos) << daemon.log();
}

TEST(BayplandService, a_shim_that_may_not_use_the_partition_is_refused_and_named) {
    Process daemon(configuration());
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Shim shim("shim-b", daemon.udp_port());
    ASSERT_TRUE(Shim::until([&] { return shim.refused.load(); })) << daemon.log();
    ASSERT_TRUE(daemon.wait_for_log("reason=\"'shim-b' may not use partition 'default'\"")) << daemon.log();
    EXPECT_FALSE(shim.connected);
    daemon.signal(SIGINT);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

}  // namespace
}  // namespace bayplan::testing
