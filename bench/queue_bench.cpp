// Cost of a tree of queues: decisions/s of asks in many queues and applications, beside the same applications in one leaf.
//
//   by CPU, by wall  decisions/s with all asks there, decisions told and acknowledged included; the least times of some runs
//   one leaf         the same of an engine without queues, by CPU
//   time             of a decision, over that of one leaf
//   intake us        of an ask, in messages of 256
//
// Then, of a file of 10,000 queues that is given again with other guarantees while half of the asks wait (ms): *read* is what
// reading and checking the text takes, on another thread than the engine's; *apply* the input, *look* the first attempt after
// it, *all* both.
//
// Every run of a load must have the same digest. With --small the naive oracle takes the same inputs, and its digest must be
// equal. Exit status 1 if one differs, or an ask has no node. Thread: main.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/forgetting_sink.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"
#include "queue_config/load.h"
#include "queue_shim.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;
using measure::ForgettingSink;

constexpr std::uint64_t kAttemptsPerTurn = 1'024;  // as the daemon's loop

EngineOptions options_for(Queues queues) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.queues = queues == Queues::tree;
    options.preemption.guarantee = false;  // nobody has a reason here, and half of the shapes would measure it
    return options;
}

// The engine as a daemon's loop turns it.
class EngineSide {
public:
    explicit EngineSide(Queues queues) : engine(options_for(queues), sink) {}

    void apply(const Input& input) { engine.apply(input); }
    void turn(std::uint64_t attempts_max) {
        engine.run(attempts_max);
        engine.flush();
        engine.settle();
        engine.apply(Acknowledge{1, sink.last});
    }
    void decide(std::uint64_t allocations_max = UINT64_MAX) {
        while (engine.has_work() && engine.counters().allocations < allocations_max) {
            turn(kAttemptsPerTurn);
        }
    }

    ForgettingSink sink;
    Engine engine;
};

struct Result {
    Cost intake;
    Cost decisions;
    std::string digest;
    bool good = true;
};

void run_once(const QueueLoad& load, Queues queues, Result& result) {
    EngineSide side(queues);
    QueueShim<EngineSide> shim(load, queues, side);
    side.turn(0);
    result.intake.keep_least(cost_of([&] { shim.ask_all(); }));
    result.decisions.keep_least(cost_of([&] { side.decide(); }));
    const std::string digest = side.engine.digest();
    result.good = result.good && side.engine.counters().allocations == load.all_asks() && side.sink.faults == 0 &&
                  (result.digest.empty() || result.digest == digest);
    result.digest = digest;
}

bool as_the_oracle(const QueueLoad& load, Queues queues, const std::string& digest) {
    OracleSide oracle(options_for(queues));
    QueueShim<OracleSide> shim(load, queues, oracle);
    const auto take = [&] { oracle.apply(Acknowledge{1, oracle.last_decision()}); };
    take();
    shim.ask_all();
    for (; oracle.has_work(); take()) {
        oracle.run(kAttemptsPerTurn);
    }
    return oracle.digest() == digest;
}

bool measure(const QueueLoad& load, int runs, bool beside_oracle) {
    Result tree;
    Result leaf;
    for (int run = 0; run < runs; ++run) {
        run_once(load, Queues::tree, tree);
        run_once(load, Queues::one_leaf, leaf);
    }
    bool good = tree.good && leaf.good;
    if (beside_oracle) {
        good = as_the_oracle(load, Queues::tree, tree.digest) && as_the_oracle(load, Queues::one_leaf, leaf.digest) &&
               good;
    }
    const double asks = load.all_asks();
    std::printf("%-52s %7.0fk %7.0fk %8.0fk %6.2f %8.2f %.12s%s\n", load.name.c_str(),
                asks / tree.decisions.all_cpu / 1e3, asks / tree.decisions.wall / 1e3,
                asks / leaf.decisions.all_cpu / 1e3, tree.decisions.all_cpu / leaf.decisions.all_cpu,
                1e6 * tree.intake.all_cpu / asks, tree.digest.c_str(),
                good ? "" : "  FAULT: an ask has no node, or digests differ");
    std::fflush(stdout);
    return good;
}

// --- a file that is given again

bool measure_reload(const QueueLoad& load, int runs) {
    Cost read;
    Cost apply;
    Cost look;
    bool good = true;
    for (int run = 0; run < runs; ++run) {
        EngineSide side(Queues::tree);
        QueueShim<EngineSide> shim(load, Queues::tree, side);
        shim.ask_all();
        side.decide(load.all_asks() / 2);
        const std::string text = queues_text(load, 1);
        std::string fault;
        QueuesText queues{.partition = "default", .text = text};
        read.keep_least(cost_of([&] { queues.read = queue_config::read_own_partition(text, "default", fault); }));
        good = good && queues.read != nullptr;
        apply.keep_least(cost_of([&] { side.apply(queues); }));
        look.keep_least(cost_of([&] { side.engine.run(1); }));
        good = good && side.engine.queues_fault().empty();
        side.decide();
        good = good && side.engine.counters().allocations == load.all_asks();
    }
    std::printf("%-52s %8.1f %8.1f %8.1f %8.1f%s\n", load.name.c_str(), 1e3 * read.engine_cpu, 1e3 * apply.engine_cpu,
                1e3 * look.engine_cpu, 1e3 * (apply.engine_cpu + look.engine_cpu),
                good ? "" : "  FAULT: it was refused, or an ask has no node");
    std::fflush(stdout);
    return good;
}

std::vector<QueueLoad> loads(bool small) {
    if (small) {
        return {
            {.name = "Tree/20Nodes_12Queues", .nodes = 20, .parents = 3, .leaves = 3, .applications = 3, .asks = 4},
            {.name = "Fair/20Nodes_20Queues",
             .nodes = 20,
             .leaves = 20,
             .applications = 3,
             .asks = 3,
             .users = 4,
             .fair = true,
             .limited = true},
            {.name = "BenchmarkScheduling/20Nodes_2Queues", .nodes = 20, .leaves = 2, .asks = 60, .bounded = false}};
    }
    return {{.name = "Tree/5000Nodes_10000Queues_100000Apps_1000000Asks",
             .nodes = 5'000,
             .parents = 100,
             .leaves = 100,
             .applications = 10,
             .asks = 10,
             .users = 100},
            {.name = "Fair/5000Nodes_1000Queues_1000Apps_100000Asks",
             .nodes = 5'000,
             .leaves = 1'000,
             .asks = 100,
             .users = 100,
             .fair = true,
             .limited = true},
            {.name = "Fair/5000Nodes_1000Queues_10000Apps_100000Asks",
             .nodes = 5'000,
             .leaves = 1'000,
             .applications = 10,
             .asks = 10,
             .users = 100,
             .fair = true,
             .limited = true},
            {.name = "BenchmarkScheduling/5000Nodes_2Queues_10000Asks",
             .nodes = 5'000,
             .leaves = 2,
             .asks = 5'000,
             .bounded = false}};
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("trees of queues, in process");
    bool small = false;
    int runs = 3;
    std::string only;
    app.add_flag("--small", small, "20 nodes, and the naive oracle beside the engine");
    app.add_option("--only", only, "the loads whose names begin so, and no file that is given again");
    app.add_option("--runs", runs, "runs of each; the least times count")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    const std::vector<bayplan::bench::QueueLoad> loads = bayplan::bench::loads(small);
    std::printf("%-52s %8s %8s %9s %6s %8s %s\n", "load", "by CPU", "by wall", "one leaf", "time", "intake us",
                "digest");
    bool good = true;
    for (const auto& load : loads) {
        good = (!load.name.starts_with(only) || bayplan::bench::measure(load, runs, small)) && good;
    }
    if (!only.empty()) {
        return good ? 0 : 1;
    }
    std::printf("\n%-52s %8s %8s %8s %8s\n", "queues given again, ms", "read", "apply", "look", "all");
    good = bayplan::bench::measure_reload(loads.front(), runs) && good;
    return good ? 0 : 1;
}
