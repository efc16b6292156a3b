// A long run with churn: pods come and go, nodes are lost and replaced, and all the while memory must stay as it is
// and the laws must hold (the engine's own auditor recounts everything, again and again).
//
//   bench/soak                          10 minutes at 100,000 nodes
//   bench/soak --seconds 8 --nodes 500 --pods 5000
//
// Each turn 1,024 new pods are asked for, attempts are made until nothing can be selected, and as many of the oldest
// pods end; a tenth of the pods are of a size that no other pod has, and each turn one node goes, with all that is on
// it, and another of a new name comes. Every key, node and size is new: what is kept of them is lost memory.
//
// A line per sample: time, turns, decisions/s, resident and allocated memory, what is running, audits. Exit status 1
// if a law is broken, the shim's books differ from the engine's, or memory grew after the cluster had filled.
// Thread: main; the engine has its own workers.
#include <cinttypes>
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/soak_shim.h"
#include "measure/live_memory.h"
#include "measure/stopwatch.h"

namespace bayplan::bench {
namespace {

struct Options {
    double seconds = 600;
    std::uint32_t samples = 10;
    std::uint32_t audits = 20;
    SoakShim::Options shim;
    std::uint32_t workers = 1;
};

// Allowed growth over the memory of the first sample: allocators and hash tables breathe.
constexpr double kGrowth = 0.05;
constexpr std::int64_t kResidentSlack = std::int64_t{8} << 20;
constexpr std::int64_t kLiveSlack = std::int64_t{1} << 20;

struct Sample {
    std::int64_t resident = 0;
    std::int64_t live = 0;
};

class Soak {
public:
    explicit Soak(const Options& options) : options_(options), shim_(options.shim, engine_options(options)) {}

    bool run() {
        std::printf("%8s %9s %11s %12s %12s %9s %9s %7s\n", "seconds", "turns", "decisions/s", "resident MB",
                    "allocated MB", "running", "lost", "audits");
        shim_.register_cluster();
        shim_.fill();
        const double start = measure::seconds_by(CLOCK_MONOTONIC);
        double next_audit = 0;
        double next_sample = 0;
        for (double now = 0; good_ && now < options_.seconds; now = measure::seconds_by(CLOCK_MONOTONIC) - start) {
            if (now >= next_audit) {
                audit();
                next_audit += options_.seconds / options_.audits;
            }
            if (now >= next_sample) {
                sample(now);
                next_sample += options_.seconds / options_.samples;
            }
            shim_.turn();
        }
        audit();
        sample(options_.seconds);
        return good_ && judge();
    }

private:
    static EngineOptions engine_options(const Options& options) {
        EngineOptions engine;
        engine.workers = options.workers;
        return engine;
    }

    void sample(double now) {
        const Sample one{measure::resident_bytes(), measure::live_bytes()};
        if (last_.live == 0) first_ = one;
        last_ = one;
        const double since = now - sampled_at_;
        const std::uint64_t decided = shim_.decided();
        std::printf("%8.1f %9" PRIu64 " %11.0f %12.1f %12.1f %9zu %9" PRIu64 " %7u\n", now, shim_.turns(),
                    since > 0 ? static_cast<double>(decided - decided_) / since : 0.0,
                    static_cast<double>(one.resident) / 1e6, static_cast<double>(one.live) / 1e6, shim_.running(),
                    shim_.lost_with_nodes(), audits_);
        std::fflush(stdout);
        sampled_at_ = now;
        decided_ = decided;
    }

    void audit() {
        ++audits_;
        std::vector<std::string> broken;
        shim_.engine().audit(broken);
        shim_.compare(broken);
        for (const std::string& law : broken) std::printf("BROKEN: %s\n", law.c_str());
        good_ = good_ && broken.empty();
    }

    static bool grew(const char* what, std::int64_t first, std::int64_t last, std::int64_t slack) {
        const auto allowed = static_cast<std::int64_t>(static_cast<double>(first) * (1 + kGrowth)) + slack;
        const double per_cent = 100.0 * static_cast<double>(last - first) / static_cast<double>(first);
        const char* const verdict = last > allowed ? ": IT GREW" : "";
        std::printf("%s memory: %+.2f %% since the cluster was full%s\n", what, per_cent, verdict);
        return last > allowed;
    }

    // The resident part is jemalloc's to keep or to give back: what is allocated is the engine's.
    bool judge() const {
        const bool resident = grew("resident", first_.resident, last_.resident, kResidentSlack);
        const bool live = grew("allocated", first_.live, last_.live, kLiveSlack);
        return !resident && !live;
    }

    const Options options_;
    SoakShim shim_;
    Sample first_;
    Sample last_;
    double sampled_at_ = 0;
    std::uint64_t decided_ = 0;
    std::uint32_t audits_ = 0;
    bool good_ = true;
};

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("pods and nodes come and go for a long time: memory stays flat, laws hold");
    bayplan::bench::Options options;
    const auto add = [&app](const char* name, auto& value, const char* what, auto least, auto most) {
        app.add_option(name, value, what)->check(CLI::Range(least, most).description(""))->capture_default_str();
    };
    add("--seconds", options.seconds, "how long", 0.1, 1e7);
    add("--nodes", options.shim.nodes, "of the cluster", 10, 1'000'000);
    add("--pods", options.shim.pods, "that run at a time", 1'024, 10'000'000);
    add("--classes", options.shim.classes, "sizes of pods, beside those of one-off pods", 1, 100'000);
    add("--samples", options.samples, "lines of the table", 2, 100'000);
    add("--audits", options.audits, "recounts, spread over the time", 1, 100'000);
    add("--workers", options.workers, "proposal workers", 1, 256);
    CLI11_PARSE(app, argc, argv);
    bayplan::bench::Soak soak(options);
    return soak.run() ? 0 : 1;
}
