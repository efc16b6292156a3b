// Arranging blocks by site and keeping the best of each; see site_index.h.
#include "placement/site_index.h"

#include <algorithm>

namespace bayplan {

void SiteIndex::arrange(const std::vector<Part>& parts, std::uint32_t blocks, std::uint32_t sites, std::size_t scores) {
    blocks_ = blocks;
    sites_.assign(sites, {});
    first_part_.assign(1, 0);
    lanes_.clear();
    position_of_.clear();
    nodes_in_.clear();
    domains_ = 0;
    // Of each site: how many parts, then its groups, then its parts in order.
    for (const Part& part : parts) {
        Site& site = sites_[part.site];
        site.slot = slot_at(part.block, static_cast<std::uint32_t>(std::countr_zero(part.lanes)));
        first_part_.resize(part.block + 1, static_cast<std::uint32_t>(lanes_.size()));
        lanes_.push_back(part.lanes);
        position_of_.push_back(site.end_group++);
    }
    first_part_.resize(blocks + 1, static_cast<std::uint32_t>(lanes_.size()));
    std::uint32_t next = 0;
    groups_.clear();
    for (std::uint32_t number = 0; number < sites; ++number) {
        Site& site = sites_[number];
        const std::uint32_t parts_of_site = site.end_group;
        site.first_group = next;
        site.end_group = next += (parts_of_site + kGroup - 1) / kGroup;
        for (std::uint32_t left = parts_of_site; groups_.size() < next; left -= groups_.back().parts) {
            groups_.push_back({.best = 0, .site = number, .parts = std::min(left, kGroup), .changed = false});
        }
    }
    block_at_.assign(std::size_t{next} * kGroup, kNoBlock);
    best_.assign(block_at_.size(), 0);
    nodes_.assign(block_at_.size(), 0);
    for (std::size_t number = 0; number < parts.size(); ++number) {
        position_of_[number] += sites_[parts[number].site].first_group * kGroup;
        block_at_[position_of_[number]] = parts[number].block;
    }
    ranges_.resize(scores);
    for (Ranges& ranges : ranges_) {
        ranges.min.clear();
    }
}

void SiteIndex::count_domains(const Domain* of_lanes, std::uint64_t before, std::uint64_t after) {
    for (std::uint64_t left = before ^ after; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const Domain domain = of_lanes[lane];
        nodes_in_.resize(std::max<std::size_t>(nodes_in_.size(), domain + std::size_t{1}), 0);
        if ((after >> lane & 1) != 0) {
            domains_ += nodes_in_[domain]++ == 0 ? 1 : 0;
        } else {
            domains_ -= --nodes_in_[domain] == 0 ? 1 : 0;
        }
    }
}

void SiteIndex::set(std::uint32_t position, std::uint64_t nodes, NodeKey best) {
    Group& group = groups_[position / kGroup];
    if (nodes != nodes_[position]) {
        std::uint64_t& count = sites_[group.site].nodes;
        count += static_cast<std::uint64_t>(std::popcount(nodes));
        count -= static_cast<std::uint64_t>(std::popcount(nodes_[position]));
        nodes_[position] = nodes;
    }
    best_[position] = best;
    group.changed = true;
    for (Ranges& ranges : ranges_) {
        if (!ranges.min.empty()) {
            ranges.min[position] = nodes == 0 ? INT64_MAX : 0;
            ranges.max[position] = nodes == 0 ? INT64_MIN : 0;
        }
    }
}

void SiteIndex::make_ranges(Ranges& ranges) {
    ranges.min.resize(nodes_.size());
    ranges.max.resize(nodes_.size());
    for (std::size_t position = 0; position < nodes_.size(); ++position) {
        ranges.min[position] = nodes_[position] == 0 ? INT64_MAX : 0;
        ranges.max[position] = nodes_[position] == 0 ? INT64_MIN : 0;
    }
    ranges.of_group.resize(groups_.size());
    for (Group& group : groups_) {
        group.changed = true;
    }
}

void SiteIndex::set_range(std::size_t score, std::uint32_t position, LaneRange range) {
    Ranges& ranges = ranges_[score];
    if (ranges.min.empty()) {
        make_ranges(ranges);
    }
    ranges.min[position] = range.min;
    ranges.max[position] = range.max;
}

void SiteIndex::find_best(const LaneKernels& kernels) {
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    for (std::size_t number = 0; number < groups_.size(); ++number) {
        Group& group = groups_[number];
        if (!group.changed) {
            continue;
        }
        group.changed = false;
        const std::size_t first = number * kGroup;
        group.best = kernels.largest(&best_[first], kGroup);
        for (Ranges& ranges : ranges_) {
            if (!ranges.min.empty()) {
                ranges.of_group[number] = {kernels.range(kAll, &ranges.min[first]).min,
                                           kernels.range(kAll, &ranges.max[first]).max};
            }
        }
    }
}

}  // namespace bayplan
