// The indexed heap and the tournament against a sorted set, over random inserts, removals and key changes, and their cost:
// the number of comparisons of an update is logarithmic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/indexed_heap.h"
#include "base/winner_tree.h"

namespace bayplan {
namespace {

struct World {
    std::vector<std::int64_t> keys;
    std::vector<std::uint32_t> positions;
    std::uint64_t comparisons = 0;
};

struct Before {
    World* world;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
        ++world->comparisons;
        return std::pair(world->keys[a], a) < std::pair(world->keys[b], b);
    }
};
struct Position {
    World* world;
    std::uint32_t& operator()(std::uint32_t id) const { return world->positions[id]; }
};

using Heap = IndexedHeap<std::uint32_t, Before, Position>;
using Tournament = WinnerTree<std::uint32_t, Before, Position>;

template <typename Order>
class OrdersThatKnowPlaces : public ::testing::Test {};
using Orders = ::testing::Types<Heap, Tournament>;
TYPED_TEST_SUITE(OrdersThatKnowPlaces, Orders);

TYPED_TEST(OrdersThatKnowPlaces, agree_with_a_sorted_set_over_random_histories) {
    std::mt19937_64 random(42);
    World world{std::vector<std::int64_t>(500, 0), std::vector<std::uint32_t>(500, kNotInHeap), 0};
    TypeParam order(Before{&world}, Position{&world});
    std::set<std::pair<std::int64_t, std::uint32_t>> model;
    for (int step = 0; step < 50'000; ++step) {
        const auto id = static_cast<std::uint32_t>(random() % world.keys.size());
        const bool inside = world.positions[id] != kNotInHeap;
        if (step % 10'000 == 9'999) {
            std::ranges::fill(world.keys, 7);  // clear() looks at no keys
            order.clear();
            model.clear();
        } else if (!inside) {
            world.keys[id] = static_cast<std::int64_t>(random() % 100);
            order.insert(id);
            model.emplace(world.keys[id], id);
        } else if (random() % 2 == 0) {
            model.erase({world.keys[id], id});
            world.keys[id] = static_cast<std::int64_t>(random() % 100);
            model.emplace(world.keys[id], id);
            order.update(id);
        } else {
            order.remove(id);
            model.erase({world.keys[id], id});
        }
        ASSERT_EQ(order.size(), model.size());
        ASSERT_EQ(order.empty(), model.empty());
        if (!model.empty()) {
            ASSERT_EQ(order.top(), model.begin()->second);
        }
    }
}

TYPED_TEST(OrdersThatKnowPlaces, update_and_remove_cost_a_logarithm_of_comparisons) {
    constexpr std::uint32_t kItems = 1u << 16;
    std::mt19937_64 random(7);
    World world{std::vector<std::int64_t>(kItems), std::vector<std::uint32_t>(kItems, kNotInHeap), 0};
    TypeParam order(Before{&world}, Position{&world});
    for (std::uint32_t id = 0; id < kItems; ++id) {
        world.keys[id] = static_cast<std::int64_t>(random());
        order.insert(id);
    }
    // A heap of four children on each of its levels; a tournament once on each of its own.
    const auto levels = static_cast<std::uint64_t>(std::ceil(std::log(kItems) / std::log(4.0))) + 1;
    const std::uint64_t most = std::is_same_v<TypeParam, Heap> ? 4 * levels + 1 : 16;
    for (int step = 0; step < 1000; ++step) {
        const auto id = static_cast<std::uint32_t>(random() % kItems);
        world.keys[id] = static_cast<std::int64_t>(random());
        world.comparisons = 0;
        order.update(id);
        EXPECT_LE(world.comparisons, most);
        world.comparisons = 0;
        order.remove(id);
        EXPECT_LE(world.comparisons, most);
        order.insert(id);
    }
}

}  // namespace
}  // namespace bayplan
