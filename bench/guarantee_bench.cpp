// Preemption for the guarantee of a queue, in one process: pods of queue b fill the cluster, and pods of queue a, which is
// guaranteed as many, come. Each gets a node when its delay is over, and one pod of b goes for it.
//
//   us/ask       of an ask that finds its victim, mean over all
//   priority     the same where the asks are of a higher priority, and no guarantee has a say
//   ratio        of the first to the second
//   in vain us   of an ask of another queue that finds nobody, since b would have less than its guarantee
//
// Then looks for room below maxima that are used up, by CPU time of the engine's thread: one is due in each second of the
// cluster's. One leaf below each maximum has all the pods that it allows; the leaves beside it have asks.
//
//   wait         ms of a look while the delays of all leaves go on
//   in vain      of one in which a claim of each leaf finds nobody
//   find         of one in which a claim of each leaf finds a node, and whom to send away for it
//
// By CPU time of all threads (by wall with --wall), the least of some runs. Every run must have the same digest. With --small,
// the naive oracle takes the same inputs, and its digest must be equal. Exit status 1 if one differs, or an ask finds nobody.
// Thread: main.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/preemption_shim.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"
#include "room_looks.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;
using measure::VictimSink;

constexpr std::int64_t kSecond_ns = 1'000'000'000;

struct Shape {
    std::string name;
    std::uint32_t nodes;
    std::uint32_t asks;  // each for the room of one pod
};

enum class Why : std::uint8_t { guarantee, priority, in_vain };

// One shim that states nodes and pods, and asks; `Side`: the engine or the oracle.
template <typename Side>
class QueueShim {
public:
    QueueShim(const Shape& shape, Why why, Side& side) : shape_(shape), why_(why), side_(side) {
        side_.apply(QueuesText{.partition = "default", .text = queues()});
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        const std::array applications = {ApplicationItem{.application = kA, .queue = kQueueA, .user = kUser},
                                         ApplicationItem{.application = kB, .queue = kQueueB, .user = kUser}};
        send(ApplicationsMessage{.add = applications, .remove = {}});
        state_nodes();
        send(ResyncEndMessage{});
    }

    void fill() { ask("b", kB, shape_.nodes * kPodsPerNode, 0); }
    void ask_for_room() { ask("a", kA, shape_.asks, why_ == Why::priority ? 10 : 0); }

private:
    static constexpr DictId kA = 1, kB = 2, kQueueA = 3, kQueueB = 4, kUser = 5, kCpu = 6, kPods = 7, kFirstNode = 10;
    static constexpr std::uint32_t kPodsPerNode = 8;

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    std::string queues() const {
        const std::uint32_t all = shape_.nodes * kPodsPerNode;
        const std::uint32_t of_a = why_ == Why::priority ? 0 : shape_.asks;
        const auto queue = [](const std::string& name, std::uint32_t cpus) {
            return "    - {name: " + name + ", submitacl: '*', properties: {preemption.delay: 1s}, " +
                   "resources: {guaranteed: {vcore: " + std::to_string(cpus) + "}}}\n";
        };
        return "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n" + queue("a", of_a) +
               queue("b", why_ == Why::in_vain ? all : 0);
    }

    void define() {
        std::vector<std::string> names;
        for (std::uint32_t n = 0; n < shape_.nodes; ++n) {
            names.push_back("node-" + std::to_string(n));
        }
        std::vector<DictEntry> entries = {{kA, "app-a"},       {kB, "app-b"}, {kQueueA, "root.a"}, {kQueueB, "root.b"},
                                          {kUser, "somebody"}, {kCpu, "cpu"}, {kPods, "pods"}};
        for (std::uint32_t n = 0; n < shape_.nodes; ++n) {
            entries.push_back({kFirstNode + n, names[n]});
        }
        send(DefineMessage{entries});
    }

    void state_nodes() {
        const std::vector<Amount> capacity = {{kCpu, kPodsPerNode * 1'000}, {kPods, 110}};
        std::vector<NodeItem> records;
        for (std::uint32_t n = 0; n < shape_.nodes; ++n) {
            records.push_back({.node = kFirstNode + n, .capacity = capacity, .attributes = {}});
        }
        send(NodesMessage{records});
    }

    void ask(const std::string& kind, DictId application, std::uint32_t count, std::int32_t priority) {
        const std::array amounts = {Amount{kCpu, 1'000}, Amount{kPods, 1}};
        std::vector<std::string> keys;
        for (std::uint32_t n = 0; n < count; ++n) {
            keys.push_back(kind + "-" + std::to_string(n));
        }
        std::vector<AskItem> records;
        for (std::uint32_t n = 0; n < count; ++n) {
            AskItem& record = records.emplace_back();
            record.key = keys[n];
            record.application = application;
            record.priority = priority;
            record.requests = amounts;
        }
        send(AsksMessage{records});
    }

    const Shape& shape_;
    const Why why_;
    Side& side_;
    std::uint64_t sequence_ = 0;
};

EngineOptions options_for(Why why) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.queues = true;
    options.preemption.guarantee = why != Why::priority;
    return options;
}

// Fills the cluster, asks, and lets the delay pass; by priority the asks are timed at once.
template <typename Side, typename Take, typename Time>
void play(const Shape& shape, Why why, Side& side, Take&& take, Time&& time) {
    QueueShim<Side> shim(shape, why, side);
    const auto run = [&] {
        for (; side.has_work(); take()) side.run(4'096);
    };
    take();
    shim.fill();
    run();
    shim.ask_for_room();
    if (why == Why::priority) {
        time(run);
        return;
    }
    run();
    side.apply(Tick{2 * kSecond_ns});
    time(run);
}

struct Result {
    Cost cost;
    std::uint64_t nominations = 0;
    std::string digest;
    bool same = true;
};

void run_once(const Shape& shape, Why why, Result& result) {
    VictimSink sink;
    const EngineOptions options = options_for(why);
    Engine engine(options, sink);
    play(
        shape, why, engine,
        [&] {
            engine.flush();
            engine.settle();
            engine.apply(Acknowledge{1, sink.last});
        },
        [&](auto&& work) { result.cost.keep_least(cost_of(work)); });
    result.nominations = sink.nominations;
    result.same = result.same && (result.digest.empty() || result.digest == engine.digest());
    result.digest = engine.digest();
}

bool as_the_oracle(const Shape& shape, Why why, const std::string& digest) {
    OracleSide oracle(options_for(why));
    play(
        shape, why, oracle,
        [&] {
            oracle.apply(Acknowledge{1, oracle.last_decision()});
        },
        [](auto&& work) { work(); });
    return oracle.digest() == digest;
}

bool measure(const Shape& shape, int runs, bool by_wall, bool beside_oracle) {
    std::array<Result, 3> results;
    bool good = true;
    for (const Why why : {Why::guarantee, Why::priority, Why::in_vain}) {
        Result& result = results[static_cast<std::size_t>(why)];
        for (int run = 0; run < runs; ++run) {
            run_once(shape, why, result);
        }
        good = good && result.same && result.nominations == (why == Why::in_vain ? 0 : shape.asks);
        good = good && (!beside_oracle || as_the_oracle(shape, why, result.digest));
    }
    const auto us = [&](Why why) {
        const Cost& cost = results[static_cast<std::size_t>(why)].cost;
        return 1e6 * (by_wall ? cost.wall : cost.all_cpu) / shape.asks;
    };
    std::printf("%-28s %9.2f %9.2f %7.2f %10.2f %.12s%s\n", shape.name.c_str(), us(Why::guarantee), us(Why::priority),
                us(Why::guarantee) / us(Why::priority), us(Why::in_vain), results[0].digest.c_str(),
                good ? "" : "  FAULT: an ask has no node, or too many have, or digests differ");
    std::fflush(stdout);
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("preemption for the guarantees of queues, in process");
    bool small = false, large = false, by_wall = false, room = false;
    int runs = 3;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "20,000 nodes too");
    app.add_flag("--room", room, "looks for room alone");
    app.add_flag("--wall", by_wall, "figures by wall time");
    app.add_option("--runs", runs, "runs of each; the least times count")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    using bayplan::bench::Shape;
    std::vector<Shape> shapes = {{"Guarantee/500Nodes_100", 500, 100}, {"Guarantee/5000Nodes_1000", 5'000, 1'000}};
    if (small) shapes = {{"Guarantee/40Nodes_20", 40, 20}};
    if (room) return bayplan::bench::measure_room_looks(small, runs) ? 0 : 1;
    if (large) shapes.push_back({"Guarantee/20000Nodes_1000", 20'000, 1'000});
    std::printf("%-28s %9s %9s %7s %10s %s\n", "load", "us/ask", "priority", "ratio", "in vain us", "digest");
    bool good = true;
    for (const Shape& shape : shapes) {
        good = bayplan::bench::measure(shape, runs, by_wall, small) && good;
    }
    good = bayplan::bench::measure_room_looks(small, runs) && good;
    return good ? 0 : 1;
}
