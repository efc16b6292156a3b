// Where the time of a message goes on its way through the daemon, stage by stage.
//
//   decode (lcore) -> inbox -> apply -> attempts (engine) -> outbox (to its lcore)
//
// Thread: each histogram has the thread that adds to it; all are read by main.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instruments/latency_histogram.h"

namespace bayplan::daemon {

struct EngineStages {
    instruments::LatencyHistogram inbox;     // from the lcore's hand to the engine's
    instruments::LatencyHistogram apply;     // of one input
    instruments::LatencyHistogram attempts;  // of a turn, all together
    instruments::LatencyHistogram turn;
};

struct LcoreStages {
    instruments::LatencyHistogram decode;  // verified and read, of one message
    instruments::LatencyHistogram outbox;  // from the teller's hand to the data plane's
};

// Figures of one stage at one moment.
struct StageFigures {
    std::string thread;  // engine0, lcore0, ...
    std::string_view stage;
    std::uint64_t count = 0;
    std::uint64_t sum_ns = 0;
    std::uint64_t p50_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t max_ns = 0;
};

inline StageFigures figures_of(std::string thread, std::string_view stage, const instruments::LatencyHistogram& times) {
    return {std::move(thread),
            stage,
            times.count(),
            times.sum_ns(),
            times.quantile_ns(0.5),
            times.quantile_ns(0.99),
            times.quantile_ns(0.999),
            times.max_ns()};
}

inline void append_stages(std::vector<StageFigures>& all, const std::string& thread, const EngineStages& stages) {
    all.push_back(figures_of(thread, "inbox", stages.inbox));
    all.push_back(figures_of(thread, "apply", stages.apply));
    all.push_back(figures_of(thread, "attempts", stages.attempts));
    all.push_back(figures_of(thread, "turn", stages.turn));
}

inline void append_stages(std::vector<StageFigures>& all, const std::string& thread, const LcoreStages& stages) {
    all.push_back(figures_of(thread, "decode", stages.decode));
    all.push_back(figures_of(thread, "outbox", stages.outbox));
}

}  // namespace bayplan::daemon
