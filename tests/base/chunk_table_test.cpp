// Records by id in chunks: what comes back where, what moves, and what is given back.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/chunk_table.h"

namespace bayplan {
namespace {

using Table = ChunkTable<AskId, std::string, 64>;

TEST(ChunkTable, agrees_with_a_map_over_random_histories_and_moves_no_record) {
    Table table;
    std::map<AskId, std::pair<std::string, const std::string*>> model;
    std::mt19937_64 random(1);
    for (int step = 0; step < 60'000; ++step) {
        // Waves: mostly growing, then mostly shrinking.
        const bool grows = random() % 100 < (step / 10'000 % 2 == 0 ? 70u : 30u);
        if (grows || model.empty()) {
            const AskId id = table.add();
            EXPECT_TRUE(table[id].empty()) << "a place that is used again is not fresh";
            table[id] = "a record that is too long for its own place " + std::to_string(step);
            ASSERT_TRUE(model.emplace(id, std::pair(table[id], &table[id])).second) << "an id was given twice";
        } else {
            auto chosen = model.lower_bound(static_cast<AskId>(random() % (raw(model.rbegin()->first) + 1)));
            EXPECT_TRUE(table.contains(chosen->first));
            table.remove(chosen->first);
            EXPECT_FALSE(table.contains(chosen->first));
            model.erase(chosen);
        }
        ASSERT_EQ(table.size(), model.size());
    }
    std::vector<AskId> seen;
    table.for_each([&](AskId id, const std::string& record) {
        seen.push_back(id);
        EXPECT_EQ(record, model.at(id).first);
        EXPECT_EQ(&record, model.at(id).second);
    });
    EXPECT_EQ(seen.size(), model.size());
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(ChunkTable, chunks_whose_records_are_gone_are_given_back) {
    Table table;
    std::vector<AskId> ids;
    for (int i = 0; i < 64 * 100; ++i) ids.push_back(table.add());
    const std::size_t full = table.bytes();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i % (64 * 10) != 0) table.remove(ids[i]);  // one record stays in every tenth chunk
    }
    EXPECT_EQ(table.size(), 10u);
    EXPECT_LT(table.bytes(), full / 4);
    for (std::size_t i = 0; i < ids.size(); i += 64 * 10) {
        EXPECT_TRUE(table.contains(ids[i]));
        table.remove(ids[i]);
    }
    EXPECT_LT(table.bytes(), full / 6);
    // And come again.
    for (int i = 0; i < 64 * 100; ++i) ids.push_back(table.add());
    EXPECT_EQ(table.bytes(), full);
}

TEST(ChunkTable, the_lowest_chunk_with_room_is_used_first) {
    Table table;
    std::vector<AskId> ids;
    for (int i = 0; i < 64 * 3; ++i) ids.push_back(table.add());
    table.remove(ids[150]);
    table.remove(ids[70]);
    EXPECT_EQ(table.add(), ids[70]);
    EXPECT_EQ(table.add(), ids[150]);
    EXPECT_FALSE(table.contains(kNone<AskId>));
}

}  // namespace
}  // namespace bayplan
