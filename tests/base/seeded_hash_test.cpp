// Hashes by secret: two secrets hash differently, one always alike, and numbers or texts that differ little fall apart.
#include "base/seeded_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bayplan {
namespace {

constexpr int kBits = 14;
constexpr std::uint64_t kMany = 1u << kBits;

TEST(SeededHash, AnotherSecretIsAnotherHash) {
    const HashSecret a = HashSecret::drawn();
    const HashSecret b = HashSecret::drawn();
    // Short, longer, and beyond each length for which XXH3 has a way of its own.
    for (const std::size_t length : {1u, 8u, 16u, 100u, 200u, 1000u}) {
        const std::string text(length, 'x');
        EXPECT_NE(a.of_text(text), b.of_text(text)) << length;
        EXPECT_EQ(a.of_text(text), a.of_text(text)) << length;
    }
    int alike = 0;
    for (std::uint64_t number = 0; number < kMany; ++number) {
        alike += a.of_number(number) == b.of_number(number);
    }
    EXPECT_EQ(alike, 0);
    EXPECT_NE(a.with(a.with(0, 1), 2), b.with(b.with(0, 1), 2));
}

TEST(SeededHash, OrderOfValuesCounts) {
    const HashSecret secret = HashSecret::drawn();
    EXPECT_NE(secret.with(secret.with(0, 1), 2), secret.with(secret.with(0, 2), 1));
    EXPECT_NE(secret.with(secret.with(0, 0), 0), secret.with(0, 0));
}

// How many of `kMany` places the hashes take by their upper and by their lower bits: the less of both.
std::size_t places_of(const std::vector<std::uint64_t>& hashes) {
    std::vector<bool> low(kMany), high(kMany);
    for (const std::uint64_t hash : hashes) {
        low[hash % kMany] = true;
        high[hash >> (64 - kBits)] = true;
    }
    return std::min(std::ranges::count(low, true), std::ranges::count(high, true));
}

// As dense numbers, as multiples of a power of two, and as texts that end differently: no more than chance puts together
// in the upper or the lower bits, by whichever secret a process draws.
TEST(SeededHash, LikeKeysFallApart) {
    for (int secrets = 0; secrets < 50; ++secrets) {
        const HashSecret secret = HashSecret::drawn();
        std::vector<std::uint64_t> dense, far, texts;
        for (std::uint64_t number = 0; number < kMany; ++number) {
            dense.push_back(secret.of_number(number));
            far.push_back(secret.of_number(number << 40));
            texts.push_back(secret.of_text("default/web-" + std::to_string(number)));
        }
        // Of as many places as keys, chance fills 63 %: 10,356, with a deviation of 40.
        EXPECT_GT(places_of(dense), kMany * 6 / 10);
        EXPECT_GT(places_of(far), kMany * 6 / 10);
        EXPECT_GT(places_of(texts), kMany * 6 / 10);
    }
}

}  // namespace
}  // namespace bayplan
