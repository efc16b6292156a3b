// The tree of needs against a sorted list: the order, the least that is needed, and the first that there is room for, while
// keys and needs change together.

#include "queue_tree/need_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bayplan::queue_tree {
namespace {

struct KeysAndNeeds {
    explicit KeysAndNeeds(std::size_t count) : keys(count), needs(count), nodes(count) {}

    std::vector<std::int64_t> keys;
    std::vector<Room> needs;
    std::vector<NeedNode<std::uint32_t>> nodes;

    void change(std::uint32_t id, std::mt19937_64& random) {
        keys[id] = static_cast<std::int64_t>(random() % 50);
        for (const std::size_t at : {0U, 5U}) needs[id].amounts[at] = static_cast<std::int64_t>(random() % 20);
    }
};
struct Before {
    const KeysAndNeeds* world;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
        return std::pair(world->keys[a], a) < std::pair(world->keys[b], b);
    }
};
struct NodeOf {
    KeysAndNeeds* world;
    NeedNode<std::uint32_t>& operator()(std::uint32_t id) const { return world->nodes[id]; }
};
struct NeedOf {
    const KeysAndNeeds* world;
    const Room& operator()(std::uint32_t id) const { return world->needs[id]; }
};
using Tree = NeedTree<std::uint32_t, Before, NodeOf, NeedOf>;

std::vector<std::uint32_t> inside(const KeysAndNeeds& world) {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; id < world.nodes.size(); ++id) {
        if (world.nodes[id].inside) ids.push_back(id);
    }
    std::ranges::sort(ids, Before{&world});
    return ids;
}

void expect_as_the_list(const KeysAndNeeds& world, const Tree& tree, std::mt19937_64& random) {
    const std::vector<std::uint32_t> ids = inside(world);
    Room least = kNoRoomEver;
    for (const std::uint32_t id : ids) least.lower_to(world.needs[id]);
    ASSERT_EQ(tree.least(), least);
    ASSERT_EQ(tree.front(), ids.empty() ? Tree::kNobody : ids.front());
    Room room = kNoRoomEver;
    for (const std::size_t at : {0U, 5U}) room.amounts[at] = static_cast<std::int64_t>(random() % 20);
    const auto has_room = [&](std::uint32_t id) { return room.covers(world.needs[id]); };
    const auto first = std::ranges::find_if(ids, has_room);
    ASSERT_EQ(tree.first(room, [](std::uint32_t, bool enough) { return enough; }),
              first == ids.end() ? Tree::kNobody : *first);
}

TEST(NeedTree, agrees_with_a_sorted_list_while_keys_and_needs_change) {
    std::mt19937_64 random(7);
    KeysAndNeeds world(40);
    Tree tree(Before{&world}, NodeOf{&world}, NeedOf{&world});
    for (int step = 0; step < 20'000; ++step) {
        const auto id = static_cast<std::uint32_t>(random() % world.keys.size());
        if (!tree.has(id)) {
            world.change(id, random);
            tree.insert(id);
        } else if (random() % 4 == 0) {
            world.change(id, random);  // remove() looks at neither
            tree.remove(id);
        } else if (random() % 2 == 0) {
            world.keys[id] = static_cast<std::int64_t>(random() % 50);
            tree.update_key(id);
        } else {
            world.change(id, random);
            tree.update(id);
        }
        ASSERT_NO_FATAL_FAILURE(expect_as_the_list(world, tree, random)) << "step " << step;
    }
}

}  // namespace
}  // namespace bayplan::queue_tree
