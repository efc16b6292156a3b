// How long scheduling takes, in YuniKorn's families of metrics.
//
// Thread: its owner's; a copy is anybody's.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "base/metric_text.h"
#include "instruments/duration_histogram.h"

namespace bayplan::instruments {

struct SchedulingTimes {
    DurationHistogram turns;     // of the engine, that did something
    DurationHistogram attempts;  // the part of a turn in which pods were tried
    DurationHistogram pods;      // each of them, as the mean of its turn

    void attempted(std::chrono::nanoseconds took, std::uint64_t pods_tried) {
        attempts.add(took);
        pods.add(took / static_cast<std::int64_t>(pods_tried), pods_tried);
    }
};

// Of one partition. `partition`: its label, or empty.
struct ShownTimes {
    std::string partition;
    const SchedulingTimes* times = nullptr;
};

// Seconds, against the families' names, as YuniKorn has them.
void put_scheduling_times(MetricText&, std::span<const ShownTimes>);

}  // namespace bayplan::instruments
