// Cost of the read model: to the engine while it decides, in memory, and to readers who walk over all of it.
//
//   bench/read_model_bench                                        SchedulingBasic, then 100,000 nodes with 1,000,000 pods
//   bench/read_model_bench --nodes 200 --pods 4000 --load SchedulingBasic/500Nodes_1000Pods --runs 1
//
// Decisions are made by turns without a model, with it, and with events that follow from it; its thread runs beside;
// engine ns: CPU of the engine's thread, the least of all runs; of the model's thread likewise, with its work before the
// decisions. The digests must be equal.
//
// Thread: main (the engine's); the model's own.
#include <pthread.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "answers/page.h"
#include "events/event_source.h"
#include "measure/engine_driver.h"
#include "measure/live_memory.h"
#include "measure/stopwatch.h"
#include "read_model/read_model.h"
#include "rest/state_dump.h"
#include "workload/named_workloads.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::EngineDriver;
using read_model::ReadModel;
using read_model::VersionPtr;

struct Options {
    std::string load = "SchedulingBasic/5000Nodes_50000Pods";
    int runs = 7;
    std::uint32_t nodes = 100'000;
    std::uint32_t pods = 1'000'000;
    std::uint32_t ring_kib = 1'024;
};

constexpr std::chrono::seconds kPatience{60};

EngineOptions engine_options() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.path = BatchPath::inline_;
    return options;
}

// --- while the engine decides

enum class Beside { nothing, model, events };

struct Decided {
    Cost cost;
    double model_cpu = 0;  // of its thread
    std::uint64_t events = 0;
    std::string digest;
    std::uint64_t losses = 0;
};

Decided decide(const workload::Workload& load, const Options& options, Beside beside) {
    read_model::ChangeFeed feed(std::size_t{options.ring_kib} << 10);
    EngineDriver driver(load, engine_options());
    events::EventStore store;
    events::EventSource source(store, {.partition = "default", .zero_tick_ns = 0, .node_occupied = true});
    std::unique_ptr<ReadModel> model;
    std::atomic<clockid_t> clock{CLOCK_MONOTONIC};
    if (beside != Beside::nothing) {
        driver.publish_to(feed);
        const auto begin = [&clock] {
            clockid_t own{};
            pthread_getcpuclockid(pthread_self(), &own);
            clock = own;
        };
        model = std::make_unique<ReadModel>(feed, begin, beside == Beside::events ? &source : nullptr);
    }
    driver.register_cluster();
    driver.ask_all();
    Decided decided;
    decided.cost = measure::cost_of([&] { driver.decide_all(); });
    decided.digest = driver.engine().digest();
    if (model != nullptr) {
        model->fresh(kPatience);
        decided.model_cpu = measure::seconds_by(clock);
    }
    decided.events = store.counters().created;
    decided.losses = feed.losses();
    return decided;
}

bool compare(const Options& options) {
    const workload::NamedWorkload* const named = workload::find_workload(options.load);
    if (named == nullptr) {
        std::printf("no load is called %s\n", options.load.c_str());
        return false;
    }
    const workload::Workload load = workload::make_workload(*named);
    Cost without;
    Cost with;
    Cost telling;
    double model_cpu = 1e9;
    double events_cpu = 1e9;
    std::uint64_t events = 0;
    std::uint64_t losses = 0;
    bool equal = true;
    for (int run = 0; run < options.runs; ++run) {
        const Decided plain = decide(load, options, Beside::nothing);
        const Decided told = decide(load, options, Beside::model);
        const Decided heard = decide(load, options, Beside::events);
        without.keep_least(plain.cost);
        with.keep_least(told.cost);
        telling.keep_least(heard.cost);
        model_cpu = std::min(model_cpu, told.model_cpu);
        events_cpu = std::min(events_cpu, heard.model_cpu);
        events = heard.events;
        losses += told.losses + heard.losses;
        equal = equal && plain.digest == told.digest && plain.digest == heard.digest;
    }
    const auto pods = static_cast<double>(load.pods.size());
    std::printf(
        "%s, ns of the engine per decision: %.1f without, %.1f with a model (%+.1f %%), %.1f with events too (%+.1f "
        "%%); "
        "rings that were full: %" PRIu64 "; digests %s\n",
        options.load.c_str(), without.engine_cpu * 1e9 / pods, with.engine_cpu * 1e9 / pods,
        (with.engine_cpu / without.engine_cpu - 1) * 100, telling.engine_cpu * 1e9 / pods,
        (telling.engine_cpu / without.engine_cpu - 1) * 100, losses, equal ? "equal" : "DIFFER");
    std::printf("ns of the model's thread per pod, from ask to node: %.0f, %.0f with %.1f events\n",
                model_cpu * 1e9 / pods, events_cpu * 1e9 / pods, static_cast<double>(events) / pods);
    return equal;
}

// --- a large cluster

workload::Workload full_cluster(const Options& options) {
    workload::Workload load;
    load.node_shapes = {{"large", {{"cpu", 64'000}, {"memory", std::int64_t{512} << 30}, {"pods", 250}}}};
    for (std::int64_t shape = 0; shape < 100; ++shape) {
        load.pod_shapes.push_back({{"cpu", 100 + shape}, {"memory", std::int64_t{200 + shape} << 20}, {"pods", 1}});
    }
    for (std::uint32_t node = 0; node < options.nodes; ++node) {
        load.nodes.push_back({fmt::format("node-{:07}", node), 0});
    }
    for (std::uint32_t pod = 0; pod < options.pods; ++pod) {
        load.running.push_back({fmt::format("team-{}/service-{}-5d4f8c7b9d-{:05x}", pod / 5'000, pod / 50 % 100,
                                            pod * 7919u % 0xfffff + pod / 0xfffff),
                                pod % 100, pod % options.nodes});
    }
    return load;
}

template <typename Work>
double milliseconds(Work&& work) {
    const double start = measure::seconds_by(CLOCK_MONOTONIC);
    work();
    return (measure::seconds_by(CLOCK_MONOTONIC) - start) * 1e3;
}

void walk(const char* name, answers::AnswerPtr answer) {
    std::size_t bytes = 0;
    std::size_t largest = 0;
    const double ms = milliseconds([&] {
        for (std::string piece = answer->next(); !piece.empty(); piece = answer->next()) {
            bytes += piece.size();
            largest = std::max(largest, piece.size());
        }
    });
    std::printf("walk %-14s %8.1f ms, %7.1f MB of text, largest piece %zu KiB\n", name, ms,
                static_cast<double>(bytes) / 1e6, largest >> 10);
}

// The full state dump as the server makes it, piece by piece; memory that it takes beyond the read model, at its most.
void walk_dump(const VersionPtr& version) {
    const rest::ConfigBoard config(rest::show_config("partitions: []\n", {}));
    const rest::ShownPartitions partitions{{{}, [&] { return version; }}};
    const std::vector<http::Route> routes = rest::state_dump_routes(config, partitions, nullptr, nullptr);
    const std::int64_t before = measure::live_bytes();
    std::int64_t most = 0;
    std::size_t bytes = 0;
    const double ms = milliseconds([&] {
        http::Response response = routes.front().handler({});
        std::string piece = std::move(response.body);
        auto state = http::ChunkSource::State::more;
        while (response.source != nullptr && state != http::ChunkSource::State::end) {
            bytes += piece.size();
            piece.clear();
            state = response.source->next(piece);
            most = std::max(most, measure::live_bytes() - before);
        }
        bytes += piece.size();
    });
    std::printf("full dump %15.1f ms, %7.1f MB of text, %.1f MB of memory beyond the read model\n", ms,
                static_cast<double>(bytes) / 1e6, static_cast<double>(most) / 1e6);
}

bool fill(const Options& options) {
    const workload::Workload load = full_cluster(options);
    EngineDriver driver(load, engine_options());
    driver.register_cluster();
    driver.forget_decisions();
    read_model::ChangeFeed feed(std::size_t{options.ring_kib} << 10);
    ReadModel model(feed);
    const std::int64_t before = measure::live_bytes();
    VersionPtr version;
    const double snapshot_ms = milliseconds([&] {
        driver.publish_to(feed);
        while (driver.publish()) {
        }
        version = model.fresh(kPatience);
    });
    const std::int64_t held = measure::live_bytes() - before;
    if (version == nullptr || version->pod_count != options.pods || version->node_count != options.nodes) {
        std::printf("the model has not all pods and nodes\n");
        return false;
    }
    std::printf("%u nodes, %u pods: snapshot and first version %.0f ms; the model holds %.0f MB, %.0f bytes a pod\n",
                version->node_count, version->pod_count, snapshot_ms, static_cast<double>(held) / 1e6,
                static_cast<double>(held) / options.pods);
    const double derived_ms = milliseconds([&] { version->nodes_by_name(); });
    std::printf("groups and sums of a version, once: %.0f ms; then it holds %.0f MB in all\n", derived_ms,
                static_cast<double>(measure::live_bytes() - before) / 1e6);
    const std::string middle =
        fmt::format("{}", version->nodes.find(version->nodes_by_name()[options.nodes / 2])->facts->name);
    walk("100 nodes", answers::nodes(version, {}, {.after = middle, .limit = 100}));
    walk("1000 nodes", answers::nodes(version, {}, {.after = middle, .limit = 1'000}));
    walk("nodes", answers::nodes(version, {}));
    walk("applications", answers::applications(version, {}, ""));
    walk("queues", answers::queues(version, {}));
    walk_dump(version);
    return true;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("cost of the read model");
    bayplan::bench::Options options;
    app.add_option("--load", options.load, "whose decisions are measured")->capture_default_str();
    app.add_option("--runs", options.runs, "of each kind")->capture_default_str();
    app.add_option("--nodes", options.nodes, "of the large cluster")->capture_default_str();
    app.add_option("--pods", options.pods, "that run there")->capture_default_str();
    app.add_option("--ring", options.ring_kib, "of the feed, KiB")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return bayplan::bench::compare(options) && bayplan::bench::fill(options) ? 0 : 1;
}
