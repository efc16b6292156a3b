// The program as a process that has started: what its settings came to, what it says of its certificates, and what it
// does while there is nothing to do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "client_world.h"
#include "process.h"
#include "recorder/recording_reader.h"

namespace bayplan::testing {
namespace {

std::string configuration(const std::string& more = "", const std::string& certificate = "server",
                          const std::string& revoked = "") {
    const dataplane::TlsFiles tls = tls_of(certificate);
    return fmt::format(
        "rest_listen: 127.0.0.1:0\n"
        "partitions:\n"
        "  - name: default\n"
        "    shims: shim-a\n"
        "    executor: inline\n"
        "    path: inline\n"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}{}}}\n"
        "{}",
        tls.certificate, tls.key, tls.authority, revoked.empty() ? std::string() : ", revoked: " + revoked, more);
}

template <typename Condition>
bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

bool says(const Process& daemon, const std::string& text) { return daemon.log().find(text) != std::string::npos; }

// Of the only partition in the status; 0 also while there is none.
std::uint64_t status_number(const Process& daemon, const std::string& name) {
    const std::string status = read_file(daemon.file("status.json"));
    const std::string key = "\"" + name + "\":";
    const std::size_t at = status.find(key);
    return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + key.size(), nullptr, 10);
}

// The rest of the line of /proc/PID/FILE that begins so.
std::string kernel_says(const Process& daemon, const std::string& file, const std::string& begin) {
    std::istringstream lines(read_file(fmt::format("/proc/{}/{}", daemon.pid(), file)));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) return line.substr(begin.size());
    }
    return {};
}

// --- limits

TEST(StartedDaemon, gives_limits_of_bytes_that_the_configuration_leaves_to_it) {
    Process daemon(configuration("record: run.rec\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_TRUE(says(daemon, " bytes_max=")) << daemon.log();
    EXPECT_FALSE(says(daemon, " bytes_max=0 ")) << daemon.log();
    // As the engine has them.
    std::string error;
    const auto record = recorder::RecordingReader::open(daemon.file("run.rec"), error);
    ASSERT_NE(record, nullptr) << error;
    const std::string settings(record->configuration());
    for (const std::string name : {"bytes_max", "unacknowledged_bytes_max"}) {
        EXPECT_NE(settings.find("\n" + name + ": "), std::string::npos) << settings;
        EXPECT_EQ(settings.find("\n" + name + ": 0\n"), std::string::npos) << settings;
    }
}

// Asks for pods whose keys alone are longer than a recording may be.
class LongKeys final : public ClientHandler {
public:
    static constexpr std::size_t kPods = 4'000;
    static constexpr std::size_t kKeyBytes = 300;

    explicit LongKeys(std::uint16_t udp_port) {
        ClientOptions options = options_of("shim-a", udp_port);
        std::string error;
        client_ = Client::open(options, *this, &books_, error);
        EXPECT_NE(client_, nullptr) << error;
        client_->start();
    }
    ~LongKeys() override { client_->stop(); }

    void ask() {
        const std::string long_part(kKeyBytes, 'x');
        for (std::size_t i = 0; i < kPods; ++i) {
            const NamedAmount requests[] = {{"cpu", 1}};
            const std::string key = fmt::format("{}-{}", long_part, i);
            PodStatement pod;
            pod.key = key;
            pod.application = "app";
            pod.requests = requests;
            ASSERT_EQ(client_->pods(std::span(&pod, 1), Wait::yes), Submitted::yes);
        }
    }

    void on_connected(HelloOutcome) override { connected = true; }
    void on_allocated(std::string_view, std::string_view) override { ++allocated; }

    std::atomic<bool> connected{false};
    std::atomic<std::size_t> allocated{0};

private:
    Books books_;
    std::unique_ptr<Client> client_;
};

TEST(StartedDaemon, ends_a_recording_at_its_limit_and_goes_on) {
    constexpr std::size_t kBytes = 1u << 20;
    static_assert(LongKeys::kPods * LongKeys::kKeyBytes > kBytes);
    Process daemon(configuration("record: run.rec\nrecord_bytes_max: 1Mi\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    LongKeys shim(daemon.udp_port());
    ASSERT_TRUE(until([&] { return shim.connected.load(); })) << daemon.log();
    shim.ask();
    EXPECT_TRUE(until([&] { return shim.allocated == LongKeys::kPods; })) << shim.allocated << daemon.log();
    EXPECT_TRUE(daemon.wait_for_log("msg=\"the record ends here\"")) << daemon.log();
    EXPECT_TRUE(says(daemon, "record_bytes_max is reached")) << daemon.log();
    EXPECT_LE(std::filesystem::file_size(daemon.file("run.rec")), kBytes);
    EXPECT_TRUE(until([&] {
        return read_file(daemon.file("status.json")).find("record_bytes_max is reached") != std::string::npos;
    })) << daemon.log();
}

TEST(StartedDaemon, keeps_as_many_earlier_recordings_as_it_is_told) {
    std::string folder = (std::filesystem::temp_directory_path() / "bayplan-kept-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    for (int run = 0; run < 3; ++run) {
        Process daemon(configuration(fmt::format("record: {}/run.rec\nrecord_runs: 1\n", folder)));
        ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
        daemon.signal(SIGTERM);
        EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    }
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder)) names.insert(file.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"run.rec", "run.rec.2"}));
    std::filesystem::remove_all(folder);
}

// --- memory

// Tried in a child, which keeps nothing.
bool memory_may_be_locked() {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
        const bool locked =
            setrlimit(RLIMIT_MEMLOCK, &all) == 0 && mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
        _exit(locked ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::uint64_t locked_kib(const Process& daemon) {
    return std::strtoull(kernel_says(daemon, "status", "VmLck:").c_str(), nullptr, 10);
}

TEST(StartedDaemon, locks_its_memory_if_its_profile_says_so) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers let no memory be locked";
#endif
    if (!memory_may_be_locked()) GTEST_SKIP() << "this test may not lock memory: RLIMIT_MEMLOCK, and no capability";
    Process locked(configuration("profile: {lock_memory: yes}\n"));
    ASSERT_TRUE(locked.wait_for_log("msg=\"ready\"")) << locked.log();
    EXPECT_GT(locked_kib(locked), 0u);
    Process usual(configuration());
    ASSERT_TRUE(usual.wait_for_log("msg=\"ready\"")) << usual.log();
    EXPECT_EQ(locked_kib(usual), 0u);
}

// As large as may be, for programs that are started meanwhile.
class LargestCoreFiles {
public:
    LargestCoreFiles() {
        getrlimit(RLIMIT_CORE, &before_);
        const rlimit largest{before_.rlim_max, before_.rlim_max};
        setrlimit(RLIMIT_CORE, &largest);
    }
    ~LargestCoreFiles() { setrlimit(RLIMIT_CORE, &before_); }
    LargestCoreFiles(const LargestCoreFiles&) = delete;
    LargestCoreFiles& operator=(const LargestCoreFiles&) = delete;

    bool any() const { return before_.rlim_max > 0; }

private:
    rlimit before_{};
};

// Soft and hard.
std::vector<std::string> core_limits(const Process& daemon) {
    std::istringstream words(kernel_says(daemon, "limits", "Max core file size"));
    std::vector<std::string> limits(2);
    words >> limits[0] >> limits[1];
    return limits;
}

TEST(StartedDaemon, leaves_no_core_file_with_its_keys_unless_it_is_told_to) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "leaks are checked, which needs what is taken away otherwise";
#endif
    const LargestCoreFiles largest;
    if (!largest.any()) GTEST_SKIP() << "no program may leave core files here: RLIMIT_CORE";
    const std::vector<std::string> none{"0", "0"};
    Process usual(configuration());
    ASSERT_TRUE(usual.wait_for_log("msg=\"ready\"")) << usual.log();
    EXPECT_EQ(core_limits(usual), none);
    Process told(configuration("privileges: {core_dumps: yes}\n"));
    ASSERT_TRUE(told.wait_for_log("msg=\"ready\"")) << told.log();
    EXPECT_NE(core_limits(told), none);
}

// --- dates

std::string certificates() { return std::filesystem::path(tls_of("server").authority).parent_path().string(); }

// A script of tests/support, in the folder of the certificates.
void make(const std::string& script, const std::string& words) {
    const std::string command = fmt::format("'{}' '{}' {} >/dev/null", script, certificates(), words);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

TEST(StartedDaemon, warns_of_certificates_that_end_soon_and_of_an_overdue_revocation_list) {
    make(BAYPLAN_MAKE_CERTS, "brief-server");
    make(BAYPLAN_MAKE_REVOCATIONS, "overdue");
    const dataplane::TlsFiles brief = tls_of("brief-server");
    const std::string of_rest = fmt::format("rest_tls_cert: {}\nrest_tls_key: {}\n", brief.certificate, brief.key);
    Process daemon(configuration(of_rest, "brief-server", certificates() + "/revoked.pem"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    const std::string ends = "level=warning msg=\"a certificate of the daemon ends soon\" of=";
    EXPECT_TRUE(says(daemon, ends + "data_plane.tls.certificate days=")) << daemon.log();
    EXPECT_TRUE(says(daemon, ends + "rest_tls_cert days=")) << daemon.log();
    EXPECT_FALSE(says(daemon, ends + "data_plane.tls.authority")) << daemon.log();
    EXPECT_TRUE(
        says(daemon, "level=warning msg=\"a newer revocation list is overdue\" of=data_plane.tls.revoked days="))
        << daemon.log();
}

// --- audits

// The first is due after ten seconds.
TEST(StartedDaemon, audits_itself_while_there_is_nothing_to_do) {
    Process daemon(configuration());
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_TRUE(until([&] { return status_number(daemon, "audits") > 0; })) << daemon.log();
    EXPECT_EQ(status_number(daemon, "laws_broken"), 0u);
}

}  // namespace
}  // namespace bayplan::testing
