// A hash table in parts is a hash table, and moves a part at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"
#include "base/split_map.h"

namespace bayplan {
namespace {

using Numbers = SplitMap<std::uint32_t, std::uint64_t, NumberHash>;

std::map<std::uint32_t, std::uint64_t> all_of(const Numbers& numbers) {
    std::map<std::uint32_t, std::uint64_t> all;
    for (const auto& [key, value] : numbers) EXPECT_TRUE(all.emplace(key, value).second) << key << " twice";
    return all;
}

TEST(SplitMap, agrees_with_a_map_after_every_step) {
    std::mt19937_64 random(4);
    Numbers numbers;
    std::map<std::uint32_t, std::uint64_t> model;
    for (std::uint64_t step = 0; step < 300'000; ++step) {
        const auto key = static_cast<std::uint32_t>(random() % 20'000);
        switch (random() % 5) {
            case 0: {
                const auto [place, fresh] = numbers.emplace(key, step);
                const auto [expected, was_fresh] = model.emplace(key, step);
                ASSERT_EQ(fresh, was_fresh);
                ASSERT_EQ(place->first, key);
                ASSERT_EQ(place->second, expected->second);
                break;
            }
            case 1: numbers[key] = model[key] = step; break;
            case 2: ASSERT_EQ(numbers.erase(key), model.erase(key)); break;
            case 3:
                if (const auto place = numbers.find(key); place != numbers.end()) {
                    numbers.erase(place);
                    ASSERT_EQ(model.erase(key), 1u);
                }
                break;
            default: {
                const Numbers& constant = numbers;
                ASSERT_EQ(constant.contains(key), model.contains(key));
                if (model.contains(key)) {
                    ASSERT_EQ(constant.at(key), model.at(key));
                }
            }
        }
        ASSERT_EQ(numbers.size(), model.size());
        if (step % 10'000 == 0) {
            ASSERT_EQ(all_of(numbers), model);
        }
    }
    ASSERT_GT(model.size(), Numbers::kInOnePart);
    numbers.clear();
    EXPECT_TRUE(numbers.empty());
    EXPECT_EQ(numbers.begin(), numbers.end());
}

TEST(SplitMap, goes_entry_by_entry_as_it_is_emptied) {
    Numbers numbers;
    for (std::uint32_t key = 0; key < 1'000; ++key) numbers[key] = key;
    std::vector<std::uint32_t> gone;
    for (auto place = numbers.begin(); place != numbers.end();) {
        gone.push_back(place->first);
        numbers.erase(place++);
    }
    std::ranges::sort(gone);
    ASSERT_EQ(gone.size(), 1'000u);
    EXPECT_EQ(gone.back(), 999u);
    EXPECT_TRUE(numbers.empty());
}

TEST(SplitMap, finds_texts_by_views) {
    SplitMap<std::string, int, TextHash, std::equal_to<>> texts;
    texts["a text that is too long to lie in a string itself"] = 7;
    EXPECT_EQ(texts.at(std::string_view("a text that is too long to lie in a string itself")), 7);
    EXPECT_FALSE(texts.contains(std::string_view("a")));
}

std::uint64_t hashes = 0;
struct CountingHash {
    std::size_t operator()(std::uint64_t key) const {
        ++hashes;
        return HashSecret::of_process().of_number(key);
    }
};

// Each entry that moves is hashed.
TEST(SplitMap, moves_a_part_at_a_time) {
    SplitMap<std::uint64_t, int, CountingHash> map;
    constexpr std::uint64_t kEntries = 200'000;
    std::uint64_t most = 0;
    for (std::uint64_t key = 0; key < kEntries; ++key) {
        const std::uint64_t before = hashes;
        map.emplace(key, 0);
        most = std::max(most, hashes - before);
    }
    EXPECT_GT(most, Numbers::kInOnePart) << "it was never split";
    EXPECT_LT(most, 4 * Numbers::kInOnePart);
}

}  // namespace
}  // namespace bayplan
