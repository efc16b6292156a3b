// The REST interface of the daemon as a process: it shows the configuration in force, takes another on SIGHUP, and a daemon that
// cannot have its address says so and ends.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../rest/exposition.h"
#include "client.h"
#include "client_world.h"
#include "process.h"

namespace bayplan::testing {
namespace {

std::string configuration(const std::string& listen, const std::string& queues_file = "",
                          const std::string& more = "") {
    const dataplane::TlsFiles tls = tls_of("server");
    return fmt::format(
        "rest_listen: {}\n"
        "partitions:\n"
        "  - name: default\n"
        "    shims: shim-a\n"
        "    executor: inline\n"
        "    path: inline\n"
        "{}"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}}}\n"
        "{}",
        listen, queues_file.empty() ? "" : fmt::format("    queues_file: {}\n", queues_file), tls.certificate, tls.key,
        tls.authority, more);
}

std::uint16_t rest_port(const Process& daemon) {
    const std::string log = daemon.log();
    const std::size_t line = log.find("msg=\"rest\"");
    const std::size_t port = log.find(" port=", line);
    return port == std::string::npos ? 0 : static_cast<std::uint16_t>(std::stoi(log.substr(port + 6)));
}

bool shows(const Process& daemon, const std::string& part) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (http::get(rest_port(daemon), "/ws/v1/config").body.find(part) == std::string::npos) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

bool shows_at_once(const Process& daemon, const std::string& part) {
    return http::get(rest_port(daemon), "/ws/v1/config").body.find(part) != std::string::npos;
}

std::unique_ptr<Client> client_of(const Process& daemon, StateSource& books, ClientHandler& listener) {
    const dataplane::TlsFiles tls = tls_of("shim-a");
    ClientOptions options;
    options.host = "127.0.0.1";
    options.udp_port = daemon.udp_port();
    options.certificate = tls.certificate;
    options.key = tls.key;
    options.authority = tls.authority;
    std::string error;
    std::unique_ptr<Client> client = Client::open(options, listener, &books, error);
    EXPECT_NE(client, nullptr) << error;
    return client;
}

// A client whose pod-1 of the application app has a node; null if it gets none.
std::unique_ptr<Client> client_with_a_placed_pod(Process& daemon, Books& books, Listener& listener) {
    PodStatement pod;
    pod.key = "pod-1";
    pod.application = "app";
    static const NamedAmount request[] = {{"cpu", 1'500}};
    pod.requests = request;
    books.pods.push_back(pod);
    std::unique_ptr<Client> client = client_of(daemon, books, listener);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto placed = [&] {
        return std::ranges::any_of(listener.heard, [](const std::string& one) { return one.starts_with("allocated"); });
    };
    while (!placed() && std::chrono::steady_clock::now() < end) client->turn();
    return placed() ? std::move(client) : nullptr;
}

struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / fmt::format("baypland-rest-{}", getpid())) {
        std::filesystem::create_directory(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string written(const char* name, std::string_view text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
    std::filesystem::path path;
};

TEST(DaemonRest, shows_the_queues_in_force_and_those_after_a_signal) {
    const Folder folder;
    const std::string queues = folder.written("q.yaml", "partitions: [{name: other, queues: [{name: Wharf}]}]\n");
    Process daemon(configuration("127.0.0.1:0", queues));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_TRUE(shows(daemon, "    - name: default\n"));
    EXPECT_TRUE(shows(daemon, "- name: Wharf\n"));
    EXPECT_TRUE(shows(daemon, "\nchecksum: "));
    EXPECT_EQ(http::get(rest_port(daemon), "/ws/v1/partition/default/placementrules").status, 200);
    EXPECT_EQ(http::get(rest_port(daemon), "/ws/v1/partition/other/placementrules").status, 404);
    folder.written("q.yaml", "partitions: [{name: other, queues: [{name: a b}]}]\n");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("queues not read again")) << daemon.log();
    EXPECT_TRUE(shows(daemon, "- name: Wharf\n"));
    folder.written("q.yaml", "partitions: [{name: other, queues: [{name: quay}]}]\n");
    daemon.signal(SIGHUP);
    EXPECT_TRUE(shows(daemon, "- name: quay\n"));
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    const std::string status = read_file(daemon.file("status.json"));
    EXPECT_NE(status.find("\"rest\":{\"port\":"), std::string::npos) << status;
    EXPECT_NE(status.find("\"answers\":{\"200\":"), std::string::npos) << status;
}

std::string order(const std::string& path, std::string_view words) {
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(file, words.data(), words.size(), MSG_NOSIGNAL), std::ssize(words));
    std::string heard;
    char bytes[4'096];
    for (ssize_t count = recv(file, bytes, sizeof bytes, 0); count > 0; count = recv(file, bytes, sizeof bytes, 0)) {
        heard.append(bytes, static_cast<std::size_t>(count));
    }
    close(file);
    return heard;
}

TEST(DaemonRest, an_order_reads_queues_again_and_says_what_is_faulty) {
    const Folder folder;
    const auto with = [](const char* queue) {
        return fmt::format("partitions: [{{name: default, queues: [{{name: {}}}]}}]\n", queue);
    };
    const std::string queues = folder.written("q.yaml", with("wharf"));
    const std::string socket = (folder.path / "admin.sock").string();
    Process daemon(configuration("127.0.0.1:0", queues, fmt::format("admin_socket: {}\n", socket)));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    folder.written("q.yaml", with("quay"));
    EXPECT_EQ(order(socket, "reload\n"), "ok\nread again\n");
    EXPECT_TRUE(shows(daemon, "- name: quay\n"));
    folder.written("q.yaml", with("a b"));
    const std::string faulty = order(socket, "reload\n");
    EXPECT_TRUE(faulty.starts_with("failed\n" + queues + ":1:")) << faulty;
    EXPECT_TRUE(shows(daemon, "- name: quay\n"));
}

// A leaf with applications cannot become a parent: the engine refuses a text without a fault, and the former is shown.
TEST(DaemonRest, queues_that_the_engine_refuses_are_not_shown) {
    const Folder folder;
    const auto with = [](const char* below) {
        return fmt::format(
            "partitions:\n- name: default\n"
            "  queues: [{{name: root, submitacl: '*', queues: [{{name: default{}}}]}}]\n",
            below);
    };
    const std::string queues = folder.written("q.yaml", with(""));
    const std::string socket = (folder.path / "admin.sock").string();
    Process daemon(configuration("127.0.0.1:0", queues, fmt::format("admin_socket: {}\n", socket)));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    Books books;
    books.user = "ann";
    Listener listener;
    const std::unique_ptr<Client> client = client_with_a_placed_pod(daemon, books, listener);
    ASSERT_NE(client, nullptr) << daemon.log();
    folder.written("q.yaml", with(", queues: [{name: b}]"));
    const std::string refused = order(socket, "reload\n");
    EXPECT_TRUE(refused.starts_with("failed\n" + queues + ": ")) << refused;
    EXPECT_FALSE(shows_at_once(daemon, "- name: b\n"));
}

// Statements of a shim, and decisions about them, as operators see them.
TEST(DaemonRest, shows_nodes_applications_and_queues) {
    Process daemon(configuration("127.0.0.1:0"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    const std::string partition = "/ws/v1/partition/default/";
    EXPECT_EQ(http::get(rest_port(daemon), partition + "nodes").body, "[]\n");

    Books books;
    Listener listener;
    const std::unique_ptr<Client> client = client_with_a_placed_pod(daemon, books, listener);
    ASSERT_NE(client, nullptr) << daemon.log();

    const std::string nodes = http::get(rest_port(daemon), partition + "nodes").body;
    EXPECT_NE(nodes.find("\"nodeID\":\"n1\""), std::string::npos) << nodes;
    EXPECT_NE(nodes.find("\"nodeID\":\"n2\""), std::string::npos) << nodes;
    EXPECT_NE(nodes.find("\"allocationKey\":\"pod-1\""), std::string::npos) << nodes;
    const std::string application = http::get(rest_port(daemon), partition + "application/app").body;
    EXPECT_NE(application.find("\"usedResource\":{\"vcore\":1500}"), std::string::npos) << application;
    const std::string queues = http::get(rest_port(daemon), partition + "queues").body;
    EXPECT_NE(queues.find("\"queuename\":\"root\""), std::string::npos) << queues;
    // The daemon's own numbers are a second old at most; health is looked at at the start.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto shows_in_time = [&](const std::string& path, const std::string& part) {
        while (http::get(rest_port(daemon), path).body.find(part) == std::string::npos) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return true;
    };
    EXPECT_TRUE(shows_in_time("/ws/v1/metrics", "\nbayplan_engine_placed_total{partition=\"default\"} 1\n"));
    EXPECT_TRUE(shows_in_time("/ws/v1/metrics", "\nyunikorn_scheduler_scheduling_latency_milliseconds_count 1\n"));
    EXPECT_TRUE(shows_in_time("/ws/v1/metrics", "\nbayplan_shims_connected 1\n"));
    EXPECT_TRUE(shows_in_time("/ws/v1/metrics", "\nyunikorn_scheduler_node{state=\"active\"} 2\n"));
    EXPECT_TRUE(shows_in_time("/ws/v1/scheduler/healthcheck", "\"Healthy\":true"));
    EXPECT_TRUE(shows_in_time("/ws/v1/history/apps", "\"totalApplications\":\""));
    EXPECT_TRUE(shows_in_time("/debug/fullstatedump", "\"nodeID\": \"n1\""));
    EXPECT_TRUE(shows_in_time("/debug/stack", "bp-watch"));
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

// With the daemon's own families, which it tells a second after the start.
std::string metrics_of(const Process& daemon) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string text;
    while (text.find("\nbayplan_uptime_seconds ") == std::string::npos && std::chrono::steady_clock::now() < end) {
        text = http::get(rest_port(daemon), "/ws/v1/metrics").body;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return text;
}

TEST(DaemonRest, metrics_are_well_formed_and_tell_of_all_parts) {
    Process daemon(configuration("127.0.0.1:0"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    const std::string text = metrics_of(daemon);
    EXPECT_EQ(faults_of(text), std::vector<std::string>()) << text;
    std::vector<std::string> samples = {
        "bayplan_shims_connected 0",
        R"(bayplan_inbox_fill_ratio\{partition="default",of="bytes"\} 0)",
        R"(bayplan_read_model_losses_total\{partition="default"\} 0)",
        R"(bayplan_read_model_lag_seconds\{partition="default"\} [0-9.e-]+)",
        R"(bayplan_certificate_days_left\{for="shims"\} [0-9.]+)",
        R"(yunikorn_scheduler_scheduling_cycle_milliseconds_bucket\{le="\+Inf"\} [0-9]+)",
        R"(yunikorn_scheduler_scheduling_cycle_milliseconds_sum [0-9.e-]+)",
        "yunikorn_event_total_not_stored 0",
    };
    if (daemon.log().find("jemalloc") != std::string::npos) {
        samples.push_back(R"(bayplan_jemalloc_bytes\{stat="allocated"\} [1-9][0-9]+)");
    }
    for (const std::string& sample : samples) {
        EXPECT_TRUE(std::regex_search(text, std::regex("\n" + sample + "\n"))) << sample << "\n" << text;
    }
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

// A stream that is open before anything happens hears all; a batch has the same, and so has the status.
TEST(DaemonRest, tells_events_as_they_happen) {
    Process daemon(configuration("127.0.0.1:0"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_NE(daemon.log().find("NODE_OCCUPIED events are deprecated"), std::string::npos) << daemon.log();
    http::Client stream(rest_port(daemon));
    stream.send(http::request_of("GET", "/ws/v1/events/stream?count=1000"));
    std::string heard = stream.receive_some();

    Books books;
    Listener listener;
    const std::unique_ptr<Client> client = client_with_a_placed_pod(daemon, books, listener);
    ASSERT_NE(client, nullptr) << daemon.log();

    const std::string of_pod = R"("eventChangeType":2,"eventChangeDetail":200,"referenceID":"pod-1")";
    while (heard.find(of_pod) == std::string::npos) {
        const std::string more = stream.receive_some();
        ASSERT_FALSE(more.empty()) << heard;
        heard += more;
    }
    EXPECT_NE(heard.find("{\"InstanceUUID\":\""), std::string::npos) << heard;
    EXPECT_NE(heard.find("\"objectID\":\"n1\",\"message\":\"Node added to the scheduler\""), std::string::npos)
        << heard;
    const std::string batch = http::get(rest_port(daemon), "/ws/v1/events/batch").body;
    EXPECT_TRUE(batch.starts_with(R"({"InstanceUUID":")")) << batch;
    EXPECT_NE(batch.find(R"(,"LowestID":0,"HighestID":)"), std::string::npos) << batch;
    EXPECT_NE(batch.find(of_pod), std::string::npos) << batch;
    EXPECT_NE(batch.find(R"("resource":{"resources":{"vcore":{"value":1500}}})"), std::string::npos) << batch;
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    std::string last;
    for (std::string more = stream.receive_some(); !more.empty(); more = stream.receive_some()) last = more;
    EXPECT_TRUE(last.ends_with("0\r\n\r\n")) << last;  // it is ended, not cut
    const std::string status = read_file(daemon.file("status.json"));
    EXPECT_NE(status.find("\"events\":{\"created\":"), std::string::npos) << status;
    EXPECT_NE(status.find("\"gaps\":0"), std::string::npos) << status;
}

TEST(DaemonRest, limits_events_as_it_is_told) {
    Process daemon(
        configuration("127.0.0.1:0", "", "events: {max_streams: 2, max_streams_per_host: 1, node_occupied: off}\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_EQ(daemon.log().find("NODE_OCCUPIED"), std::string::npos) << daemon.log();
    const auto opens = [&](http::Client& stream) {
        stream.send(http::request_of("GET", "/ws/v1/events/stream"));
        return stream.receive_some().find("200 OK") != std::string::npos;
    };
    std::optional<http::Client> stream(rest_port(daemon));
    EXPECT_TRUE(opens(*stream));
    const http::Answer refused = http::get(rest_port(daemon), "/ws/v1/events/stream");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("Too many streaming connections"), std::string::npos) << refused.body;
    // A client that goes gives back its place, though nothing happens.
    stream.reset();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool opened = false;
    while (!opened && std::chrono::steady_clock::now() < end) opened = opens(stream.emplace(rest_port(daemon)));
    EXPECT_TRUE(opened);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

TEST(DaemonRest, tracks_no_events_if_told_so) {
    Process daemon(configuration("127.0.0.1:0", "", "events: {tracking_enabled: false}\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    const http::Answer answer = http::get(rest_port(daemon), "/ws/v1/events/batch");
    EXPECT_EQ(answer.status, 500);
    EXPECT_NE(answer.body.find("Event tracking is disabled"), std::string::npos) << answer.body;
    EXPECT_EQ(http::get(rest_port(daemon), "/ws/v1/partition/default/nodes").status, 200);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
}

TEST(DaemonRest, stops_with_a_client_that_stays) {
    Process daemon(configuration("127.0.0.1:0"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    http::Client client(rest_port(daemon));
    client.send(http::request_of("GET", "/ws/v1/config"));
    EXPECT_NE(client.receive().body.find("submitacl: '*'"), std::string::npos);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait_for_exit(), 0) << daemon.log();
    EXPECT_TRUE(client.closed());
}

TEST(DaemonRest, an_address_in_use_ends_the_start) {
    Process first(configuration("127.0.0.1:0"));
    ASSERT_TRUE(first.wait_for_log("msg=\"ready\"")) << first.log();
    const std::uint16_t port = rest_port(first);
    Process second(configuration(fmt::format("127.0.0.1:{}", port)));
    EXPECT_EQ(second.wait_for_exit(), 1);
    EXPECT_NE(
        second.log().find(fmt::format("cannot listen at 127.0.0.1:{}: Address already in use; see rest_listen", port)),
        std::string::npos)
        << second.log();
}

TEST(DaemonRest, off_is_off) {
    Process daemon(configuration("off"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_EQ(daemon.log().find("msg=\"rest\""), std::string::npos);
    EXPECT_FALSE(daemon.affinities().contains("bp-http"));
}

TEST(DaemonRest, asks_for_the_token) {
    const Folder folder;
    const std::string file = folder.written("token", "0123456789abcdef\n");
    Process daemon(configuration("127.0.0.1:0", "", "rest_token_file: " + file + "\nrest_cors: off\n"));
    ASSERT_TRUE(daemon.wait_for_log("msg=\"ready\"")) << daemon.log();
    EXPECT_EQ(http::get(rest_port(daemon), "/ws/v1/config").status, 401);
    const http::Answer answer =
        http::get(rest_port(daemon), "/ws/v1/config", "Authorization: Bearer 0123456789abcdef\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.has("Access-Control-Allow-Origin"));
}

}  // namespace
}  // namespace bayplan::testing
