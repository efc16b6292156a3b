// Records of few ids: whose record is whose, and that none moves.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "base/sparse_table.h"

namespace bayplan {
namespace {

using SparseTexts = SparseTable<AskId, std::string>;
constexpr std::uint32_t kIdsOfSparse = 100'000;

TEST(SparseTable, agrees_with_a_map_over_random_histories_and_moves_no_record) {
    SparseTexts table;
    std::map<AskId, std::pair<std::string, const std::string*>> model;
    std::mt19937_64 random(1);
    for (int step = 0; step < 30'000; ++step) {
        // Ids come in runs; waves of growing and shrinking.
        const auto id = static_cast<AskId>(random() % kIdsOfSparse / 1'000 * 1'000 + random() % 20);
        const auto known = model.find(id);
        ASSERT_EQ(table.contains(id), known != model.end());
        ASSERT_EQ(table.find(id), known == model.end() ? nullptr : known->second.second);
        if (known == model.end() && random() % 100 < (step / 5'000 % 2 == 0 ? 70u : 30u)) {
            std::string& made = table.make(id);
            ASSERT_TRUE(made.empty()) << "a record that is used again is not fresh";
            made = "of step " + std::to_string(step);
            model.emplace(id, std::pair(made, &made));
        } else if (known != model.end()) {
            ASSERT_EQ(&table.make(id), known->second.second) << "it has one already";
            ASSERT_EQ(*table.find(id), known->second.first);
            if (random() % 2 == 0) {
                table.remove(id);
                model.erase(known);
            }
        }
        ASSERT_EQ(table.size(), model.size());
    }
    std::multiset<std::string> all;
    table.for_each([&](const std::string& text) { all.insert(text); });
    std::multiset<std::string> expected;
    for (const auto& [id, text] : model) {
        expected.insert(text.first);
    }
    EXPECT_EQ(all, expected);
    EXPECT_FALSE(table.contains(static_cast<AskId>(10 * kIdsOfSparse))) << "an id that never was";
}

}  // namespace
}  // namespace bayplan
