// Preemptions per second in one process: a cluster full of pods of low priority, and asks of high priority
// that fit nowhere. Each nominates a node and sends victims away; then the victims go, and each is placed.
//
//   preempt/s   nominations by wall time (the first attempts of all preemptors), best of the runs
//   cpu/s       the same by CPU time of all threads
//   placed/s    preemptors placed by wall time once the victims have gone
//
// Loads: `classes` distinct preemptors (0: every one is its own); scheduler_perf's PreemptionBasic is the
// one with a single class. With --small (40 nodes) the naive oracle takes the same inputs, and every digest must equal
// its own. Exit status 1 if one differs, or a preemptor is left over.
// Thread: main.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/engine.h"
#include "oracle.h"

namespace bayplan::bench {
namespace {

constexpr std::uint32_t kPodsPerNode = 30;
constexpr std::int64_t kNodeCpu = 3'000;
constexpr std::int64_t kNodeMemory = std::int64_t{32} << 30;

struct Load {
    const char* name;
    std::uint32_t nodes;
    std::uint32_t preemptors;
    std::uint32_t classes;  // 0: all distinct
};

double seconds_by(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// One shim's messages for a load. `Side` is the engine or the oracle: apply(Input).
template <typename Side>
class PreemptionShim {
public:
    PreemptionShim(const Load& load, Side& side) : load_(load), side_(side) {
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        const ApplicationRecord application{.application = kApplication, .queue = 0, .user = 0};
        send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
        state_nodes();
        state_pods();
        send(ResyncEndMessage{});
    }

    void ask() {
        std::vector<std::string> keys;
        std::vector<std::vector<Amount>> amounts;
        std::vector<AskRecord> records;
        for (std::uint32_t i = 0; i < load_.preemptors; ++i) {
            const std::uint32_t kind = load_.classes == 0 ? i : i % load_.classes;
            keys.push_back("high-" + std::to_string(i));
            amounts.push_back({{kCpu, 250 + kind % 97}, {kMemory, (std::int64_t{1} << 28) + kind}, {kPods, 1}});
        }
        for (std::uint32_t i = 0; i < load_.preemptors; ++i) {
            AskRecord& record = records.emplace_back();
            record.key = keys[i];
            record.application = kApplication;
            record.priority = 1'000;
            record.requests = amounts[i];
        }
        send(AsksMessage{records});
    }

    // Every victim that was told to go is gone.
    void let_go(const std::vector<std::string>& victims) {
        std::vector<ReleaseRecord> records;
        for (const std::string& key : victims) {
            records.push_back({.key = key,
                               .application = kApplication,
                               .termination = Termination::preempted_by_scheduler,
                               .message = {}});
        }
        send(ReleasesMessage{records});
    }

private:
    static constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kFirstNode = 10;

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    void define() {
        std::vector<std::string> names;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            names.push_back("node-" + std::to_string(n));
        }
        std::vector<DictEntry> entries = {{kApplication, "app"}, {kCpu, "cpu"}, {kMemory, "memory"}, {kPods, "pods"}};
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            entries.push_back({kFirstNode + n, names[n]});
        }
        send(DefineMessage{entries});
    }

    void state_nodes() {
        const std::vector<Amount> capacity = {{kCpu, kNodeCpu}, {kMemory, kNodeMemory}, {kPods, 110}};
        std::vector<NodeRecord> records;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            records.push_back({.node = kFirstNode + n, .capacity = capacity, .attributes = {}});
        }
        send(NodesMessage{records});
    }

    // 100m each: full by CPU. Priorities 0 to 2 and start times are mixed, the same on every machine.
    void state_pods() {
        const std::vector<Amount> amounts = {{kCpu, kNodeCpu / kPodsPerNode}, {kMemory, std::int64_t{1} << 28}, {kPods, 1}};
        std::uint64_t mixed = 88'172'645'463'325'252;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            std::vector<std::string> keys;
            std::vector<AskRecord> records;
            for (std::uint32_t p = 0; p < kPodsPerNode; ++p) {
                keys.push_back("low-" + std::to_string(n) + "-" + std::to_string(p));
            }
            for (std::uint32_t p = 0; p < kPodsPerNode; ++p) {
                mixed ^= mixed << 13;
                mixed ^= mixed >> 7;
                mixed ^= mixed << 17;
                AskRecord& record = records.emplace_back();
                record.key = keys[p];
                record.application = kApplication;
                record.node = kFirstNode + n;
                record.priority = static_cast<std::int32_t>(mixed % 3);
                record.requests = amounts;
                record.started_ms = 1 + static_cast<std::int64_t>(mixed >> 40);
            }
            send(AsksMessage{records});
        }
    }

    const Load& load_;
    Side& side_;
    std::uint64_t sequence_ = 0;
};

// Who was told to go, out of the decision log, which engine and oracle write alike.
class VictimSink final : public DecisionSink {
public:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            nominations += decision.kind == DecisionKind::nominated && !decision.node.empty() ? 1 : 0;
            if (decision.termination == Termination::preempted_by_scheduler) {
                victims.emplace_back(decision.name);
            }
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view) override {}

    std::vector<std::string> victims;
    std::uint64_t nominations = 0;
    std::uint64_t last = 0;
};

struct Result {
    double nominate_wall = 1e9;
    double nominate_cpu = 1e9;
    double place_wall = 1e9;
    std::uint64_t nominations = 0;
    std::uint64_t placed = 0;
    std::vector<std::string> victims;
    std::string digest;
};

void run_once(const Load& load, Result& least) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.backoff_early = false;
    VictimSink sink;
    Engine engine(options, sink);
    PreemptionShim<Engine> shim(load, engine);
    const auto take = [&] {
        engine.flush();
        engine.apply(Acknowledge{1, sink.last});
    };
    take();
    shim.ask();
    const double start = seconds_by(CLOCK_MONOTONIC);
    const double cpu = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
    engine.run(load.preemptors);
    least.nominate_wall = std::min(least.nominate_wall, seconds_by(CLOCK_MONOTONIC) - start);
    least.nominate_cpu = std::min(least.nominate_cpu, seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    take();
    least.nominations = sink.nominations;
    least.victims = sink.victims;
    shim.let_go(sink.victims);
    engine.apply(Tick{options.backoff_max_ns});
    const double gone = seconds_by(CLOCK_MONOTONIC);
    engine.run(load.preemptors);
    least.place_wall = std::min(least.place_wall, seconds_by(CLOCK_MONOTONIC) - gone);
    least.placed = engine.counters().placed;
    least.digest = engine.digest();
}

std::string oracle_digest(const Load& load, const std::vector<std::string>& victims) {
    EngineOptions options;
    options.backoff_early = false;
    oracle::Oracle oracle(options);
    PreemptionShim<oracle::Oracle> shim(load, oracle);
    shim.ask();
    oracle.run(load.preemptors);
    shim.let_go(victims);
    oracle.apply(Tick{options.backoff_max_ns});
    oracle.run(load.preemptors);
    return oracle.digest();
}

bool measure(const Load& load, int runs, bool compare) {
    Result least;
    for (int run = 0; run < runs; ++run) {
        run_once(load, least);
    }
    const auto nominations = static_cast<double>(least.nominations);
    std::printf("%-34s %9.0f %9.0f %9.0f %9zu  %.16s\n", load.name, nominations / least.nominate_wall,
                nominations / least.nominate_cpu, static_cast<double>(least.placed) / least.place_wall,
                least.victims.size(), least.digest.c_str());
    std::fflush(stdout);
    bool good = least.nominations == load.preemptors && least.placed == load.preemptors;
    if (compare && oracle_digest(load, least.victims) != least.digest) {
        good = false;
    }
    if (!good) {
        std::printf("%-34s FAULT: %llu nominated, %llu placed of %u, or another digest than the oracle's\n", load.name,
                    static_cast<unsigned long long>(least.nominations), static_cast<unsigned long long>(least.placed),
                    load.preemptors);
    }
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("preemptions of full clusters, in process");
    bool small = false;
    bool large = false;
    int runs = 3;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "100,000 nodes too (takes 2 GB and a minute)");
    app.add_option("--runs", runs, "runs of each; the best counts")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    using bayplan::bench::Load;
    std::vector<Load> loads = {{"PreemptionBasic/40Nodes", 40, 12, 1},
                               {"10Classes/40Nodes", 40, 12, 10},
                               {"Unique/40Nodes", 40, 12, 0}};
    if (!small) {
        loads = {{"PreemptionBasic/5000Nodes", 5'000, 3'000, 1},
                 {"10Classes/5000Nodes", 5'000, 3'000, 10},
                 {"Unique/5000Nodes", 5'000, 3'000, 0}};
        if (large) {
            loads.push_back({"Unique/100000Nodes", 100'000, 300, 0});
        }
    }
    std::printf("%-34s %9s %9s %9s %9s  %s\n", "load", "preempt/s", "cpu/s", "placed/s", "victims", "digest");
    bool good = true;
    for (const Load& load : loads) {
        good = bayplan::bench::measure(load, runs, small) && good;
    }
    return good ? 0 : 1;
}
