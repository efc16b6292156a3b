// The order of asks is a strict weak one, and no two asks are equal in it: checked for all triples of random keys.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "apps/ask.h"

namespace bayplan {
namespace {

// Few values of each kind, so that all but the sequence number is often the same. Two names are the same text in two places.
std::vector<PendingKey> random_keys(const std::vector<std::string>& names, std::mt19937& random) {
    std::vector<PendingKey> keys(40);
    std::uint64_t sequence = 0;
    for (PendingKey& key : keys) {
        key.priority = static_cast<std::int32_t>(random() % 3) - 1;
        key.time_ns = static_cast<std::int64_t>(random() % 3) - 1;
        key.gang = random() % 2 == 0;
        if (key.gang) {
            key.gang_name = &names[random() % names.size()];
        } else {
            key.group_number = random() % 4;
        }
        key.sequence = ++sequence;
    }
    return keys;
}

TEST(PendingKey, a_member_of_a_gang_is_a_group_of_its_own) {
    const std::string name = "s a/g";
    PendingKey key;
    key.sequence = 7;
    key.group_number = 3;
    EXPECT_EQ(key.number_of_group(), 3u);
    key.gang = true;
    key.gang_name = &name;
    EXPECT_EQ(key.number_of_group(), 7u);
}

TEST(PendingKey, the_order_is_strict_and_total) {
    const std::vector<std::string> names = {"s a/g", "s a/h", "s b/g", "s a/g"};
    std::mt19937 random(18);
    for (int turn = 0; turn < 20; ++turn) {
        const std::vector<PendingKey> keys = random_keys(names, random);
        for (const PendingKey& a : keys) {
            ASSERT_FALSE(a.comes_before(a));
            for (const PendingKey& b : keys) {
                ASSERT_EQ(a.comes_before(b), &a != &b && !b.comes_before(a));
                for (const PendingKey& c : keys)
                    ASSERT_TRUE(!a.comes_before(b) || !b.comes_before(c) || a.comes_before(c));
            }
        }
    }
}

// Members of a gang follow one another: nothing that is not of it comes between.
TEST(PendingKey, nothing_comes_between_members_of_a_gang) {
    const std::vector<std::string> names = {"s a/g", "s a/h", "s b/g"};
    std::mt19937 random(19);
    for (int turn = 0; turn < 20; ++turn) {
        std::vector<PendingKey> keys = random_keys(names, random);
        PendingKey first = keys.front();
        first.gang = true;
        first.gang_name = &names[0];
        PendingKey last = first;
        first.sequence = 0;
        last.sequence = 1'000;
        for (const PendingKey& other : keys) {
            const bool of_it = other.gang && other.gang_name == first.gang_name && other.priority == first.priority &&
                               other.time_ns == first.time_ns;
            ASSERT_TRUE(of_it || first.comes_before(other) == last.comes_before(other));
        }
    }
}

}  // namespace
}  // namespace bayplan
