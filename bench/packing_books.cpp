// See packing_books.h.
#include "bench/packing_books.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace bayplan::bench {

namespace {

constexpr std::int64_t kDevice = 1'000;
constexpr double kLargestCpu = 128'000;
constexpr double kLargestDevices = 8'000;

std::int64_t amount_of(const workload::Amounts& amounts, std::string_view kind) {
    for (const auto& [name, amount] : amounts) {
        if (name == kind) {
            return amount;
        }
    }
    return 0;
}

}  // namespace

PackedPod packed_pod(const workload::Amounts& amounts) {
    return {amount_of(amounts, "cpu"), amount_of(amounts, "memory") >> 20, amount_of(amounts, "gpu-milli")};
}

PackingBooks::PackingBooks(const workload::Workload& cluster) {
    for (const workload::Node& one : cluster.nodes) {
        const workload::Amounts& capacity = cluster.node_shapes[one.shape].capacity;
        const PackedPod all = packed_pod(capacity);
        nodes_.push_back({one.name, all.cpu, all.memory,
                          std::vector<std::int64_t>(static_cast<std::size_t>(all.devices / kDevice), kDevice)});
        capacity_ += all.devices;
    }
}

std::int64_t PackingBooks::left(const Node& node) const {
    return std::accumulate(node.devices.begin(), node.devices.end(), std::int64_t{0});
}

bool PackingBooks::fits(std::size_t number, const PackedPod& pod) const {
    const Node& node = nodes_[number];
    if (node.cpu < pod.cpu || node.memory < pod.memory) {
        return false;
    }
    if (pod.devices < kDevice) {
        return pod.devices == 0 || std::any_of(node.devices.begin(), node.devices.end(),
                                               [&](std::int64_t one) { return one >= pod.devices; });
    }
    return std::count(node.devices.begin(), node.devices.end(), kDevice) >= pod.devices / kDevice;
}

void PackingBooks::place(std::size_t number, const PackedPod& pod) {
    Node& node = nodes_[number];
    node.cpu -= pod.cpu;
    node.memory -= pod.memory;
    if (pod.devices > 0 && pod.devices < kDevice) {
        std::int64_t* fullest = nullptr;
        for (std::int64_t& one : node.devices) {
            fullest = one >= pod.devices && (fullest == nullptr || one < *fullest) ? &one : fullest;
        }
        *fullest -= pod.devices;
        return;
    }
    std::int64_t wanted = pod.devices / kDevice;
    for (std::int64_t& one : node.devices) {
        if (wanted > 0 && one == kDevice) {
            one = 0;
            --wanted;
        }
    }
}

bool PackingBooks::place_as_told(std::string_view name, const PackedPod& pod, std::string_view devices) {
    const auto node = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.name == name; });
    if (node == nodes_.end()) {
        return false;
    }
    node->cpu -= pod.cpu;
    node->memory -= pod.memory;
    std::int64_t rest = pod.devices;
    bool good = node->cpu >= 0 && node->memory >= 0 && devices.empty() == (pod.devices == 0);
    const char* at = devices.data() + std::min(devices.find('=') + 1, devices.size());
    const char* const end = devices.data() + devices.size();
    while (!devices.empty() && at < end) {
        std::size_t device = node->devices.size();
        at = std::from_chars(at, end, device).ptr + 1;
        if (device >= node->devices.size()) {
            return false;
        }
        const std::int64_t part = std::min(rest, kDevice);
        node->devices[device] -= part;
        rest -= part;
        good = good && node->devices[device] >= 0;
    }
    return good && rest == 0;
}

std::ptrdiff_t PackingBooks::random_node(const PackedPod& pod, Dice& dice) const {
    std::ptrdiff_t chosen = -1;
    std::size_t feasible = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (fits(node, pod) && dice.below(++feasible) == 0) {
            chosen = static_cast<std::ptrdiff_t>(node);
        }
    }
    return chosen;
}

std::ptrdiff_t PackingBooks::best_fit_node(const PackedPod& pod) const {
    std::ptrdiff_t chosen = -1;
    double least = 0;
    for (std::size_t number = 0; number < nodes_.size(); ++number) {
        if (!fits(number, pod)) {
            continue;
        }
        const Node& node = nodes_[number];
        const double rest = static_cast<double>(node.cpu - pod.cpu) / kLargestCpu +
                            static_cast<double>(left(node) - pod.devices) / kLargestDevices;
        if (chosen < 0 || rest < least) {
            chosen = static_cast<std::ptrdiff_t>(number);
            least = rest;
        }
    }
    return chosen;
}

}  // namespace bayplan::bench
