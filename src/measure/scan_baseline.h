// The peer that the engine is measured against: what a competent engineer would write in a day.
// Columns of plain numbers, one thread, and for every ask an exact look at every node: same
// predicates, same scores (LeastAllocated and balanced allocation; the others tell these nodes not
// apart), same tie-break as the engine (R-ATTEMPT-17), so its placements must be
// the engine's. No queue, no waking: asks are tried in the order given, once.
//
// Thread: its owner's. Owns all node state. Shares no code with src/.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace bayplan::measure {

class ScanBaseline {
public:
    static constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

    struct Request {
        std::size_t resource = 0;
        std::int64_t amount = 0;
    };
    struct Ask {
        std::vector<Request> requests;
        std::int64_t cpu = 0;  // of requests, for balanced allocation
        std::int64_t memory = 0;
        std::int64_t scored_cpu = 100;  // amount that LeastAllocated counts: 100m and 200 MiB if not requested
        std::int64_t scored_memory = std::int64_t{200} << 20;
        std::size_t required_node = kNoNode;  // NodeName: this node or none
        bool tolerates_unschedulable = false;
    };

    ScanBaseline();

    // Nodes are ranked in the order in which they are added: of equal scores the earlier wins.
    void add_node(const workload::Amounts& capacity, bool schedulable = true);
    Ask make_ask(const workload::Amounts& requests);

    // Whether there is room on the node; and its score if there is.
    bool fits(const Ask&, std::size_t node) const;
    std::int64_t score(const Ask&, std::size_t node) const;
    // The best feasible node, or kNoNode. Changes nothing.
    std::size_t find(const Ask&) const;
    // Finds and takes it.
    std::size_t place(const Ask&);
    void take(const Ask&, std::size_t node);
    void give_back(const Ask&, std::size_t node);
    std::size_t node_count() const { return schedulable_.size(); }

private:
    struct Column {
        std::vector<std::int64_t> capacity;
        std::vector<std::int64_t> free;  // capacity - used
    };

    std::size_t resource_of(std::string_view name);
    static constexpr std::size_t kCpu = 0;
    static constexpr std::size_t kMemory = 1;

    std::vector<std::string> resources_;    // 0 = cpu, 1 = memory
    std::vector<Column> columns_;           // by resource
    std::vector<std::int64_t> scored_cpu_;  // used, as LeastAllocated counts
    std::vector<std::int64_t> scored_memory_;
    std::vector<std::uint8_t> schedulable_;
};

inline bool ScanBaseline::fits(const Ask& ask, std::size_t node) const {
    for (const Request& request : ask.requests) {
        if (columns_[request.resource].free[node] < request.amount) {
            return false;
        }
    }
    return true;
}

inline std::int64_t ScanBaseline::score(const Ask& ask, std::size_t node) const {
    const std::int64_t cpu = columns_[kCpu].capacity[node];
    const std::int64_t memory = columns_[kMemory].capacity[node];
    std::int64_t least = 0;
    std::int64_t resources = 0;
    double shares[2] = {0, 0};
    std::size_t count = 0;
    const auto add = [&](std::int64_t capacity, std::int64_t scored, std::int64_t used) {
        if (capacity > 0) {
            least += scored > capacity ? 0 : (capacity - scored) * 100 / capacity;
            ++resources;
            shares[count++] = std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity));
        }
    };
    add(cpu, scored_cpu_[node] + ask.scored_cpu, cpu - columns_[kCpu].free[node] + ask.cpu);
    add(memory, scored_memory_[node] + ask.scored_memory, memory - columns_[kMemory].free[node] + ask.memory);
    const std::int64_t mean = resources == 0 ? 0 : least / resources;
    if (ask.cpu == 0 && ask.memory == 0) {
        return mean;  // a pod without requests balances nothing
    }
    const double deviation = count == 2 ? std::fabs((shares[0] - shares[1]) / 2) : 0;
    return mean + static_cast<std::int64_t>((1 - deviation) * 100.0);
}

// The pods of a load in the order in which they are tried: by priority, then as given.
std::vector<std::size_t> order_of(const workload::Workload&);
// Both steps in one.
std::vector<std::size_t> scan_all(const workload::Workload&, std::span<const std::size_t> order);

// FNV-1a over the names of pod and node of every placement, in order: equal for equal sequences.
class PlacementHash {
public:
    void add(std::string_view pod, std::string_view node) {
        add_text(pod);
        add_text(node);
    }
    std::uint64_t value() const { return hash_; }

private:
    void add_text(std::string_view text) {
        for (const char byte : text) {
            add_byte(static_cast<std::uint8_t>(byte));
        }
        add_byte(0);
    }
    void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3U; }

    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace bayplan::measure
