// Memory of a running pod: a cluster is stated, full of pods that run, and the engine's allocated bytes are told stage
// by stage.
//
//   bench/memory_bench                                    100,000 nodes, 10 million pods, 10,000 classes
//   bench/memory_bench --nodes 1000 --pods 100000 --names uid
//
// Every pod is stated as running by its shim; pods are in order of their names on the nodes, 100 on each, as many of
// each class. `--names`: "workload" has a namespace and a controller's name before five letters of its own, as
// Kubernetes makes them, "uid" is a random UUID, "short" a number. `--preempt`: one preemption at the end, which makes
// the index of pods that searches for victims use.
//
// Thread: main; the engine's inline executor has no other.
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "engine/engine.h"
#include "measure/forgetting_sink.h"
#include "measure/live_memory.h"
#include "measure/stopwatch.h"

namespace bayplan::bench {
namespace {

constexpr ConnectionId kConnection = 1;
constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kFirstNode = 10;
constexpr std::uint32_t kItemsPerMessage = 64;
constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::uint32_t kPodsOfController = 50;
constexpr std::uint32_t kControllersOfNamespace = 100;
constexpr std::uint64_t kSuffixes = 27 * 27 * 27 * 27 * 27;
constexpr std::uint64_t kApart =
    287'003;  // 50 of them are fewer than all suffixes: each pod of a controller has its own

struct Options {
    std::uint32_t nodes = 100'000;
    std::uint32_t pods = 10'000'000;
    std::uint32_t classes = 10'000;
    std::string names = "workload";
    bool preempt = false;
};

std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

std::string letters(std::uint64_t number, int count) {
    static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    std::string text;
    for (; count > 0; --count, number /= kLetters.size()) text += kLetters[number % kLetters.size()];
    return text;
}

std::string key_of(const std::string& names, std::uint64_t pod) {
    if (names == "short") return fmt::format("p{}", pod);
    if (names == "uid") {
        const std::uint64_t a = mixed(2 * pod + 1);
        const std::uint64_t b = mixed(2 * pod + 2);
        return fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff,
                           b >> 48 & 0xfff, b & 0xffff'ffff'ffff);
    }
    const std::uint64_t controller = pod / kPodsOfController;
    return fmt::format("team-{}/service-{}-{}-{}", controller / kControllersOfNamespace,
                       controller % kControllersOfNamespace, letters(mixed(controller), 10),
                       letters(mixed(controller) % kSuffixes + pod % kPodsOfController * kApart, 5));
}

class Memory {
public:
    explicit Memory(const Options& options) : options_(options), engine_(engine_options(), sink_) {}

    bool run() {
        engine_.apply(Connect{.connection = kConnection, .shim = "shim-memory", .shim_instance = 7});
        send(ResyncBeginMessage{});
        send(ResyncEndMessage{});
        const std::vector<DictEntry> entries = {
            {kApplication, "app"}, {kCpu, "cpu"}, {kMemory, "memory"}, {kPods, "pods"}};
        send(DefineMessage{entries});
        const ApplicationItem application{.application = kApplication, .queue = 0, .user = 0};
        send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
        std::printf("%-22s %12s %12s %12s %9s\n", "stage", "allocated MB", "resident MB", "bytes each", "CPU s");
        stage("nodes", options_.nodes, [&] { add_nodes(); });
        stage("one pod of each class", options_.classes, [&] { add_pods(0, options_.classes); });
        stage("the other pods", options_.pods - options_.classes, [&] { add_pods(options_.classes, options_.pods); });
        if (options_.preempt) stage("a preemption, per pod", options_.pods, [&] { preempt(); });
        const EngineCounters counters = engine_.counters();
        std::printf("%" PRIu64 " nodes, %" PRIu64 " pods run, %" PRIu64 " classes\n", counters.nodes,
                    counters.allocations, counters.classes);
        return sink_.faults == 0 && counters.allocations == options_.pods && counters.nodes_overcommitted == 0;
    }

private:
    static EngineOptions engine_options() {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.asks_max = UINT32_MAX;
        return options;
    }

    template <typename Work>
    void stage(const char* name, std::uint32_t things, Work&& work) {
        const std::int64_t before = measure::live_bytes();
        const double start = measure::seconds_by(CLOCK_PROCESS_CPUTIME_ID);
        work();
        const double seconds = measure::seconds_by(CLOCK_PROCESS_CPUTIME_ID) - start;
        const std::int64_t after = measure::live_bytes();
        std::printf("%-22s %12.1f %12.1f %12.1f %9.1f\n", name, static_cast<double>(after) / 1e6,
                    static_cast<double>(measure::resident_bytes()) / 1e6, static_cast<double>(after - before) / things,
                    seconds);
        std::fflush(stdout);
    }

    void send(const StateBody& body) {
        engine_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
        engine_.flush();
        engine_.apply(Acknowledge{kConnection, sink_.last});
    }

    void add_nodes() {
        const std::vector<Amount> capacity = {{kCpu, 64'000}, {kMemory, 512 * 1'024 * kMi}, {kPods, 250}};
        for (std::uint32_t first = 0; first < options_.nodes; first += kItemsPerMessage) {
            const std::uint32_t count = std::min(kItemsPerMessage, options_.nodes - first);
            std::vector<std::string> names;
            std::vector<DictEntry> entries;
            std::vector<NodeItem> records;
            for (std::uint32_t i = 0; i < count; ++i) names.push_back(fmt::format("node-{:07}", first + i));
            for (std::uint32_t i = 0; i < count; ++i) {
                entries.push_back({kFirstNode + first + i, names[i]});
                records.push_back({.node = kFirstNode + first + i, .capacity = capacity, .attributes = {}});
            }
            send(DefineMessage{entries});
            send(NodesMessage{records});
        }
    }

    void add_pods(std::uint64_t first, std::uint64_t end) {
        std::vector<std::string> keys;
        std::vector<std::vector<Amount>> amounts(kItemsPerMessage);
        std::vector<AskItem> records;
        for (; first < end; first += keys.size()) {
            keys.clear();
            records.clear();
            for (std::uint64_t pod = first; pod < std::min<std::uint64_t>(end, first + kItemsPerMessage); ++pod) {
                keys.push_back(key_of(options_.names, pod));
            }
            for (std::size_t i = 0; i < keys.size(); ++i) {
                const std::uint64_t pod = first + i;
                const auto kind = static_cast<std::int64_t>(pod % options_.classes);
                amounts[i] = {{kCpu, 50 + kind % 100}, {kMemory, (100 + kind / 100) * kMi}, {kPods, 1}};
                AskItem record;
                record.key = keys[i];
                record.application = kApplication;
                record.node = static_cast<DictId>(kFirstNode + pod % options_.nodes);
                record.requests = amounts[i];
                record.started_ms = 1'700'000'000'000 + static_cast<std::int64_t>(pod);
                records.push_back(record);
            }
            send(AsksMessage{records});
        }
    }

    void preempt() {
        const std::vector<Amount> whole = {{kCpu, 63'990}};
        AskItem record;
        record.key = "preemptor";
        record.application = kApplication;
        record.requests = whole;
        record.priority = 100;
        send(AsksMessage{{&record, 1}});
        engine_.run(1);
        engine_.flush();
    }

    const Options options_;
    measure::ForgettingSink sink_;
    Engine engine_;
    std::uint64_t sequence_ = 0;
};

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("what a running pod costs in memory");
    bayplan::bench::Options options;
    const auto add = [&app](const char* name, auto& value, const char* what, auto least, auto most) {
        app.add_option(name, value, what)->check(CLI::Range(least, most).description(""))->capture_default_str();
    };
    add("--nodes", options.nodes, "of the cluster", 1, 1'000'000);
    add("--pods", options.pods, "that run", 1, 100'000'000);
    add("--classes", options.classes, "of pods", 1, 1'000'000);
    app.add_option("--names", options.names, "of pods")
        ->check(CLI::IsMember({"workload", "uid", "short"}))
        ->capture_default_str();
    app.add_flag("--preempt", options.preempt, "one preemption at the end");
    CLI11_PARSE(app, argc, argv);
    return bayplan::bench::Memory(options).run() ? 0 : 1;
}
