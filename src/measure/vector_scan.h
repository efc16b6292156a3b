// The plain scan with wide vectors, so that ratios tell better search from wider arithmetic: the same exact look at every
// node for every ask, 8 nodes at a time. Its columns are doubles, which hold every amount of a load exactly (below 2^46, so
// that a hundredfold is exact as well); the best instructions that this machine has are chosen when it runs.
//
// Its placements are the plain scan's. Thread: its owner's. Owns all node state. Shares no code with src/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace bayplan::measure {

class VectorScan {
public:
    static constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);
    static constexpr std::size_t kLanes = 8;

    struct Request {
        std::size_t resource = 0;
        double amount = 0;
    };
    struct Ask {
        std::vector<Request> requests;
        double cpu = 0;  // of requests, for balanced allocation
        double memory = 0;
        double scored_cpu = 100;  // amount that LeastAllocated counts: 100m and 200 MiB if not requested
        double scored_memory = 200.0 * 1024 * 1024;
        std::size_t required_node = kNoNode;
    };

    VectorScan();

    void add_node(const workload::Amounts& capacity);
    Ask make_ask(const workload::Amounts& requests);
    // The best feasible node, of equals the first, which is then taken; or kNoNode.
    std::size_t place(const Ask&);
    void take(const Ask&, std::size_t node);
    void give_back(const Ask&, std::size_t node);

private:
    friend struct VectorLook;
    struct Column {
        std::vector<double> capacity;
        std::vector<double> free;
    };
    using Look = std::size_t (*)(const VectorScan&, const Ask&, std::size_t first, std::size_t end);

    std::size_t resource_of(std::string_view name);
    void add(const Ask&, std::size_t node, double sign);
    void grow(std::vector<double>& column, double value) const;
    static Look best_look();

    static constexpr std::size_t kCpu = 0;
    static constexpr std::size_t kMemory = 1;

    std::vector<std::string> resources_;  // 0 = cpu, 1 = memory
    std::vector<Column> columns_;         // by resource; a whole number of kLanes, the rest without room
    std::vector<double> scored_cpu_;
    std::vector<double> scored_memory_;
    std::size_t nodes_ = 0;
    Look look_;
};

}  // namespace bayplan::measure
