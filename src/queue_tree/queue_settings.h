// Settings from a queue's properties: order of its applications, priority, preemption. A value that means nothing
// counts as the default, as in YuniKorn; names that nobody knows are kept for the interfaces.
//
// Thread: plain data, any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "options/engine_options.h"
#include "queue_config/model.h"

namespace bayplan::queue_tree {

using queue_config::Properties;

enum class SortPolicy : std::uint8_t { fifo, fair };
enum class PreemptionPolicy : std::uint8_t { standard, fence, disabled };

// Of the nodes that are reserved for DaemonSet pods of the queue (R-DAEMONSET-48). None: the engine's setting counts.
struct DaemonsetProperties {
    std::optional<std::int64_t> delay_ns;   // preemption_start_delay, else preemption.delay
    std::optional<std::int64_t> expiry_ns;  // reservation_expiry; 0: never
    std::optional<VictimStrategies> strategies;
    std::optional<std::int64_t> single_deviation;  // unit: kPercent
    std::optional<std::uint32_t> multiple_max;
    bool operator==(const DaemonsetProperties&) const = default;
};

struct QueueSettings {
    SortPolicy sort_policy = SortPolicy::fifo;  // of a leaf; parents are fair
    bool sort_priority = true;                  // priority is compared before share, or before age
    bool priority_fence = false;                // seen from outside, queues below count with the offset alone
    std::int32_t priority_offset = 0;
    PreemptionPolicy preemption_policy = PreemptionPolicy::standard;
    std::chrono::milliseconds preemption_delay{30'000};
    std::chrono::milliseconds quota_preemption_delay{0};  // 0: none
    std::uint64_t unschedulable_backoff = 0;              // asks; 0: none
    std::chrono::milliseconds unschedulable_backoff_delay{30'000};
    DaemonsetProperties daemonset;
};

QueueSettings settings_of(const Properties&);

// The properties of a queue of the file: its own take precedence over the properties that its parent passes on.
Properties inherited(const Properties& of_parent, const Properties& own);

}  // namespace bayplan::queue_tree
