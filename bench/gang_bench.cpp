// Pod groups that are placed whole, in one process: how long an attempt of a whole group takes, where it places the group, and
// where it fails at the last member and is undone.
//
//   us/attempt   of a group, mean over all groups
//   ns/member
//   failed ms    an attempt of one group more, of the same size, for which one place is missing; mean of ten
//
//   reserve ms   an attempt of one group more, each member of which wants a node for itself where pods of its priority run: nodes
//                are reserved for it; as many members as a group has, but no more than half of the nodes (placed at once where
//                nodes without pods are left)
//
// By CPU time of all threads (by wall with --wall), the least of some runs. Every run must have the same digest. With --small,
// the naive oracle takes the same inputs, and its digest must be equal. Exit status 1 if one differs, or a group is not whole.
// Thread: main.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/preemption_shim.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;
using measure::VictimSink;

struct Shape {
    std::string name;
    std::uint32_t nodes;
    std::uint32_t groups;
    std::uint32_t members;
    std::uint32_t classes = 1;  // of a group's members, taking turns
    std::uint32_t rack = 0;     // nodes in one; 0: the groups have no topology
};

constexpr std::uint32_t kFailures = 10;
constexpr std::int64_t kMinute_ns = 60'000'000'000;

// One shim that states nodes and asks for groups; `Side`: the engine or the oracle.
template <typename Side>
class GangShim {
public:
    GangShim(const Shape& shape, Side& side) : shape_(shape), side_(side) {
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        const ApplicationItem application{.application = kApplication, .queue = 0, .user = 0};
        send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
        state_nodes();
        send(ResyncEndMessage{});
    }

    void ask_groups() {
        for (std::uint32_t group = 0; group < shape_.groups; ++group) {
            ask(group, "member", shape_.members, 1'000);
        }
    }
    // A node for each, and pods on all of them.
    void ask_for_whole_nodes() { ask(shape_.groups, "large", whole_nodes(), kWhole - shape_.classes); }
    std::uint32_t whole_nodes() const {
        const std::uint32_t nodes = shape_.rack == 0 ? shape_.nodes : shape_.rack;
        return std::max(1u, std::min(shape_.members, nodes / 2));
    }
    // Nodes for all of its members but the last.
    void ask_one_too_many() {
        add_nodes(shape_.nodes, shape_.members - 1, kLate);
        ask(shape_.groups, "late", shape_.members, kLate);
    }

private:
    static constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kRack = 5, kFirstNode = 10;
    static constexpr std::int64_t kWhole = 32'000;
    static constexpr std::int64_t kLate = 50'000;  // of CPU: only nodes made for it have so much

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }
    DictId group_id(std::uint32_t group) const { return kFirstNode + shape_.nodes + shape_.members + group; }

    void define() {
        std::vector<std::string> names;
        const std::uint32_t nodes = shape_.nodes + shape_.members;
        for (std::uint32_t n = 0; n < nodes; ++n) {
            names.push_back("node-" + std::to_string(n));
        }
        for (std::uint32_t group = 0; group <= shape_.groups; ++group) {
            names.push_back("group-" + std::to_string(group));
        }
        std::vector<DictEntry> entries = {
            {kApplication, "app"}, {kCpu, "cpu"}, {kMemory, "memory"}, {kPods, "pods"}, {kRack, "rack"}};
        for (std::uint32_t n = 0; n < nodes; ++n) {
            entries.push_back({kFirstNode + n, names[n]});
        }
        for (std::uint32_t group = 0; group <= shape_.groups; ++group) {
            entries.push_back({group_id(group), names[nodes + group]});
        }
        send(DefineMessage{entries});
    }

    void add_nodes(std::uint32_t first, std::uint32_t count, std::int64_t cpu) {
        const std::vector<Amount> capacity = {{kCpu, cpu}, {kMemory, std::int64_t{32} << 30}, {kPods, 110}};
        std::vector<NodeItem> records;
        std::vector<Attribute> racks;
        for (std::uint32_t n = first; n < first + count; ++n) {
            racks.push_back({kRack, kFirstNode + n / std::max(1u, shape_.rack)});  // named as its first node
        }
        for (std::uint32_t n = first; n < first + count; ++n) {
            const std::span<const Attribute> labels(&racks[n - first], shape_.rack == 0 ? 0 : 1);
            records.push_back({.node = kFirstNode + n, .capacity = capacity, .attributes = labels});
        }
        send(NodesMessage{records});
    }
    void state_nodes() { add_nodes(0, shape_.nodes, kWhole); }

    void ask(std::uint32_t group, const char* kind, std::uint32_t members, std::int64_t cpu) {
        std::vector<std::string> keys;
        std::vector<std::vector<Amount>> amounts;
        for (std::uint32_t m = 0; m < members; ++m) {
            keys.push_back(std::string(kind) + "-" + std::to_string(group) + "-" + std::to_string(m));
            amounts.push_back({{kCpu, cpu - m % shape_.classes}, {kMemory, std::int64_t{1} << 28}, {kPods, 1}});
        }
        std::vector<AskItem> records;
        for (std::uint32_t m = 0; m < members; ++m) {
            AskItem& record = records.emplace_back();
            record.key = keys[m];
            record.application = kApplication;
            record.group = group_id(group);
            record.group_min_available = members;
            record.group_topology_key = shape_.rack == 0 ? 0 : kRack;
            record.requests = amounts[m];
            record.never_preempts = true;
        }
        send(AsksMessage{records});
    }

    const Shape& shape_;
    Side& side_;
    std::uint64_t sequence_ = 0;
};

EngineOptions options_for() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.backoff_early = false;
    options.coscheduling.reserve_after_ns = 0;
    return options;
}

EngineOptions options_with_reservations() {
    EngineOptions options = options_for();
    options.coscheduling.reserve_after_ns = kMinute_ns;
    return options;
}

struct Result {
    Cost place, fail, reserve;
    std::uint64_t placed = 0;
    std::string digest;
    std::string reserved_digest;
    bool reserved = true;  // or placed: the whole group, each time
};

// All groups, then another that fails, again and again after its wait.
template <typename Side, typename Take, typename Time>
void play(const Shape& shape, Side& side, Take&& take, Time&& time) {
    GangShim<Side> shim(shape, side);
    const auto run = [&] {
        for (; side.has_work(); take()) side.run(4'096);
    };
    take();
    shim.ask_groups();
    time(0, run);
    shim.ask_one_too_many();
    run();
    for (std::uint32_t again = 1; again <= kFailures; ++again) {
        side.apply(HoldPlace{.owner = 1, .node = "node-0", .kept_from_below = 0, .amounts = {}});
        side.apply(HoldDrop{.owner = 1});  // wakes it
        side.apply(Tick{again * kMinute_ns});
        time(1, run);
    }
}

// All groups, and then a group that wants whole nodes and has waited for a minute. Gives how many nodes it wants.
template <typename Side, typename Take, typename Time>
std::uint32_t play_reserving(const Shape& shape, Side& side, Take&& take, Time&& time) {
    GangShim<Side> shim(shape, side);
    const auto run = [&] {
        for (; side.has_work(); take()) side.run(4'096);
    };
    take();
    shim.ask_groups();
    run();
    shim.ask_for_whole_nodes();
    run();
    side.apply(HoldPlace{.owner = 1, .node = "node-0", .kept_from_below = 0, .amounts = {}});
    side.apply(HoldDrop{.owner = 1});  // wakes it
    side.apply(Tick{kMinute_ns});
    time(run);
    return shim.whole_nodes();
}

void run_reserving(const Shape& shape, Result& result) {
    VictimSink sink;
    const EngineOptions options = options_with_reservations();
    Engine engine(options, sink);
    const std::uint32_t wanted = play_reserving(
        shape, engine,
        [&] {
            engine.flush();
            engine.settle();
            engine.apply(Acknowledge{1, sink.last});
        },
        [&](auto&& work) { result.reserve.keep_least(cost_of(work)); });
    const bool at_once = engine.counters().placed == std::uint64_t{shape.groups} * shape.members + wanted;
    result.reserved = result.reserved && (at_once || sink.nominations == wanted);
    result.reserved_digest = engine.digest();
}

void run_once(const Shape& shape, Result& result) {
    VictimSink sink;
    const EngineOptions options = options_for();
    Engine engine(options, sink);
    Cost place{0, 0, 0};
    Cost fail{0, 0, 0};
    play(
        shape, engine,
        [&] {
            engine.flush();
            engine.settle();
            engine.apply(Acknowledge{1, sink.last});
        },
        [&](int step, auto&& work) {
            const Cost cost = cost_of(work);
            Cost& sum = step == 0 ? place : fail;
            sum.wall += cost.wall;
            sum.all_cpu += cost.all_cpu;
        });
    result.place.keep_least(place);
    result.fail.keep_least(fail);
    result.placed = engine.counters().placed;
    result.digest = engine.digest();
}

std::string oracle_digest(const Shape& shape) {
    const EngineOptions options = options_for();
    OracleSide oracle(options);
    play(
        shape, oracle,
        [&] {
            oracle.apply(Acknowledge{1, oracle.last_decision()});
        },
        [](int, auto&& work) { work(); });
    return oracle.digest();
}

std::string oracle_digest_reserving(const Shape& shape) {
    const EngineOptions options = options_with_reservations();
    OracleSide oracle(options);
    play_reserving(
        shape, oracle,
        [&] {
            oracle.apply(Acknowledge{1, oracle.last_decision()});
        },
        [](auto&& work) { work(); });
    return oracle.digest();
}

bool measure(const Shape& shape, int runs, bool by_wall, bool beside_oracle) {
    Result result;
    std::string digest;
    bool good = true;
    for (int run = 0; run < runs; ++run) {
        run_once(shape, result);
        good = good && (digest.empty() || digest == result.digest);
        digest = result.digest;
        const std::string before = result.reserved_digest;
        run_reserving(shape, result);
        good = good && result.reserved && (before.empty() || before == result.reserved_digest);
    }
    good = good && result.placed == std::uint64_t{shape.groups} * shape.members;
    if (beside_oracle) {
        good = good && oracle_digest(shape) == digest && oracle_digest_reserving(shape) == result.reserved_digest;
    }
    const auto seconds = [&](const Cost& cost) { return by_wall ? cost.wall : cost.all_cpu; };
    std::printf("%-35s %11.2f %9.0f %10.3f %10.3f %.12s%s\n", shape.name.c_str(),
                1e6 * seconds(result.place) / shape.groups, 1e9 * seconds(result.place) / shape.groups / shape.members,
                1e3 * seconds(result.fail) / kFailures, 1e3 * seconds(result.reserve), digest.c_str(),
                good ? "" : "  FAULT: a group is not whole, or digests differ");
    std::fflush(stdout);
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("attempts of pod groups that are placed whole, in process");
    bool small = false, large = false, by_wall = false;
    int runs = 3;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "100,000 nodes too");
    app.add_flag("--wall", by_wall, "figures by wall time");
    app.add_option("--runs", runs, "runs of each; the least times count")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    using bayplan::bench::Shape;
    std::vector<Shape> shapes = {{"Gangs/5000Nodes_1000x3", 5'000, 1'000, 3},
                                 {"Gangs/5000Nodes_2000x3", 5'000, 2'000, 3},
                                 {"Gangs/5000Nodes_3000x3", 5'000, 3'000, 3},
                                 {"Gangs/5000Nodes_100x100", 5'000, 100, 100},
                                 {"Gangs/5000Nodes_100x100_mixed", 5'000, 100, 100, 2},
                                 {"Gangs/5000Nodes_10x1000", 5'000, 10, 1'000},
                                 {"Gangs/5000Nodes_10x1000_mixed", 5'000, 10, 1'000, 2},
                                 {"Gangs/5000Nodes_1x10000", 5'000, 1, 10'000},
                                 {"Gangs/5000Nodes_3000x3_racks", 5'000, 3'000, 3, 1, 40},
                                 {"Gangs/5000Nodes_10x1000_racks", 5'000, 10, 1'000, 1, 40},
                                 {"Gangs/5000Nodes_10x1000_mixed_racks", 5'000, 10, 1'000, 2, 40}};
    if (small)
        shapes = {{"Gangs/40Nodes_10x3", 40, 10, 3},
                  {"Gangs/40Nodes_2x20_mixed", 40, 2, 20, 2},
                  {"Gangs/40Nodes_10x3_racks", 40, 10, 3, 1, 8},
                  {"Gangs/40Nodes_2x20_mixed_racks", 40, 2, 20, 2, 8}};
    if (large) {
        shapes.push_back({"Gangs/100000Nodes_3000x3", 100'000, 3'000, 3});
        shapes.push_back({"Gangs/100000Nodes_10x1000", 100'000, 10, 1'000});
        shapes.push_back({"Gangs/100000Nodes_3000x3_racks", 100'000, 3'000, 3, 1, 40});
    }
    std::printf("%-35s %11s %9s %10s %10s %s\n", "load", "us/attempt", "ns/member", "failed ms", "reserve ms",
                "digest");
    bool good = true;
    for (const Shape& shape : shapes) {
        good = bayplan::bench::measure(shape, runs, by_wall, small) && good;
    }
    return good ? 0 : 1;
}
