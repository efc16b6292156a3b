// See scan_baseline.h.
#include "measure/scan_baseline.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "measure/scan_run.h"

namespace bayplan::measure {

ScanBaseline::ScanBaseline() : resources_{"cpu", "memory"}, columns_(2) {}

std::size_t ScanBaseline::resource_of(std::string_view name) {
    const auto found = std::ranges::find(resources_, name);
    if (found != resources_.end()) {
        return static_cast<std::size_t>(found - resources_.begin());
    }
    resources_.emplace_back(name);
    columns_.push_back(
        {std::vector<std::int64_t>(schedulable_.size()), std::vector<std::int64_t>(schedulable_.size())});
    return resources_.size() - 1;
}

void ScanBaseline::add_node(const workload::Amounts& capacity, bool schedulable) {
    schedulable_.push_back(schedulable ? 1 : 0);
    for (Column& column : columns_) {
        column.capacity.push_back(0);
        column.free.push_back(0);
    }
    scored_cpu_.push_back(0);
    scored_memory_.push_back(0);
    for (const auto& [name, amount] : capacity) {
        Column& column = columns_[resource_of(name)];
        column.capacity.back() = amount;
        column.free.back() = amount;
    }
}

ScanBaseline::Ask ScanBaseline::make_ask(const workload::Amounts& requests) {
    Ask ask;
    for (const auto& [name, amount] : requests) {
        const std::size_t resource = resource_of(name);
        ask.requests.push_back({resource, amount});
        ask.cpu = resource == kCpu ? amount : ask.cpu;
        ask.memory = resource == kMemory ? amount : ask.memory;
        ask.scored_cpu = resource == kCpu ? amount : ask.scored_cpu;
        ask.scored_memory = resource == kMemory ? amount : ask.scored_memory;
    }
    return ask;
}

std::size_t ScanBaseline::find(const Ask& ask) const {
    const bool one = ask.required_node != kNoNode;
    const std::size_t first = one ? ask.required_node : 0;
    const std::size_t end = one ? ask.required_node + 1 : schedulable_.size();
    std::size_t best = kNoNode;
    std::int64_t best_score = -1;
    for (std::size_t node = first; node < end; ++node) {
        if ((schedulable_[node] == 0 && !ask.tolerates_unschedulable) || !fits(ask, node)) {
            continue;
        }
        const std::int64_t mine = score(ask, node);
        if (mine > best_score) {
            best_score = mine;
            best = node;
        }
    }
    return best;
}

std::size_t ScanBaseline::place(const Ask& ask) {
    const std::size_t node = find(ask);
    if (node != kNoNode) {
        take(ask, node);
    }
    return node;
}

void ScanBaseline::take(const Ask& ask, std::size_t node) {
    for (const Request& request : ask.requests) {
        columns_[request.resource].free[node] -= request.amount;
    }
    scored_cpu_[node] += ask.scored_cpu;
    scored_memory_[node] += ask.scored_memory;
}

void ScanBaseline::give_back(const Ask& ask, std::size_t node) {
    for (const Request& request : ask.requests) {
        columns_[request.resource].free[node] += request.amount;
    }
    scored_cpu_[node] -= ask.scored_cpu;
    scored_memory_[node] -= ask.scored_memory;
}

std::vector<std::size_t> order_of(const workload::Workload& load) {
    std::vector<std::size_t> order(load.pods.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t pod) { return load.pods[pod].priority; });
    return order;
}

std::vector<std::size_t> scan_all(const workload::Workload& load, std::span<const std::size_t> order) {
    return ScanRun<ScanBaseline>(load).place_all(order);
}

}  // namespace bayplan::measure
