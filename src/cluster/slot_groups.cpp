#include "cluster/slot_groups.h"

#include <bit>

#include "base/check.h"

namespace bayplan {

std::uint32_t SlotGroups::block_for(const std::string& group, std::set<std::uint32_t>& with_room, bool& new_block) {
    if (!with_room.empty()) {
        return *with_room.begin();
    }
    std::uint32_t block = block_count();
    if (empty_.empty()) {
        blocks_.emplace_back();
        new_block = true;
    } else {
        block = *empty_.begin();
        empty_.erase(empty_.begin());
    }
    blocks_[block].group = &groups_.find(group)->first;
    with_room.insert(block);
    return block;
}

Slot SlotGroups::take(const std::string& group, bool& new_block) {
    new_block = false;
    std::set<std::uint32_t>& with_room = groups_[group];
    const std::uint32_t number = block_for(group, with_room, new_block);
    Block& block = blocks_[number];
    const auto lane = static_cast<std::uint32_t>(std::countr_one(block.taken));
    block.taken |= std::uint64_t{1} << lane;
    if (block.taken == ~std::uint64_t{0}) {
        with_room.erase(number);
    }
    return slot_at(number, lane);
}

void SlotGroups::give_back(Slot slot) {
    const std::uint32_t number = block_of(slot);
    Block& block = blocks_[number];
    BP_CHECK((block.taken >> lane_of(slot) & 1) != 0);
    block.taken &= ~(std::uint64_t{1} << lane_of(slot));
    const auto group = groups_.find(*block.group);
    group->second.insert(number);
    if (block.taken == 0) {
        group->second.erase(number);
        block.group = nullptr;
        empty_.insert(number);
    }
}

}  // namespace bayplan
