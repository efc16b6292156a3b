// Which slot a new node gets: nodes alike in place and shape lie together, so that whole blocks can be
// judged at once. The slot order is part of the decision rule (ties go to the lowest slot), so it
// depends on nothing but the node events (R-WORLD-13).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"

namespace bayplan {

class SlotGroups {
public:
    // The lowest free slot for a node of the first of these groups that has a block or may still be given one: labels that
    // differ from node to node must not give each a block (R-WORLD-40). The last always may. `new_block` is set if the slot's
    // block did not exist before and has to be added (as number block_count() - 1).
    Slot take(std::span<const std::string> groups, bool& new_block);
    void give_back(Slot);

    std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }
    std::size_t group_count() const { return groups_.size(); }  // groups that have a block

private:
    struct Group {
        std::set<std::uint32_t> with_room;  // its blocks with a free slot
        std::uint32_t blocks = 0;           // all of them
    };
    struct Block {
        std::uint64_t taken = 0;
        const std::string* group = nullptr;  // key in groups_; null: empty block
    };

    const std::string& choose(std::span<const std::string> groups) const;
    std::uint32_t block_for(const std::string& name, Group&, bool& new_block);

    std::vector<Block> blocks_;
    std::size_t nodes_ = 0;
    std::map<std::string, Group> groups_;
    std::set<std::uint32_t> empty_;  // blocks of no group
};

}  // namespace bayplan
