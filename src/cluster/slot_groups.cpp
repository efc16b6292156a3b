// Finding a group and a free slot for a new node; see slot_groups.h.
#include "cluster/slot_groups.h"

#include <bit>

#include "base/check.h"

namespace bayplan {

namespace {

constexpr std::size_t kGroupsOfFew = 64;  // in a cluster of few nodes

}  // namespace

std::uint32_t SlotGroups::block_for(const std::string& name, Group& group, bool& new_block) {
    if (!group.with_room.empty()) {
        return *group.with_room.begin();
    }
    std::uint32_t block = block_count();
    if (empty_.empty()) {
        blocks_.emplace_back();
        new_block = true;
    } else {
        block = *empty_.begin();
        empty_.erase(empty_.begin());
    }
    blocks_[block].group = &name;
    group.with_room.insert(block);
    ++group.blocks;
    return block;
}

const std::string& SlotGroups::choose(std::span<const std::string> groups) const {
    const std::size_t most = kGroupsOfFew + nodes_ / kLanes;
    for (std::size_t at = 0; at + 1 < groups.size(); ++at) {
        if (groups_.size() < (at + 1) * most || groups_.contains(groups[at])) {
            return groups[at];
        }
    }
    return groups.back();
}

Slot SlotGroups::take(std::span<const std::string> groups, bool& new_block) {
    new_block = false;
    const auto group = groups_.try_emplace(choose(groups)).first;
    ++nodes_;
    const std::uint32_t number = block_for(group->first, group->second, new_block);
    Block& block = blocks_[number];
    const auto lane = static_cast<std::uint32_t>(std::countr_one(block.taken));
    block.taken |= std::uint64_t{1} << lane;
    if (block.taken == ~std::uint64_t{0}) {
        group->second.with_room.erase(number);
    }
    return slot_at(number, lane);
}

void SlotGroups::give_back(Slot slot) {
    const std::uint32_t number = block_of(slot);
    Block& block = blocks_[number];
    BP_CHECK((block.taken >> lane_of(slot) & 1) != 0);
    --nodes_;
    block.taken &= ~(std::uint64_t{1} << lane_of(slot));
    const auto group = groups_.find(*block.group);
    group->second.with_room.insert(number);
    if (block.taken == 0) {
        block.group = nullptr;
        empty_.insert(number);
        group->second.with_room.erase(number);
        if (--group->second.blocks == 0) {
            groups_.erase(group);
        }
    }
}

}  // namespace bayplan
