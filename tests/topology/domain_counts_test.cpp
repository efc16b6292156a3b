// Numbers by domain, kept one way or the other, against a map.
#include "topology/domain_counts.h"

#include <array>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace bayplan {
namespace {

TEST(DomainCounts, are_those_of_a_map_however_few_or_many_there_are) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const std::uint64_t domains = std::array{3, 200, 300, 5'000}[seed % 4];
        DomainCounts counts;
        std::map<Domain, std::int32_t> expected;
        bool was_few = false;
        bool was_all = false;
        for (int step = 0; step < 3'000; ++step) {
            // Few at first, then many.
            const auto domain = static_cast<Domain>(step < 300 ? domains - 1 - random() % 3 : random() % domains);
            const std::int32_t change = expected[domain] > 0 && random() % 5 < 2 ? -1 : 1;
            expected[domain] += change;
            ASSERT_EQ(counts.add(domain, change), expected[domain]);
            (counts.column(0) == nullptr ? was_few : was_all) = true;
            const auto other = static_cast<Domain>(random() % (domains + 10));
            ASSERT_EQ(counts[other], expected.contains(other) ? expected[other] : 0) << "seed " << seed;
        }
        counts.for_each([&](Domain domain, std::int32_t number) {
            EXPECT_EQ(number, expected.contains(domain) ? expected[domain] : 0);
            expected.erase(domain);
        });
        std::erase_if(expected, [](const auto& one) { return one.second == 0; });
        EXPECT_TRUE(expected.empty()) << expected.begin()->first << " was left out";
        EXPECT_EQ(was_few, domains > 256);
        EXPECT_TRUE(was_all);
        const std::int32_t* const column = counts.column(domains + 100);
        ASSERT_NE(column, nullptr);
        EXPECT_EQ(column[domains + 99], 0);
        EXPECT_EQ(column[0], counts[0]);
    }
}

}  // namespace
}  // namespace bayplan
