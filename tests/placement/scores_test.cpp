// Scores by table, computed by hand from the formulas of Kubernetes 1.35.

#include <gtest/gtest.h>

#include "cluster/kinds.h"
#include "scoring/score.h"

namespace bayplan {
namespace {

struct Case {
    const char* about;
    std::int64_t cpu_capacity, cpu_used, cpu_asked;
    std::int64_t memory_capacity, memory_used, memory_asked;
    std::int64_t least, most;
};

// least = ((a - r) * 100 / a) per kind, mean; most = (min(r, a) * 100 / a) per kind, mean; truncating.
const Case kCases[] = {
    {"half of each", 100, 25, 25, 100, 25, 25, 50, 50},
    {"empty node, empty ask", 100, 0, 0, 100, 0, 0, 100, 0},
    {"truncation per kind and of the mean", 3, 1, 0, 7, 2, 1, (66 + 57) / 2, (33 + 42) / 2},
    {"full", 100, 90, 10, 100, 100, 0, 0, 100},
    {"more than there is counts as none left, and as full", 100, 90, 20, 100, 0, 50, 25, 75},
    {"a kind without capacity is left out", 100, 30, 0, 0, 0, 0, 70, 30},
    {"neither kind", 0, 0, 0, 0, 0, 0, 0, 0},
};

TEST(Scores, least_and_most_allocated_by_table) {
    for (const Case& one : kCases) {
        NodeBlock block;
        block.kinds.resize(4);
        for (auto& columns : block.kinds) {
            columns = std::make_unique<KindColumns>();
        }
        block.kinds[0]->capacity[9] = one.cpu_capacity;
        block.kinds[1]->capacity[9] = one.memory_capacity;
        // What scores count, not what was requested; foreign pods count alike.
        block.kinds[0]->used[9] = 1'000;
        block.kinds[raw(kScoredCpu)]->used[9] = one.cpu_used / 2;
        block.kinds[raw(kScoredCpu)]->foreign[9] = one.cpu_used - one.cpu_used / 2;
        block.kinds[raw(kScoredMemory)]->used[9] = one.memory_used;
        block.kinds[0]->held[9] = 50;  // holds do not count
        AskClass ask_class;
        ask_class.own_cpu = one.cpu_asked;
        ask_class.own_memory = one.memory_asked;
        LaneScores least{};
        LaneScores most{};
        make_least_allocated()->add(ask_class, block, std::uint64_t{1} << 9, 1, least);
        make_most_allocated()->add(ask_class, block, std::uint64_t{1} << 9, 3, most);
        EXPECT_EQ(least[9], one.least) << one.about;
        EXPECT_EQ(most[9], 3 * one.most) << one.about << " (weight 3)";
    }
}

}  // namespace
}  // namespace bayplan
