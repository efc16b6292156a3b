// Sets of nodes against std::set, and how large they are.
#include "cluster/node_set.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/property/random.h"

namespace bayplan {
namespace {

TEST(NodeSetTest, have_the_nodes_that_came_and_did_not_go) {
    property::Random random(5);
    for (const std::uint32_t nodes : {20u, 700u, 5'000u}) {
        NodeSet set;
        std::set<Slot> wanted;
        bool more = true;
        for (int step = 0; step < 20'000; ++step) {
            more = random.chance(1) ? random.chance(50) : more;
            const Slot slot = static_cast<Slot>(random.below(nodes));
            if (wanted.contains(slot) && !more) {
                set.remove(slot);
                wanted.erase(slot);
            } else if (!wanted.contains(slot) && more) {
                set.add(slot);
                wanted.insert(slot);
            }
            if (step % 100 != 0) continue;
            std::vector<Slot> found;
            set.for_each([&](Slot one) { found.push_back(one); });
            ASSERT_EQ(found, std::vector<Slot>(wanted.begin(), wanted.end())) << step;
            ASSERT_EQ(set.size(), wanted.size());
            ASSERT_EQ(set.empty(), wanted.empty());
        }
    }
}

TEST(NodeSetTest, are_no_larger_than_slots_or_bits_would_be) {
    NodeSet set;
    for (std::uint32_t slot = 900'000; slot < 900'020; ++slot) set.add(static_cast<Slot>(slot));
    EXPECT_LE(set.bytes(), 20u * 8);  // room to grow
    for (std::uint32_t slot = 0; slot < 200'000; ++slot) set.add(static_cast<Slot>(slot));
    EXPECT_LE(set.bytes(), 2u * 900'100 / 8);
    for (std::uint32_t slot = 0; slot < 200'000; ++slot) set.remove(static_cast<Slot>(slot));
    EXPECT_LE(set.bytes(), 10'000u * 8);
}

}  // namespace
}  // namespace bayplan
