// Arranging blocks by site and keeping the best of each; see site_index.h.
#include "placement/site_index.h"

namespace bayplan {

void SiteIndex::arrange(const std::vector<std::uint32_t>& site_of, std::uint32_t sites, std::size_t scores) {
    sites_.assign(sites, {});
    position_of_.resize(site_of.size());
    // Of each site: how many blocks, then its groups, then its blocks in order.
    for (std::uint32_t block = 0; block < site_of.size(); ++block) {
        Site& site = sites_[site_of[block]];
        site.block = block;
        position_of_[block] = site.end_group++;
    }
    std::uint32_t next = 0;
    groups_.clear();
    for (std::uint32_t number = 0; number < sites; ++number) {
        Site& site = sites_[number];
        const std::uint32_t count = (site.end_group + kGroup - 1) / kGroup;
        site.first_group = next;
        site.end_group = next += count;
        groups_.resize(next, {.best = 0, .site = number, .changed = false});
    }
    block_at_.assign(std::size_t{next} * kGroup, kNoBlock);
    best_.assign(block_at_.size(), 0);
    nodes_.assign(block_at_.size(), 0);
    for (std::uint32_t block = 0; block < site_of.size(); ++block) {
        position_of_[block] += sites_[site_of[block]].first_group * kGroup;
        block_at_[position_of_[block]] = block;
    }
    ranges_.resize(scores);
    for (Ranges& ranges : ranges_) {
        ranges.min.clear();
    }
}

void SiteIndex::set(std::uint32_t block, std::uint64_t nodes, NodeKey best) {
    const std::uint32_t position = position_of_[block];
    Group& group = groups_[position / kGroup];
    std::uint64_t& count = sites_[group.site].nodes;
    count += static_cast<std::uint64_t>(std::popcount(nodes));
    count -= static_cast<std::uint64_t>(std::popcount(nodes_[position]));
    nodes_[position] = nodes;
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

void SiteIndex::set_range(std::size_t score, std::uint32_t block, LaneRange range) {
    Ranges& ranges = ranges_[score];
    if (ranges.min.empty()) {
        make_ranges(ranges);
    }
    ranges.min[position_of_[block]] = range.min;
    ranges.max[position_of_[block]] = range.max;
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
