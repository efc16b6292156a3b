// See awkward_scan.h. Rules and arithmetic: src/engine/rules, predicates and scores.
#include "measure/awkward_scan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace bayplan::measure {

namespace {

using workload::AwkwardShape;
using workload::kAwkwardImages;
using workload::kAwkwardZones;

constexpr std::uint32_t kSlotsOfBlock = 64;
constexpr std::uint32_t kOwnGroups = 64;  // R-WORLD-8

// The order of the engine's slots, which decides among equals: blocks of 64 nodes of a zone, in order of arrival. Of very many
// zones the later ones share blocks.
std::vector<std::uint32_t> in_order_of_slots(const workload::AwkwardLoad& load) {
    std::vector<std::uint32_t> slots;
    std::map<std::uint32_t, std::uint32_t>
        block_of;  // by zone; the last key: nodes whose zones have no block of their own
    std::map<std::uint32_t, std::uint32_t> nodes_of;  // in that block
    std::uint32_t blocks = 0;
    for (std::uint32_t node = 0; node < load.nodes; ++node) {
        std::uint32_t zone = workload::awkward_zone(load, node);
        const bool founds = block_of.size() < kOwnGroups + node / kSlotsOfBlock;
        zone = block_of.contains(zone) || founds ? zone : load.nodes;
        if (nodes_of[zone] % kSlotsOfBlock == 0) block_of[zone] = blocks++;
        slots.push_back(block_of[zone] * kSlotsOfBlock + nodes_of[zone]++ % kSlotsOfBlock);
    }
    std::vector<std::uint32_t> order(load.nodes);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t node) { return slots[node]; });
    return order;
}

}  // namespace

AwkwardScan::AwkwardScan(const workload::AwkwardLoad& load)
    : load_(load), number_of_(in_order_of_slots(load)), spread_(load, number_of_), image_nodes_(kAwkwardImages, 0) {
    for (std::uint32_t node = 0; node < load.nodes; ++node) {
        ++image_nodes_[node % kAwkwardImages];
    }
    const std::vector<std::int64_t> sizes = {workload::kAwkwardLocalGib, 2 * workload::kAwkwardLocalGib};
    for (std::size_t place = 0; place < number_of_.size(); ++place) {
        cluster_.add_node({{"cpu", 32'000}, {"memory", std::int64_t{128} << 30}, {"pods", 110}});
        volumes_.push_back(load.running_each);
        sizes_.push_back(sizes);
        for (std::uint32_t running = 0; running < load.running_each; ++running) {
            cluster_.take(ask_of(workload::awkward_size(load, running)), place);
            if (workload::awkward_runs_applications(load)) {
                const std::uint32_t pod = number_of_[place] * load.running_each + running;
                spread_.put(pod % workload::awkward_applications(load), place);
            }
        }
    }
}

ScanBaseline::Ask AwkwardScan::ask_of(std::uint32_t pod) {
    return cluster_.make_ask(
        {{"cpu", workload::awkward_cpu(pod)}, {"memory", workload::awkward_memory_mib(pod) << 20}, {"pods", 1}});
}

std::size_t AwkwardScan::find_spread(std::uint32_t pod, const ScanBaseline::Ask& ask) {
    spread_.begin(pod % workload::awkward_applications(load_));
    feasible_.clear();
    for (std::size_t node = 0; node < number_of_.size(); ++node) {
        if (cluster_.fits(ask, node) && spread_.allowed(node)) feasible_.push_back(node);
    }
    spread_.weigh(feasible_);
    std::size_t best = ScanBaseline::kNoNode;
    std::int64_t best_score = -1;
    for (const std::size_t node : feasible_) {
        const std::int64_t mine = cluster_.score(ask, node) + spread_.points(node);
        if (mine > best_score) {
            best_score = mine;
            best = node;
        }
    }
    looks_ += static_cast<double>(number_of_.size());
    return best;
}

bool AwkwardScan::allowed(std::uint32_t pod, std::size_t node) const {
    switch (load_.shape) {
        case AwkwardShape::csi:
            return number_of_[node] % kAwkwardZones == pod % kAwkwardZones &&
                   volumes_[node] < load_.running_each + workload::kAwkwardSpareVolumes;
        case AwkwardShape::local:
            return !sizes_[node].empty() && sizes_[node].back() >= workload::awkward_claim_gib(pod);
        case AwkwardShape::fields: return number_of_[node] == pod % load_.nodes;
        default: break;
    }
    return true;
}

// ImageLocality: bytes of the pod's image, less the fewer nodes have it, between 23 and 1000 MiB.
std::int64_t AwkwardScan::more_score(std::uint32_t pod, std::size_t node) const {
    if (load_.shape != AwkwardShape::images || number_of_[node] % kAwkwardImages != pod % kAwkwardImages) {
        return 0;
    }
    constexpr std::int64_t kScanMi = std::int64_t{1} << 20;
    const double spread = static_cast<double>(image_nodes_[pod % kAwkwardImages]) / static_cast<double>(load_.nodes);
    const auto share = static_cast<std::int64_t>(static_cast<double>(workload::kAwkwardImageMib * kScanMi) * spread);
    return 100 * (std::clamp(share, 23 * kScanMi, 1000 * kScanMi) - 23 * kScanMi) / (1000 * kScanMi - 23 * kScanMi);
}

std::size_t AwkwardScan::find(std::uint32_t pod, const ScanBaseline::Ask& ask) {
    std::size_t best = ScanBaseline::kNoNode;
    std::int64_t best_score = -1;
    for (std::size_t node = 0; node < number_of_.size(); ++node) {
        if (!cluster_.fits(ask, node) || !allowed(pod, node)) {
            continue;
        }
        const std::int64_t mine = cluster_.score(ask, node) + more_score(pod, node);
        if (mine > best_score) {
            best_score = mine;
            best = node;
        }
    }
    looks_ += static_cast<double>(number_of_.size());
    return best;
}

void AwkwardScan::take(std::uint32_t pod, const ScanBaseline::Ask& ask, std::size_t node) {
    cluster_.take(ask, node);
    ++volumes_[node];
    if (workload::awkward_applications(load_) > 0) {
        spread_.put(pod % workload::awkward_applications(load_), node);
    }
    if (load_.shape == AwkwardShape::local) {
        sizes_[node].erase(std::ranges::lower_bound(sizes_[node], workload::awkward_claim_gib(pod)));
    }
}

bool AwkwardScan::place_all() {
    for (std::uint32_t pod = 0; pod < load_.pods; ++pod) {
        const ScanBaseline::Ask ask = ask_of(workload::awkward_size(load_, pod));
        const bool spreads = workload::awkward_applications(load_) > 0;
        const std::size_t node = spreads ? find_spread(pod, ask) : find(pod, ask);
        if (node == ScanBaseline::kNoNode) {
            return false;
        }
        take(pod, ask, node);
        hash_.add(fmt::format("team/pod-{:06}", pod), fmt::format("node-{:06}", number_of_[node]));
    }
    return true;
}

}  // namespace bayplan::measure
