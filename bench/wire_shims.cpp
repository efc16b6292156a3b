// Many shims at once, each with a connection, a certificate and nodes of its own, in one partition of a running
// daemon: what `bayplan load` is for one shim. bench/wire_connections starts it and reads its JSON.
//
// It says "connected" on stdout once all are, waits for a line on stdin, and then has all pods asked for.
//
// Thread: one per shim (Client::start); main waits. Owner: each shim of its own numbers, which main reads after
// the last thread has ended. Exit code: 0 if every pod was placed once, 1 otherwise, 2 for bad arguments.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bayplan/client.h"
#include "cli/connection_options.h"
#include "cli/latencies.h"

namespace {

using namespace bayplan;

constexpr std::size_t kNodesAtOnce = 512;
constexpr std::size_t kPodsAtOnce = 64;
constexpr std::int64_t kGi = std::int64_t{1} << 30;
// The sizes of scheduler_perf's default node and pod.
constexpr std::array<NamedAmount, 3> kNode{{{"cpu", 4'000}, {"memory", 32 * kGi}, {"pods", 110}}};
constexpr std::array<NamedAmount, 3> kPod{{{"cpu", 100}, {"memory", 500 << 20}, {"pods", 1}}};

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

struct Share {
    std::size_t shim = 0;
    std::size_t nodes = 0;
    std::size_t pods = 0;
    double per_s = 0;  // asks; 0: as fast as flow control lets
};

class Shim final : public ClientHandler, public StateSource {
public:
    Shim(const Share& share, const std::atomic<std::int64_t>& begin_ns)
        : share_(share), begin_ns_(begin_ns), asked_at_(share.pods), placed_(share.pods, false) {}

    bool open(const ClientOptions& options, std::string& error) {
        client_ = Client::open(options, *this, this, error);
        if (client_ != nullptr) client_->start();
        return client_ != nullptr;
    }
    void stop() { client_->stop(); }
    bool over() const { return done_.load() || refused_.load(); }
    bool connected() const { return connected_.load(); }

    // --- the statement: nodes and an application, before the first ask
    void begin() override { stated_ = 0; }
    bool state(StateWriter& writer) override {
        while (stated_ < share_.nodes && !writer.full()) {
            std::vector<std::string> names;
            for (; stated_ < share_.nodes && names.size() < kNodesAtOnce; ++stated_)
                names.push_back(fmt::format("s{}-node-{}", share_.shim, stated_));
            std::vector<NodeStatement> portion;
            for (const std::string& name : names) portion.push_back({name, NodeAction::create, kNode, {}});
            writer.nodes(portion);
        }
        if (stated_ < share_.nodes) return false;
        const ApplicationStatement application{application_, "", ""};
        writer.applications(std::span(&application, 1));
        return true;
    }

    void on_connected(HelloOutcome) override { connected_ = true; }
    void on_refused(std::string_view reason) override {
        fmt::print(stderr, "shim {} refused: {}\n", share_.shim, reason);
        refused_ = true;
    }
    void on_allocated(std::string_view key, std::string_view) override {
        const std::size_t pod = pod_of(key);
        if (pod >= placed_.size() || placed_[pod]) {
            ++doubled;
            return;
        }
        placed_[pod] = true;
        last_ns = now_ns();
        latencies.push_back(last_ns - asked_at_[pod]);
        if (latencies.size() == share_.pods) done_ = true;
    }
    std::size_t on_turn() override {
        const std::int64_t begun = begin_ns_.load(std::memory_order_relaxed);
        if (begun == 0) return 0;
        const std::size_t before = next_;
        while (ask(begun)) {
        }
        return next_ - before;
    }

    std::vector<std::int64_t> latencies;  // ns, from the time an ask was due
    std::int64_t last_ns = 0;
    std::size_t doubled = 0;

private:
    // One batch of what is due; false: nothing is, or there is no room.
    bool ask(std::int64_t begun) {
        const std::int64_t now = now_ns();
        std::size_t due = share_.pods;
        if (share_.per_s > 0) {
            const double since = static_cast<double>(now - begun) * 1e-9;
            due = std::min(due, static_cast<std::size_t>(since * share_.per_s));
        }
        const std::size_t count = std::min(kPodsAtOnce, due - std::min(due, next_));
        if (count == 0) return false;
        std::array<std::string, kPodsAtOnce> keys;
        std::array<PodStatement, kPodsAtOnce> pods;
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = fmt::format("s{}-pod-{}", share_.shim, next_ + i);
            pods[i].key = keys[i];
            pods[i].application = application_;
            pods[i].requests = kPod;
        }
        if (client_->pods(std::span(pods).first(count)) != Submitted::yes) return false;
        for (std::size_t i = 0; i < count; ++i, ++next_) {
            const double after = share_.per_s > 0 ? static_cast<double>(next_) / share_.per_s : 0;
            asked_at_[next_] = share_.per_s > 0 ? begun + static_cast<std::int64_t>(after * 1e9) : now;
        }
        return true;
    }
    static std::size_t pod_of(std::string_view key) {
        std::size_t number = SIZE_MAX;
        const std::size_t from = key.rfind('-') + 1;
        std::from_chars(key.data() + from, key.data() + key.size(), number);
        return number;
    }

    const Share share_;
    const std::atomic<std::int64_t>& begin_ns_;
    const std::string application_ = fmt::format("application-{}", share_.shim);
    std::vector<std::int64_t> asked_at_;
    std::vector<bool> placed_;
    std::size_t stated_ = 0;
    std::size_t next_ = 0;
    std::atomic<bool> connected_{false};
    std::atomic<bool> refused_{false};
    std::atomic<bool> done_{false};
    std::unique_ptr<Client> client_;
};

struct Arguments {
    std::string connect;
    std::string certificates;
    std::size_t connections = 1;
    std::size_t nodes = 5'000;
    std::size_t pods = 200'000;
    double rate = 0;
    std::int64_t timeout_s = 120;
};

bool wait_for(const std::vector<std::unique_ptr<Shim>>& shims, bool (Shim::*what)() const, std::int64_t timeout_s) {
    const std::int64_t deadline = now_ns() + timeout_s * 1'000'000'000;
    const auto holds = [&](const auto& shim) { return (shim.get()->*what)(); };
    while (!std::all_of(shims.begin(), shims.end(), holds)) {
        if (now_ns() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

// True if every pod was placed once.
bool report(const Arguments& arguments, std::vector<std::unique_ptr<Shim>>& shims, std::int64_t begun) {
    cli::Latencies all;
    std::size_t placed = 0;
    std::size_t doubled = 0;
    std::int64_t last = begun;
    std::int64_t first_done = INT64_MAX;
    for (const auto& shim : shims) {
        for (const std::int64_t latency : shim->latencies) all.add(latency);
        placed += shim->latencies.size();
        doubled += shim->doubled;
        last = std::max(last, shim->last_ns);
        first_done = std::min(first_done, shim->last_ns);
    }
    const double seconds = static_cast<double>(last - begun) * 1e-9;
    fmt::print(
        "{{\"connections\":{},\"placed\":{},\"doubled\":{},\"seconds\":{:.6f},\"pods_per_s\":{:.0f},"
        "\"p50_us\":{:.0f},\"p99_us\":{:.0f},\"first_done_share\":{:.3f}}}\n",
        shims.size(), placed, doubled, seconds, seconds > 0 ? static_cast<double>(placed) / seconds : 0,
        all.percentile_us(0.5), all.percentile_us(0.99),
        seconds > 0 ? static_cast<double>(first_done - begun) * 1e-9 / seconds : 0);
    return placed == arguments.pods && doubled == 0;
}

int run(const Arguments& arguments) {
    ClientOptions options;
    if (const std::string fault = cli::parse_connect(arguments.connect, options); !fault.empty()) {
        fmt::print(stderr, "wire_shims: {}\n", fault);
        return 2;
    }
    options.authority = arguments.certificates + "/ca.pem";
    std::atomic<std::int64_t> begin_ns{0};
    std::vector<std::unique_ptr<Shim>> shims;
    const std::size_t n = arguments.connections;
    for (std::size_t i = 0; i < n; ++i) {
        const auto part = [&](std::size_t all) { return all / n + (i < all % n ? 1 : 0); };
        const Share share{i, part(arguments.nodes), part(arguments.pods), arguments.rate / static_cast<double>(n)};
        options.certificate = fmt::format("{}/shim-{}.pem", arguments.certificates, i);
        options.key = fmt::format("{}/shim-{}.key", arguments.certificates, i);
        std::string error;
        shims.push_back(std::make_unique<Shim>(share, begin_ns));
        if (!shims.back()->open(options, error)) {
            fmt::print(stderr, "wire_shims: {}\n", error);
            return 2;
        }
    }
    bool good = wait_for(shims, &Shim::connected, arguments.timeout_s);
    if (good) {
        fmt::print("connected\n");
        std::fflush(stdout);
        std::string line;
        std::getline(std::cin, line);
        begin_ns = now_ns();
        good = wait_for(shims, &Shim::over, arguments.timeout_s);
    }
    for (const auto& shim : shims) shim->stop();
    return report(arguments, shims, begin_ns) && good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Many shims at once against one daemon"};
    Arguments arguments;
    app.add_option("--connect", arguments.connect, "the daemon")->type_name("HOST:PORT")->required();
    app.add_option("--certificates", arguments.certificates, "ca.pem, shim-0.pem, shim-0.key, ...")
        ->type_name("DIR")
        ->required();
    app.add_option("--connections", arguments.connections, "shims")->check(CLI::Range(1, 250));
    app.add_option("--nodes", arguments.nodes, "of all shims together");
    app.add_option("--pods", arguments.pods, "of all shims together");
    app.add_option("--rate", arguments.rate, "asks per second together; 0: as fast as they are taken");
    app.add_option("--timeout", arguments.timeout_s, "seconds");
    CLI11_PARSE(app, argc, argv);
    return run(arguments);
}
