// See measure.h. One function per kind of load; what they share is the accounting of runs.
#include "measure/measure.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "measure/awkward_driver.h"
#include "measure/awkward_scan.h"
#include "measure/engine_driver.h"
#include "measure/kube_driver.h"
#include "measure/kube_scan.h"
#include "measure/live_memory.h"
#include "measure/preemption_scan.h"
#include "measure/preemption_shim.h"
#include "measure/scan_baseline.h"
#include "measure/scan_run.h"
#include "measure/scheduler.h"
#include "measure/stopwatch.h"
#include "measure/vector_scan.h"
#include "workload/preemption_workload.h"

namespace bayplan::measure {
namespace {

constexpr std::uint64_t kLanesOfBlock = 64;

// The bookkeeping that the runs of one workload share.
class Account {
public:
    Account(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell)
        : options_(options), tell_(tell) {
        result_.name = one.name;
        result_.nodes = one.nodes;
        result_.pods = one.pods;
    }

    void tell_run(int run) const { tell_(fmt::format("run {} of {}", run + 1, options_.runs)); }
    void tell(const std::string& text) const { tell_(text); }

    // `before`: when the measured asks were about to come.
    void add_run(const Cost& cost, const Engine& engine, const BatchSink& sink, const EngineCounters& before) {
        least_.keep_least(cost);
        const EngineCounters after = engine.counters();
        result_.batches_inline = after.batches_inline - before.batches_inline;
        result_.batches_graph = after.batches_graph - before.batches_graph;
        result_.batches_overlapped = after.batches_overlapped - before.batches_overlapped;
        result_.batches_cut = after.batches_cut - before.batches_cut;
        result_.placed = after.placed - before.placed;
        result_.failed = after.failed - before.failed;
        const std::uint64_t attempts = after.attempts - before.attempts;
        const std::uint64_t blocks = (after.nodes + kLanesOfBlock - 1) / kLanesOfBlock * attempts;
        if (blocks > 0) {
            const auto looked = static_cast<double>(after.blocks_rechecked - before.blocks_rechecked +
                                                    after.blocks_proposed - before.blocks_proposed);
            result_.cache_hit_rate = std::max(0.0, 1 - looked / static_cast<double>(blocks));
        }
        if (sink.rejections() + sink.cuts() > 0) result_.fault = "the engine did not take every item";
        const std::string digest = engine.digest();
        if (!result_.digest.empty() && result_.digest != digest) result_.fault = "two runs decided differently";
        result_.digest = digest;
    }

    void memory(std::int64_t bytes) { result_.memory_bytes = std::max<std::int64_t>(bytes, 0); }
    Measurement& result() { return result_; }

    Measurement finish(double decisions) {
        result_.per_s_wall = decisions / least_.wall;
        result_.per_s_cpu = decisions / least_.all_cpu;
        result_.cores = least_.all_cpu / least_.wall;
        return std::move(result_);
    }

private:
    const MeasureOptions& options_;
    const Tell& tell_;
    Measurement result_;
    Cost least_;
};

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// --- plain loads
template <typename Cluster>
ScanFigures scan(const workload::Workload& load) {
    const auto order = order_of(load);
    ScanRun<Cluster> run(load);
    std::vector<std::size_t> places;
    const Cost cost = cost_of([&] { places = run.place_all(order); });
    PlacementHash hash;
    double looks = 0;
    for (const std::size_t pod : order) {
        looks += load.pods[pod].node >= 0 ? 1.0 : static_cast<double>(load.nodes.size());
        if (places[pod] != Cluster::kNoNode) hash.add(load.pods[pod].name, load.nodes[places[pod]].name);
    }
    return {static_cast<double>(load.pods.size()) / cost.engine_cpu, cost.engine_cpu * 1e9 / looks, hex(hash.value())};
}

void compare(Account& account, const ScanFigures& figures) {
    account.result().scan = figures;
    if (figures.placements != account.result().placements) account.result().fault = "the plain scan placed differently";
}

void compare_vectors(Account& account, const ScanFigures& figures) {
    account.result().vector_scan = figures;
    if (figures.placements != account.result().placements)
        account.result().fault = "the scan with vectors placed differently";
}

Measurement measure_plain(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    Account account(one, options, tell);
    account.tell("making the load");
    const workload::Workload load = workload::make_workload(std::get<workload::NamedWorkload>(one.load));
    for (int run = 0; run < options.runs; ++run) {
        account.tell_run(run);
        const std::int64_t live = live_bytes();
        EngineDriver driver(load, options.engine());
        driver.register_cluster();
        const EngineCounters before = driver.engine().counters();
        const std::uint64_t first = driver.sink().last_decision() + 1;
        if (!driver.churns()) driver.ask_all();
        const Cost cost = cost_of([&] { driver.churns() ? driver.churn_all() : driver.decide_all(); });
        account.add_run(cost, driver.engine(), driver.sink(), before);
        account.result().placements = hex(driver.sink().placement_hash());
        account.result().nodes_used = driver.sink().nodes_used(first);
        driver.forget_decisions();
        account.memory(live_bytes() - live);
    }
    if (options.latency) {
        account.tell("message by message");
        EngineDriver driver(load, options.engine());
        driver.register_cluster();
        auto times = driver.ask_one_by_one();
        account.result().latency = latency_of(times);
    }
    if (options.scan) {
        account.tell("the plain scan");
        compare(account, scan<ScanBaseline>(load));
        account.tell("the scan with vectors");
        compare_vectors(account, scan<VectorScan>(load));
    }
    return account.finish(static_cast<double>(load.pods.size()));
}

// --- affinity and topology spread
ScanFigures scan(const workload::KubeLoad& load) {
    KubeScan run(load);
    bool placed = run.place_init();
    const Cost cost = cost_of([&] { placed = placed && run.place_measured(); });
    const double pods = load.measured_pods();
    return {pods / cost.engine_cpu, cost.engine_cpu * 1e9 / (pods * load.nodes),
            placed ? hex(run.hash().value()) : "pods left over"};
}

Measurement measure_kube(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    Account account(one, options, tell);
    const auto& load = std::get<workload::KubeLoad>(one.load);
    for (int run = 0; run < options.runs; ++run) {
        account.tell_run(run);
        const std::int64_t live = live_bytes();
        EngineScheduler scheduler(options.engine());
        KubeDriver driver(load, scheduler);
        driver.register_cluster();
        driver.place_init();
        const EngineCounters before = scheduler.engine().counters();
        const std::uint64_t first = scheduler.last_decision() + 1;
        driver.ask_measured();
        const Cost cost = cost_of([&] { driver.decide_all(); });
        account.add_run(cost, scheduler.engine(), scheduler.sink(), before);
        account.result().placements = hex(scheduler.sink().placement_hash());
        account.result().nodes_used = scheduler.sink().nodes_used(first);
        if (account.result().placed != load.measured_pods()) account.result().fault = "pods were left over";
        scheduler.forget_decisions();
        account.memory(live_bytes() - live);
    }
    if (options.latency) {
        account.tell("message by message");
        EngineScheduler scheduler(options.engine());
        KubeDriver driver(load, scheduler);
        driver.register_cluster();
        driver.place_init();
        auto times = driver.ask_one_by_one();
        account.result().latency = latency_of(times);
    }
    if (options.scan) {
        account.tell("the plain scan");
        compare(account, scan(load));
    }
    return account.finish(load.measured_pods());
}

// --- awkward clusters
ScanFigures scan(const workload::AwkwardLoad& load) {
    AwkwardScan run(load);
    bool placed = false;
    const Cost cost = cost_of([&] { placed = run.place_all(); });
    return {load.pods / cost.engine_cpu, cost.engine_cpu * 1e9 / run.looks(),
            placed ? hex(run.hash().value()) : "pods left over"};
}

Measurement measure_awkward(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    Account account(one, options, tell);
    const auto& load = std::get<workload::AwkwardLoad>(one.load);
    const EngineOptions engine = AwkwardDriver::with_limits(options.engine(), load);
    for (int run = 0; run < options.runs; ++run) {
        account.tell_run(run);
        const std::int64_t live = live_bytes();
        EngineScheduler scheduler(engine);
        AwkwardDriver driver(load, scheduler);
        driver.register_cluster();
        const EngineCounters before = scheduler.engine().counters();
        const std::uint64_t first = scheduler.last_decision() + 1;
        driver.ask_all();
        const Cost cost = cost_of([&] { driver.decide_all(); });
        account.add_run(cost, scheduler.engine(), scheduler.sink(), before);
        account.result().placements = hex(scheduler.sink().placement_hash());
        account.result().nodes_used = scheduler.sink().nodes_used(first);
        if (account.result().placed != load.pods) account.result().fault = "pods were left over";
        scheduler.forget_decisions();
        account.memory(live_bytes() - live);
    }
    if (options.latency) {
        account.tell("message by message");
        EngineScheduler scheduler(engine);
        AwkwardDriver driver(load, scheduler);
        driver.register_cluster();
        auto times = driver.ask_one_by_one();
        account.result().latency = latency_of(times);
    }
    if (options.scan) {
        account.tell("the plain scan");
        compare(account, scan(load));
    }
    return account.finish(load.pods);
}

// --- preemption: the decisions counted are nominations, without the first, which makes the index of pods

// Engine and shim of a full cluster, decisions acknowledged as they come.
struct PreemptionRun {
    PreemptionRun(const workload::PreemptionLoad& load, const EngineOptions& options)
        : scheduler(options), shim(load, scheduler) {
        take(0);
    }

    void take(std::uint64_t attempts) {
        scheduler.run(attempts);
        scheduler.settle();
        scheduler.apply(Acknowledge{1, scheduler.last_decision()});
    }

    EngineScheduler scheduler;
    PreemptionShim<EngineScheduler> shim;
};

ScanFigures scan(const workload::PreemptionLoad& load) {
    PreemptionScan run;
    PreemptionShim<PreemptionScan> shim(load, run);
    shim.ask(0, load.preemptors);
    bool found = false;
    const Cost cost = cost_of([&] { found = load.nobody_below ? run.refuse_all() : run.nominate_all(); });
    const double pods = load.preemptors;
    return {pods / cost.engine_cpu, cost.engine_cpu * 1e9 / (pods * load.nodes),
            found ? hex(run.nominations().value()) : "pods left over"};
}

// One attempt after the other: the ns that each took, decisions out and acknowledged.
std::vector<std::int64_t> times_of_preemptions(const workload::PreemptionLoad& load, const EngineOptions& options) {
    PreemptionRun run(load, options);
    run.shim.ask(0, load.preemptors);
    run.take(1);
    std::vector<std::int64_t> times;
    for (std::uint32_t i = 1; i < load.preemptors; ++i) {
        const double start = seconds_by(CLOCK_MONOTONIC);
        run.take(1);
        times.push_back(static_cast<std::int64_t>((seconds_by(CLOCK_MONOTONIC) - start) * 1e9));
    }
    return times;
}

// Nobody may go for any of the asks. Each has failed twice; then a change of one node wakes all, and each fails again: the
// attempts counted are these.
Measurement measure_refusals(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    Account account(one, options, tell);
    const auto& load = std::get<workload::PreemptionLoad>(one.load);
    const EngineOptions engine = options.engine();
    for (int run_number = 0; run_number < options.runs; ++run_number) {
        account.tell_run(run_number);
        const std::int64_t live = live_bytes();
        PreemptionRun run(load, engine);
        EngineScheduler& scheduler = run.scheduler;
        std::int64_t now_ns = 0;
        run.shim.ask(0, load.preemptors);
        run.take(load.preemptors);
        EngineCounters before;
        Cost cost;
        for (int time = 0; time < 2; ++time) {
            before = scheduler.engine().counters();
            cost = cost_of([&] {
                run.shim.change_a_node();
                scheduler.apply(Tick{now_ns += 2 * engine.backoff_max_ns});
                run.take(load.preemptors);
            });
        }
        account.add_run(cost, scheduler.engine(), scheduler.sink(), before);
        if (account.result().failed != load.preemptors || scheduler.sink().nominations() != 0) {
            account.result().fault = "not every ask failed once more";
        }
        account.result().placements = hex(scheduler.sink().nomination_hash());
        scheduler.forget_decisions();
        account.memory(live_bytes() - live);
    }
    account.result().cache_hit_rate.reset();
    if (options.scan) {
        account.tell("the plain scan");
        compare(account, scan(load));
    }
    return account.finish(load.preemptors);
}

Measurement measure_preemption(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    Account account(one, options, tell);
    const auto& load = std::get<workload::PreemptionLoad>(one.load);
    EngineOptions engine = options.engine();
    engine.backoff_early = false;
    for (int run_number = 0; run_number < options.runs; ++run_number) {
        account.tell_run(run_number);
        const std::int64_t live = live_bytes();
        PreemptionRun run(load, engine);
        EngineScheduler& scheduler = run.scheduler;
        const EngineCounters before = scheduler.engine().counters();
        run.shim.ask(0, load.preemptors);
        run.take(1);
        const Cost cost = cost_of([&] { run.take(load.preemptors - 1); });
        account.result().nominated = scheduler.sink().nominations();
        account.result().placements = hex(scheduler.sink().nomination_hash());
        run.shim.let_go(scheduler.sink().victims());
        scheduler.apply(Tick{engine.backoff_max_ns});
        run.take(load.preemptors);
        account.add_run(cost, scheduler.engine(), scheduler.sink(), before);
        account.result().nodes_used = scheduler.sink().nodes_used(1);
        if (account.result().nominated != load.preemptors || account.result().placed != load.preemptors) {
            account.result().fault = "preemptors were left over";
        }
        scheduler.forget_decisions();
        account.memory(live_bytes() - live);
    }
    account.result().cache_hit_rate.reset();  // it does not count nodes that victim searches look at
    if (options.latency) {
        account.tell("one by one");
        auto times = times_of_preemptions(load, engine);
        account.result().latency = latency_of(times);
    }
    if (options.scan) {
        account.tell("the plain scan");
        compare(account, scan(load));
    }
    return account.finish(load.preemptors - 1.0);
}

}  // namespace

EngineOptions MeasureOptions::engine() const {
    EngineOptions engine;
    engine.executor = executor;
    engine.path = path;
    engine.workers = workers;
    engine.teller = teller;
    return engine;
}

Measurement measure(const workload::BenchCase& one, const MeasureOptions& options, const Tell& tell) {
    if (std::holds_alternative<workload::NamedWorkload>(one.load)) return measure_plain(one, options, tell);
    if (std::holds_alternative<workload::KubeLoad>(one.load)) return measure_kube(one, options, tell);
    if (const auto* load = std::get_if<workload::PreemptionLoad>(&one.load)) {
        return load->nobody_below ? measure_refusals(one, options, tell) : measure_preemption(one, options, tell);
    }
    if (std::holds_alternative<workload::AwkwardLoad>(one.load)) return measure_awkward(one, options, tell);
    const std::string_view by_wire = std::get<workload::WireLoad>(one.load).workload;
    workload::BenchCase in_process = one;
    if (const auto* const named = workload::find_workload(by_wire)) {
        in_process.load = *named;
    } else {
        in_process.load = *workload::find_preemption(by_wire);
    }
    return measure(in_process, options, tell);
}

}  // namespace bayplan::measure
