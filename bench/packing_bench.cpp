// How full do devices get? The published recipe of the openb trace: the GPU nodes, pods of the default list drawn
// with replacement until they ask for 130 % of all GPUs, in random order, and nobody leaves; ten seeds. Measured is the
// share of all devices that is allocated when the pods that have arrived ask for 80 % ... 130 % of them.
//
//   Random, BestFit    simple schedulers of this harness (packing_books.h), with the same books
//   least_allocated    the engine with Kubernetes' defaults
//   most_allocated     the same, filling nodes up by cpu and memory
//   ours               most_allocated with the score DevicePacking at weight 10, all other scores on as ever
//
// Every placement of the engine is booked device by device as it was told, and must fit. With --small the naive
// oracle takes the same inputs on a made-up cluster, and must decide the same. Exit status 1 if anything differs.
// Thread: main.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/packing_books.h"
#include "bench/packing_shim.h"
#include "engine/engine.h"
#include "oracle.h"
#include "workload/openb.h"

namespace bayplan::bench {
namespace {

constexpr std::array kMarks = {80, 90, 100, 110, 120, 130};  // percent asked for
using Curve = std::array<double, kMarks.size()>;             // percent allocated by then

using Arrivals = std::vector<std::uint32_t>;  // indices of pods of the trace

const PackedPod& pod_at(const std::vector<PackedPod>& shapes, const workload::Workload& load, std::uint32_t pod) {
    return shapes[load.pods[pod].shape];
}

// Allocated shares from who got a place.
class CurveMaker {
public:
    explicit CurveMaker(std::int64_t capacity) : capacity_(static_cast<double>(capacity)) {}

    void arrive(std::int64_t devices, bool placed) {
        asked_ += static_cast<double>(devices);
        allocated_ += placed ? static_cast<double>(devices) : 0;
        while (next_ < kMarks.size() && asked_ >= capacity_ * kMarks[next_] / 100) {
            curve_[next_++] = 100 * allocated_ / capacity_;
        }
    }
    const Curve& curve() const { return curve_; }

private:
    double capacity_;
    double asked_ = 0;
    double allocated_ = 0;
    std::size_t next_ = 0;
    Curve curve_{};
};

std::vector<PackedPod> shapes_of(const workload::Workload& load) {
    std::vector<PackedPod> shapes;
    for (const workload::Amounts& amounts : load.pod_shapes) {
        shapes.push_back(packed_pod(amounts));
    }
    return shapes;
}

// With replacement until they ask for 130 %, then shuffled.
Arrivals draw(const workload::Workload& load, std::int64_t capacity, std::uint64_t seed) {
    const std::vector<PackedPod> shapes = shapes_of(load);
    Dice dice(seed);
    Arrivals arrivals;
    for (std::int64_t asked = 0; asked * 100 < capacity * kMarks.back();) {
        arrivals.push_back(static_cast<std::uint32_t>(dice.below(load.pods.size())));
        asked += pod_at(shapes, load, arrivals.back()).devices;
    }
    for (std::size_t at = arrivals.size(); at > 1; --at) {
        std::swap(arrivals[at - 1], arrivals[dice.below(at)]);
    }
    return arrivals;
}

// Books every placement as it comes.
class BookingSink final : public DecisionSink {
public:
    BookingSink(const workload::Workload& load, const Arrivals& arrivals)
        : load_(load), arrivals_(arrivals), shapes_(shapes_of(load)), books_(load), placed_(arrivals.size()) {}

    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            if (decision.kind == DecisionKind::allocated) {
                const std::size_t at = std::stoul(std::string(decision.name));
                placed_[at] = true;
                faults += books_.place_as_told(decision.node, pod_at(shapes_, load_, arrivals_[at]), decision.devices)
                              ? 0
                              : 1;
            }
            rejections += decision.kind == DecisionKind::node_rejected || decision.kind == DecisionKind::ask_rejected;
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view) override {}

    Curve curve() const {
        CurveMaker maker(books_.devices_capacity());
        for (std::size_t at = 0; at < arrivals_.size(); ++at) {
            maker.arrive(pod_at(shapes_, load_, arrivals_[at]).devices, placed_[at]);
        }
        return maker.curve();
    }

    std::uint64_t last = 0;
    std::uint64_t faults = 0;
    std::uint64_t rejections = 0;

private:
    const workload::Workload& load_;
    const Arrivals& arrivals_;
    const std::vector<PackedPod> shapes_;
    PackingBooks books_;
    std::vector<bool> placed_;
};

struct Policy {
    const char* name;
    ScorePolicy score;
    std::int32_t device_packing;
};
constexpr Policy kPolicies[] = {{"least_allocated", ScorePolicy::least_allocated, 0},
                                {"most_allocated", ScorePolicy::most_allocated, 0},
                                {"ours", ScorePolicy::most_allocated, 10}};

EngineOptions options_of(const Policy& policy) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.score = policy.score;
    options.weights[ScoreId::device_packing] = policy.device_packing;
    options.backoff_early = false;  // nobody leaves: who found no place finds none later
    return options;
}

struct Packed {
    Curve curve{};
    std::string digest;
    bool good = false;
};

Packed pack(const workload::Workload& load, const Arrivals& arrivals, const Policy& policy) {
    BookingSink sink(load, arrivals);
    Engine engine(options_of(policy), sink);
    PackingShim<Engine> shim(load, arrivals, engine);
    do {
        engine.run(1'024);
        engine.flush();
        engine.apply(Acknowledge{1, sink.last});
    } while (engine.has_work());
    std::vector<std::string> broken;
    engine.audit(broken);
    const bool all = engine.attempts() == arrivals.size() && sink.rejections == 0;
    if (sink.faults > 0 || !broken.empty() || !all) {
        std::printf("FAULT: %s: %llu placements beyond what there is, %zu broken laws, %llu attempts for %zu pods\n",
                    policy.name, static_cast<unsigned long long>(sink.faults), broken.size(),
                    static_cast<unsigned long long>(engine.attempts()), arrivals.size());
    }
    return {sink.curve(), engine.digest(), sink.faults == 0 && broken.empty() && all};
}

template <typename Choose>
Curve pack_plainly(const workload::Workload& load, const Arrivals& arrivals, Choose&& choose) {
    const std::vector<PackedPod> shapes = shapes_of(load);
    PackingBooks books(load);
    CurveMaker maker(books.devices_capacity());
    for (const std::uint32_t arrival : arrivals) {
        const PackedPod& pod = pod_at(shapes, load, arrival);
        const std::ptrdiff_t node = choose(books, pod);
        if (node >= 0) {
            books.place(static_cast<std::size_t>(node), pod);
        }
        maker.arrive(pod.devices, node >= 0);
    }
    return maker.curve();
}

void print(const char* name, const std::vector<Curve>& curves) {
    std::printf("%-16s", name);
    for (std::size_t mark = 0; mark < kMarks.size(); ++mark) {
        double sum = 0;
        for (const Curve& curve : curves) {
            sum += curve[mark];
        }
        std::printf(" %6.2f", sum / static_cast<double>(curves.size()));
    }
    const auto [low, high] =
        std::minmax_element(curves.begin(), curves.end(), [](const Curve& a, const Curve& b) { return a[2] < b[2]; });
    std::printf("   %.2f to %.2f\n", (*low)[2], (*high)[2]);
    std::fflush(stdout);
}

bool compare_policies(const workload::Workload& load, std::uint64_t seeds) {
    std::printf("%zu nodes, %lld devices, %zu pods to draw from; %llu seeds; %% of all devices allocated\n",
                load.nodes.size(), static_cast<long long>(PackingBooks(load).devices_capacity() / 1'000),
                load.pods.size(), static_cast<unsigned long long>(seeds));
    std::printf("%-16s", "asked for, %");
    for (const int mark : kMarks) {
        std::printf(" %6d", mark);
    }
    std::printf("   range at 100\n");
    std::vector<Arrivals> arrivals;
    for (std::uint64_t seed = 42; seed < 42 + seeds; ++seed) {
        arrivals.push_back(draw(load, PackingBooks(load).devices_capacity(), seed));
    }
    std::vector<Curve> random;
    std::vector<Curve> best_fit;
    for (std::size_t at = 0; at < arrivals.size(); ++at) {
        Dice dice(at);
        random.push_back(pack_plainly(load, arrivals[at], [&](const PackingBooks& books, const PackedPod& pod) {
            return books.random_node(pod, dice);
        }));
        best_fit.push_back(pack_plainly(load, arrivals[at], [](const PackingBooks& books, const PackedPod& pod) {
            return books.best_fit_node(pod);
        }));
    }
    print("Random", random);
    print("BestFit", best_fit);
    bool good = true;
    for (const Policy& policy : kPolicies) {
        std::vector<Curve> curves;
        for (const Arrivals& one : arrivals) {
            const Packed packed = pack(load, one, policy);
            curves.push_back(packed.curve);
            good = good && packed.good;
        }
        print(policy.name, curves);
    }
    return good;
}

// Shapes like the trace's, few enough for the oracle.
workload::Workload made_up_cluster() {
    constexpr std::int64_t kGi = std::int64_t{1} << 30;
    workload::Workload load;
    load.node_shapes = {
        {"G2", {{"cpu", 96'000}, {"memory", 384 * kGi}, {"pods", 110}, {"gpu-milli", 8'000}}, {"gpu-milli"}},
        {"T4", {{"cpu", 32'000}, {"memory", 128 * kGi}, {"pods", 110}, {"gpu-milli", 2'000}}, {"gpu-milli"}},
        {"", {{"cpu", 64'000}, {"memory", 256 * kGi}, {"pods", 110}}}};
    for (std::uint32_t at = 0; at < 14; ++at) {
        load.nodes.push_back({"node-" + std::to_string(at), at < 4 ? 0u : at < 12 ? 1u : 2u});
    }
    const auto pod = [](std::int64_t cpu, std::int64_t gi, std::int64_t devices) {
        workload::Amounts amounts = {{"cpu", cpu}, {"memory", gi * kGi}, {"pods", 1}};
        if (devices > 0) {
            amounts.emplace_back("gpu-milli", devices);
        }
        return amounts;
    };
    load.pod_shapes = {pod(6'000, 12, 460), pod(12'000, 16, 1'000), pod(11'000, 45, 1'000),  pod(4'000, 30, 200),
                       pod(8'000, 30, 750), pod(32'000, 60, 4'000), pod(64'000, 200, 8'000), pod(16'000, 16, 0),
                       pod(4'000, 15, 0),   pod(9'000, 30, 1'500)};
    for (std::uint32_t at = 0; at < 40; ++at) {
        load.pods.push_back({"pod", at % 10 == 6 && at > 10 ? 0u : at % 10});
    }
    return load;
}

bool compare_with_oracle() {
    const workload::Workload load = made_up_cluster();
    bool good = true;
    for (const Policy& policy : kPolicies) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Arrivals arrivals = draw(load, PackingBooks(load).devices_capacity(), seed);
            const Packed packed = pack(load, arrivals, policy);
            oracle::Oracle oracle(options_of(policy));
            PackingShim<oracle::Oracle> shim(load, arrivals, oracle);
            oracle.run(arrivals.size());
            const bool equal = oracle.digest() == packed.digest && oracle.audit().empty();
            std::printf("%-16s seed %llu: %zu pods, %.1f %% allocated at 100 %%, digest %.16s %s\n", policy.name,
                        static_cast<unsigned long long>(seed), arrivals.size(), packed.curve[2], packed.digest.c_str(),
                        equal ? "is the oracle's" : "IS NOT THE ORACLE'S");
            good = good && packed.good && equal;
        }
    }
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("how full devices get on the openb trace");
    bool small = false;
    std::uint64_t seeds = 10;
    const char* const folder = std::getenv("BAYPLAN_TRACES_DIR");
    std::string traces = folder == nullptr ? "" : folder;
    std::string list = "default";
    app.add_flag("--small", small, "a made-up cluster, and the naive oracle beside the engine");
    app.add_option("--seeds", seeds, "draws of pods, from 42 on")->check(CLI::Range(1, 1'000));
    app.add_option("--traces", traces,
                   "directory of the CSV files; as BAYPLAN_TRACES_DIR, which tests/support/beside sets");
    app.add_option("--list", list, "list of pods: default, cpu050, multigpu20, ...");
    CLI11_PARSE(app, argc, argv);
    if (small) {
        return bayplan::bench::compare_with_oracle() ? 0 : 1;
    }
    const std::string nodes = traces + "/openb_node_list_gpu_node.csv";
    if (!std::filesystem::exists(nodes)) {
        std::printf("skipped: %s is not there\n", nodes.c_str());
        return 77;
    }
    std::string error;
    const auto load = bayplan::workload::read_openb(nodes, traces + "/openb_pod_list_" + list + ".csv", error);
    if (!load) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 1;
    }
    return bayplan::bench::compare_policies(*load, seeds) ? 0 : 1;
}
