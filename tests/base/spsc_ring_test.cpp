// The ring between two threads: bounds, order, batches, ownership, and a run with both sides at
// work.
#include "base/spsc_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace bayplan {
namespace {

TEST(SpscRing, capacity_is_the_next_power_of_two) {
    EXPECT_EQ(SpscRing<int>(0).capacity(), 1u);
    EXPECT_EQ(SpscRing<int>(1).capacity(), 1u);
    EXPECT_EQ(SpscRing<int>(5).capacity(), 8u);
    EXPECT_EQ(SpscRing<int>(64).capacity(), 64u);
}

TEST(SpscRing, a_full_ring_takes_nothing_and_leaves_the_value_alone) {
    SpscRing<std::unique_ptr<int>> ring(2);
    EXPECT_TRUE(ring.push(std::make_unique<int>(1)));
    EXPECT_TRUE(ring.push(std::make_unique<int>(2)));
    EXPECT_EQ(ring.room(), 0u);
    auto third = std::make_unique<int>(3);
    EXPECT_FALSE(ring.push(std::move(third)));
    ASSERT_NE(third, nullptr);
    std::unique_ptr<int> out;
    ASSERT_TRUE(ring.pop(out));
    EXPECT_EQ(*out, 1);
    EXPECT_EQ(ring.room(), 1u);
    EXPECT_TRUE(ring.push(std::move(third)));
    EXPECT_EQ(third, nullptr);
}

TEST(SpscRing, an_empty_ring_gives_nothing) {
    SpscRing<int> ring(4);
    int out = 7;
    EXPECT_TRUE(ring.empty());
    EXPECT_FALSE(ring.pop(out));
    EXPECT_EQ(out, 7);
}

TEST(SpscRing, batches_wrap_around_and_are_cut_at_the_bounds) {
    SpscRing<int> ring(8);
    std::array<int, 6> six{};
    int next_in = 0;
    int next_out = 0;
    for (int round = 0; round < 20; ++round) {
        std::iota(six.begin(), six.end(), next_in);
        const std::size_t pushed = ring.push_batch(six);
        next_in += static_cast<int>(pushed);
        EXPECT_EQ(ring.size_estimate(), static_cast<std::size_t>(next_in - next_out));
        std::array<int, 5> five{};
        const std::size_t popped = ring.pop_batch(five);
        for (std::size_t i = 0; i < popped; ++i) EXPECT_EQ(five[i], next_out++);
        EXPECT_LE(next_in - next_out, 8);
    }
    EXPECT_GE(next_out, 95);
}

TEST(SpscRing, a_popped_slot_holds_no_reference) {
    SpscRing<std::shared_ptr<int>> ring(2);
    auto owner = std::make_shared<int>(1);
    ASSERT_TRUE(ring.push(std::shared_ptr<int>(owner)));
    EXPECT_EQ(owner.use_count(), 2);
    std::shared_ptr<int> out;
    ASSERT_TRUE(ring.pop(out));
    out.reset();
    EXPECT_EQ(owner.use_count(), 1);
}

// Run under ThreadSanitizer as well: the payload is plain memory, so a wrong memory order is a
// race.
TEST(SpscRing, two_threads_hand_over_everything_once_and_in_order) {
    constexpr std::uint64_t kItems = 200'000;
    struct Item {
        std::uint64_t number = 0;
        std::unique_ptr<std::uint64_t> payload;
    };
    SpscRing<Item> ring(64);
    std::thread producer([&ring] {
        std::vector<Item> batch;
        std::uint64_t number = 0;
        while (number < kItems || !batch.empty()) {
            while (batch.size() < 1 + number % 17 && number < kItems) {
                batch.push_back({number, std::make_unique<std::uint64_t>(number * 3)});
                ++number;
            }
            const std::size_t pushed = ring.push_batch(batch);
            batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(pushed));
            if (pushed == 0) std::this_thread::yield();
        }
    });
    std::uint64_t expected = 0;
    std::uint64_t wrong = 0;
    std::array<Item, 23> out;
    while (expected < kItems) {
        const std::size_t popped = ring.pop_batch(out);
        for (std::size_t i = 0; i < popped; ++i) {
            if (out[i].number != expected || *out[i].payload != expected * 3) ++wrong;
            ++expected;
        }
        if (popped == 0) std::this_thread::yield();
    }
    producer.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace bayplan
