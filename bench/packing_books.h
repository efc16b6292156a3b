// The books of a cluster with devices, kept by the benchmark that measures packing: free amounts, the nodes that each
// pod may go to, and two plain policies of others to compare with, Random and BestFit.
//
// Units: cpu in milli-cores, memory in MiB, devices in 1000 each. Thread: its owner's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace bayplan::bench {

struct PackedPod {
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    std::int64_t devices = 0;
};

// The same numbers on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(next() % end); }

private:
    std::uint64_t state_;
};

class PackingBooks {
public:
    explicit PackingBooks(const workload::Workload& cluster);

    std::int64_t devices_capacity() const { return capacity_; }
    bool fits(std::size_t node, const PackedPod&) const;
    // Of a node where it fits: a share where the least is left, whole ones in order. Books them.
    void place(std::size_t node, const PackedPod&);
    // As somebody else decided, `KIND=0+3`. False: a device, or the node, would be used beyond what there is.
    bool place_as_told(std::string_view node, const PackedPod&, std::string_view devices);

    // -1: none fits.
    std::ptrdiff_t random_node(const PackedPod&, Dice&) const;
    // The node with the least left of cpu and devices, as shares of the largest node: the BestFit of the
    // published comparison.
    std::ptrdiff_t best_fit_node(const PackedPod&) const;

private:
    struct Node {
        std::string name;
        std::int64_t cpu = 0;
        std::int64_t memory = 0;
        std::vector<std::int64_t> devices;  // amount left of each
    };
    std::int64_t left(const Node&) const;

    std::vector<Node> nodes_;
    std::int64_t capacity_ = 0;
};

PackedPod packed_pod(const workload::Amounts&);

}  // namespace bayplan::bench
