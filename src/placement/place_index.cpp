#include "placement/place_index.h"

namespace bayplan {

void PlaceIndex::arrange(const std::vector<std::uint32_t>& place_of, std::uint32_t places, std::size_t scores) {
    places_.assign(places, {});
    position_of_.resize(place_of.size());
    // Of each place: how many blocks, then its groups, then its blocks in order.
    for (std::uint32_t block = 0; block < place_of.size(); ++block) {
        Place& place = places_[place_of[block]];
        place.block = block;
        position_of_[block] = place.end_group++;
    }
    std::uint32_t next = 0;
    groups_.clear();
    for (std::uint32_t number = 0; number < places; ++number) {
        Place& place = places_[number];
        const std::uint32_t count = (place.end_group + kGroup - 1) / kGroup;
        place.first_group = next;
        place.end_group = next += count;
        groups_.resize(next, {.best = 0, .place = number, .changed = false});
    }
    block_at_.assign(std::size_t{next} * kGroup, kNoBlock);
    best_.assign(block_at_.size(), 0);
    nodes_.assign(block_at_.size(), 0);
    for (std::uint32_t block = 0; block < place_of.size(); ++block) {
        position_of_[block] += places_[place_of[block]].first_group * kGroup;
        block_at_[position_of_[block]] = block;
    }
    ranges_.resize(scores);
    for (Ranges& ranges : ranges_) {
        ranges.min.clear();
    }
}

void PlaceIndex::set(std::uint32_t block, std::uint64_t nodes, NodeKey best) {
    const std::uint32_t position = position_of_[block];
    Group& group = groups_[position / kGroup];
    std::uint64_t& count = places_[group.place].nodes;
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

void PlaceIndex::make_ranges(Ranges& ranges) {
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

void PlaceIndex::set_range(std::size_t score, std::uint32_t block, LaneRange range) {
    Ranges& ranges = ranges_[score];
    if (ranges.min.empty()) {
        make_ranges(ranges);
    }
    ranges.min[position_of_[block]] = range.min;
    ranges.max[position_of_[block]] = range.max;
}

void PlaceIndex::find_best(const LaneKernels& kernels) {
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
