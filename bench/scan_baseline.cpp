// See scan_baseline.h.
#include "bench/scan_baseline.h"

#include <algorithm>

namespace bayplan::bench {

namespace {

constexpr std::size_t kCpu = 0;
constexpr std::size_t kMemory = 1;

}  // namespace

ScanBaseline::ScanBaseline() : kinds_{"cpu", "memory"}, columns_(2) {}

std::size_t ScanBaseline::kind_of(std::string_view name) {
    const auto found = std::ranges::find(kinds_, name);
    if (found != kinds_.end()) {
        return static_cast<std::size_t>(found - kinds_.begin());
    }
    kinds_.emplace_back(name);
    columns_.push_back({std::vector<std::int64_t>(schedulable_.size()),
                        std::vector<std::int64_t>(schedulable_.size())});
    return kinds_.size() - 1;
}

void ScanBaseline::add_node(const workload::Amounts& capacity, bool schedulable) {
    schedulable_.push_back(schedulable ? 1 : 0);
    for (Column& column : columns_) {
        column.capacity.push_back(0);
        column.free.push_back(0);
    }
    for (const auto& [name, amount] : capacity) {
        Column& column = columns_[kind_of(name)];
        column.capacity.back() = amount;
        column.free.back() = amount;
    }
}

ScanBaseline::Ask ScanBaseline::make_ask(const workload::Amounts& requests) {
    Ask ask;
    for (const auto& [name, amount] : requests) {
        const std::size_t kind = kind_of(name);
        ask.requests.push_back({kind, amount});
        ask.cpu = kind == kCpu ? amount : ask.cpu;
        ask.memory = kind == kMemory ? amount : ask.memory;
    }
    return ask;
}

bool ScanBaseline::fits(const Ask& ask, std::size_t node) const {
    for (const Request& request : ask.requests) {
        if (columns_[request.kind].free[node] < request.amount) {
            return false;
        }
    }
    return true;
}

std::int64_t ScanBaseline::score(const Column& column, std::int64_t amount, std::size_t node) {
    const std::int64_t left = column.free[node] - amount;
    return left < 0 ? 0 : left * 100 / column.capacity[node];
}

std::size_t ScanBaseline::find(const Ask& ask) const {
    const Column& cpu = columns_[kCpu];
    const Column& memory = columns_[kMemory];
    const bool one = ask.required_node != kNoNode;
    const std::size_t first = one ? ask.required_node : 0;
    const std::size_t end = one ? ask.required_node + 1 : schedulable_.size();
    std::size_t best = kNoNode;
    std::int64_t best_score = -1;
    for (std::size_t node = first; node < end; ++node) {
        if ((schedulable_[node] == 0 && !ask.tolerates_unschedulable) || !fits(ask, node)) {
            continue;
        }
        const bool has_cpu = cpu.capacity[node] > 0;
        const bool has_memory = memory.capacity[node] > 0;
        const std::int64_t sum = (has_cpu ? score(cpu, ask.cpu, node) : 0) +
                                 (has_memory ? score(memory, ask.memory, node) : 0);
        const std::int64_t mean = has_cpu && has_memory ? sum / 2 : sum;
        if (mean > best_score) {
            best_score = mean;
            best = node;
        }
    }
    return best;
}

std::size_t ScanBaseline::place(const Ask& ask) {
    const std::size_t node = find(ask);
    if (node != kNoNode) {
        for (const Request& request : ask.requests) {
            columns_[request.kind].free[node] -= request.amount;
        }
    }
    return node;
}

std::vector<std::size_t> scan_all(const workload::Workload& load) {
    ScanBaseline cluster;
    for (const workload::Node& node : load.nodes) {
        cluster.add_node(load.node_shapes[node.shape].capacity);
    }
    std::vector<ScanBaseline::Ask> shapes;
    for (const workload::Amounts& shape : load.pod_shapes) {
        shapes.push_back(cluster.make_ask(shape));
    }
    std::vector<std::size_t> places;
    places.reserve(load.pods.size());
    for (const workload::Pod& pod : load.pods) {
        places.push_back(cluster.place(shapes[pod.shape]));
    }
    return places;
}

}  // namespace bayplan::bench
