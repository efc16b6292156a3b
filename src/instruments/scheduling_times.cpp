// See scheduling_times.h.
#include "instruments/scheduling_times.h"

namespace bayplan::instruments {

namespace {

struct Family {
    std::string_view name;
    std::string_view help;
    DurationHistogram SchedulingTimes::*times;
};

constexpr Family kFamilies[] = {
    {"yunikorn_scheduler_scheduling_latency_milliseconds",
     "Seconds for the attempts of a turn of the engine, which tries many pods.", &SchedulingTimes::attempts},
    {"yunikorn_scheduler_scheduling_cycle_milliseconds",
     "Seconds for a turn of the engine: what came in, attempts, what goes out.", &SchedulingTimes::turns},
    {"yunikorn_scheduler_trynode_latency_milliseconds",
     "Seconds to check all nodes for a pod, as the mean of its turn: nodes are not tried one by one.",
     &SchedulingTimes::pods},
    {"yunikorn_scheduler_trynode_evaluation_milliseconds", "The same.", &SchedulingTimes::pods},
    {"yunikorn_scheduler_trypreemption_latency_milliseconds",
     "The same: a search for victims is a part of the attempt that needs it, and is not timed apart.",
     &SchedulingTimes::pods},
};

constexpr std::string_view kLevels[] = {"app", "queue"};

}  // namespace

void put_scheduling_times(MetricText& text, std::span<const ShownTimes> partitions) {
    for (const Family& family : kFamilies) {
        text.begin(family.name, family.help, MetricType::histogram);
        for (const ShownTimes& one : partitions) {
            const DurationHistogram& times = one.times->*family.times;
            text.histogram({{"partition", one.partition}}, DurationHistogram::kBounds, times.counts(), times.sum());
        }
    }
    text.begin("yunikorn_scheduler_node_sorting_latency_milliseconds",
               "Nothing is ever sorted, for orders are kept: no observations.", MetricType::histogram);
    const DurationHistogram none;
    for (const ShownTimes& one : partitions) {
        for (const std::string_view level : kLevels) {
            text.histogram({{"partition", one.partition}, {"level", level}}, DurationHistogram::kBounds, none.counts(),
                           none.sum());
        }
    }
}

}  // namespace bayplan::instruments
