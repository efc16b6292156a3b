// Every workload of `bayplan bench` at reduced size, decided by the naive oracle and by the engine in many ways: the
// digests of all decisions must be equal. Prints a line per workload, NAME DIGEST, so that builds of different
// compilers can be compared as well. Exit status 1 if any two differ.
// Thread: main, and the threads of the engine under test.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "lanes/lane_kernels.h"
#include "measure/awkward_driver.h"
#include "measure/engine_driver.h"
#include "measure/kube_driver.h"
#include "measure/preemption_shim.h"
#include "oracle_side.h"
#include "workload/bench_catalogue.h"

namespace bayplan::bench {
namespace {

using namespace measure;
using workload::AwkwardLoad;
using workload::KubeLoad;
using workload::NamedWorkload;
using workload::PreemptionLoad;

// Settings that must not decide; each value of each of them, and unlike neighbours.
struct Way {
    const char* name;
    ExecutorKind executor;
    BatchPath path;
    std::uint32_t workers;
    std::uint32_t shards;
    std::uint32_t batch;
    std::uint32_t depth;
    SimdLevel simd;
};
// Where a CPU does not have a way's level, the next one down decides in its place, and main() says so.
constexpr Way kWays[] = {
    {"inline", ExecutorKind::inline_, BatchPath::inline_, 1, 4, 64, 2, SimdLevel::automatic},
    {"inline, one by one, scalar", ExecutorKind::inline_, BatchPath::inline_, 1, 1, 1, 1, SimdLevel::scalar},
    {"inline, proposals, AVX2", ExecutorKind::inline_, BatchPath::graph, 1, 3, 16, 3, SimdLevel::avx2},
    {"threads, scalar", ExecutorKind::threads, BatchPath::graph, 2, 5, 7, 4, SimdLevel::scalar},
    {"threads, AVX-512", ExecutorKind::threads, BatchPath::automatic, 1, 2, 256, 2, SimdLevel::avx512},
    {"tbb, two workers", ExecutorKind::tbb, BatchPath::graph, 2, 4, 64, 2, SimdLevel::automatic},
    {"tbb, AVX2", ExecutorKind::tbb, BatchPath::automatic, 1, 7, 1'024, 1, SimdLevel::avx2},
};

EngineOptions options_of(const Way& way) {
    EngineOptions options;
    options.executor = way.executor;
    options.path = way.path;
    options.workers = way.workers;
    options.shards = way.shards;
    options.batch = way.batch;
    options.depth = way.depth;
    options.simd = way.simd;
    options.victim_workers = way.executor == ExecutorKind::inline_ ? 0 : 1;
    return options;
}

// --- reduced, to more blocks than one where the nodes are what it is about

constexpr std::uint32_t kNodes = 150;
constexpr std::uint32_t kPods = 400;

std::uint32_t reduced(std::uint32_t value, std::uint32_t most) { return std::min(value, most); }

NamedWorkload reduced(NamedWorkload load) {
    const bool more_pods_than_room = load.pods > 40 * load.nodes;  // then it must stay so
    load.classes = load.classes == load.pods ? kPods : reduced(load.classes, kPods / 4);
    load.nodes = reduced(load.nodes, more_pods_than_room ? 10 : kNodes);
    load.pods = load.extras.churn_stay > 0 ? 3 * 1'024 : kPods;
    load.extras.churn_stay = reduced(load.extras.churn_stay, 1);
    return load;
}

KubeLoad reduced(KubeLoad load) {
    load.nodes = reduced(load.nodes, kNodes / 2);
    for (auto* stages : {&load.init, &load.measured}) {
        for (workload::PodStage& stage : *stages) {
            stage.pods = std::max(1u, stage.pods / 20);
        }
    }
    return load;
}

// --- one run: the engine's digest, and the oracle's if it is wanted

std::string run(const NamedWorkload& load, const EngineOptions& options, OracleSide* oracle) {
    const workload::Workload made = make_workload(load);
    EngineDriver driver(made, options, oracle);
    driver.register_cluster();
    if (driver.churns()) {
        driver.churn_all();
    } else {
        driver.stream_all();
    }
    return driver.engine().digest();
}

void drive(const KubeLoad& load, Scheduler& side) {
    KubeDriver driver(load, side);
    driver.register_cluster();
    driver.place_init();
    driver.ask_measured();
    driver.decide_all();
}

std::string run(const KubeLoad& load, const EngineOptions& options, OracleSide* oracle) {
    EngineScheduler engine(options);
    drive(load, engine);
    if (oracle != nullptr) {
        drive(load, *oracle);
    }
    return engine.engine().digest();
}

void drive(const AwkwardLoad& load, Scheduler& side) {
    AwkwardDriver driver(load, side);
    driver.register_cluster();
    driver.ask_all();
    driver.decide_all();
}

std::string run(const AwkwardLoad& load, const EngineOptions& options, OracleSide* oracle) {
    EngineScheduler engine(options);
    drive(load, engine);
    if (oracle != nullptr) {
        drive(load, *oracle);
    }
    return engine.engine().digest();
}

std::string run(const PreemptionLoad& load, const EngineOptions& options, OracleSide* oracle) {
    EngineScheduler engine(options);
    PreemptionShim<Scheduler> shim(load, engine);
    shim.ask(0, load.preemptors);
    engine.run(load.preemptors);
    engine.settle();
    shim.let_go(engine.sink().victims());
    engine.apply(Tick{options.backoff_max_ns});
    engine.run(load.preemptors);
    if (oracle != nullptr) {
        PreemptionShim<Scheduler> other(load, *oracle);
        other.ask(0, load.preemptors);
        oracle->run(load.preemptors);
        other.let_go(engine.sink().victims());
        oracle->apply(Tick{options.backoff_max_ns});
        oracle->run(load.preemptors);
    }
    return engine.engine().digest();
}

template <typename Load>
bool compare(const std::string& name, const Load& load) {
    EngineOptions deciding;
    deciding.backoff_early = !std::is_same_v<Load, PreemptionLoad>;
    OracleSide oracle(deciding);
    std::string expected;
    bool equal = true;
    for (const Way& way : kWays) {
        EngineOptions options = options_of(way);
        options.backoff_early = deciding.backoff_early;
        const std::string digest = run(load, options, expected.empty() ? &oracle : nullptr);
        expected = expected.empty() ? oracle.digest() : expected;
        if (digest != expected) {
            equal = false;
            std::printf("%s FAULT: %s decided %s, the oracle %s\n", name.c_str(), way.name, digest.c_str(),
                        expected.c_str());
        }
    }
    std::printf("%s %s\n", name.c_str(), expected.c_str());
    std::fflush(stdout);
    return equal;
}

// Sizes aside: of cases that are equal once they are reduced the first will do.
std::string shape_of(const workload::BenchCase& one) {
    if (const auto* const load = std::get_if<NamedWorkload>(&one.load)) {
        const NamedWorkload small = reduced(*load);
        std::string shape(load->name.substr(0, load->name.find('/')));
        for (const std::uint32_t part : {small.nodes, small.classes, small.extras.machines, small.extras.priorities,
                                         small.extras.filled, small.extras.churn_stay}) {
            shape += "/" + std::to_string(part);
        }
        return shape;
    }
    if (std::holds_alternative<AwkwardLoad>(one.load)) {
        return one.name.substr(0, one.name.find('_'));
    }
    return one.name.substr(0, one.name.find('/')) + (one.name.find("1zone") == std::string::npos ? "" : "/1zone");
}

bool compare_case(const workload::BenchCase& one) {
    const std::string name = shape_of(one);
    if (const auto* const load = std::get_if<NamedWorkload>(&one.load)) {
        return compare(name, reduced(*load));
    }
    if (const auto* const load = std::get_if<KubeLoad>(&one.load)) {
        return compare(name, reduced(*load));
    }
    if (const auto* const load = std::get_if<AwkwardLoad>(&one.load)) {
        return compare(name, *load);  // of each shape the least comes first: 200 nodes
    }
    if (const auto* const load = std::get_if<PreemptionLoad>(&one.load)) {
        PreemptionLoad small = *load;
        small.nodes = 20;
        small.preemptors = 40;
        return compare(name, small);
    }
    return true;  // of two processes: bench/wire_to_wire
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app(
        "every workload of the bench suite at reduced size: the naive oracle's digest, and the engine's in many ways");
    std::string only;
    app.add_option("--only", only, "only workloads whose name has this in it");
    CLI11_PARSE(app, argc, argv);
    std::set<std::string> done;
    bool equal = true;
    for (const auto& one : bayplan::workload::bench_catalogue()) {
        if (one.name.find(only) != std::string::npos && done.insert(bayplan::bench::shape_of(one)).second) {
            equal = bayplan::bench::compare_case(one) && equal;
        }
    }
    for (const bayplan::SimdLevel level : {bayplan::SimdLevel::avx2, bayplan::SimdLevel::avx512}) {
        if (bayplan::lane_kernels(level).level != level) {
            const char* const name = level == bayplan::SimdLevel::avx2 ? "AVX2" : "AVX-512";
            std::fprintf(stderr, "not tried, for this CPU has it not: %s\n", name);
        }
    }
    return equal && !done.empty() ? 0 : 1;
}
