// Scores by table, computed by hand from the formulas of Kubernetes 1.35.

#include <gtest/gtest.h>

#include "cluster/resources.h"
#include "scoring/registry.h"

namespace bayplan {
namespace {

struct Amounts {
    std::int64_t cpu_capacity, cpu_used, cpu_asked;
    std::int64_t memory_capacity, memory_used, memory_asked;
};

struct Case {
    const char* about;
    Amounts amounts;
    std::int64_t least, most;
};

// least = ((a - r) * 100 / a) per kind, mean; most = (min(r, a) * 100 / a) per kind, mean; truncating.
const Case kCases[] = {
    {"half of each", {100, 25, 25, 100, 25, 25}, 50, 50},
    {"empty node, empty ask", {100, 0, 0, 100, 0, 0}, 100, 0},
    {"truncation per kind and of the mean", {3, 1, 0, 7, 2, 1}, (66 + 57) / 2, (33 + 42) / 2},
    {"full", {100, 90, 10, 100, 100, 0}, 0, 100},
    {"more than there is counts as none left, and as full", {100, 90, 20, 100, 0, 50}, 25, 75},
    {"a kind without capacity is left out", {100, 30, 0, 0, 0, 0}, 70, 30},
    {"neither kind", {0, 0, 0, 0, 0, 0}, 0, 0},
};

// Of a node with these amounts, at lane 9 of a block.
std::int64_t score_of(const Score& score, const Amounts& amounts, std::int64_t weight) {
    NodeBlock block;
    block.resources.resize(4);
    for (auto& columns : block.resources) {
        columns = std::make_unique<ResourceColumns>();
    }
    block.resources[0]->capacity[9] = amounts.cpu_capacity;
    block.resources[1]->capacity[9] = amounts.memory_capacity;
    // Scored amounts, not requests; foreign pods count alike.
    block.resources[0]->used[9] = 1'000;
    block.resources[raw(kScoredCpu)]->used[9] = amounts.cpu_used / 2;
    block.resources[raw(kScoredCpu)]->foreign[9] = amounts.cpu_used - amounts.cpu_used / 2;
    block.resources[raw(kScoredMemory)]->used[9] = amounts.memory_used;
    block.resources[0]->held[9] = 50;  // holds do not count
    AskClass ask_class;
    ask_class.own_cpu = amounts.cpu_asked;
    ask_class.own_memory = amounts.memory_asked;
    LaneScores scores{};
    score.add(ask_class, block, std::uint64_t{1} << 9, weight, scores);
    return scores[9];
}

TEST(Scores, least_and_most_allocated_by_table) {
    for (const Case& one : kCases) {
        const LaneKernels& kernels = lane_kernels(SimdLevel::automatic);
        EXPECT_EQ(score_of(*make_least_allocated(kernels), one.amounts, 1), one.least) << one.about;
        EXPECT_EQ(score_of(*make_most_allocated(kernels), one.amounts, 3), 3 * one.most) << one.about << " (weight 3)";
    }
}

struct ShapeCase {
    const char* about;
    std::vector<ScorePoint> shape;
    Amounts amounts;
    std::int64_t score;
};

// Per kind the line at r * 100 / a (truncating, at most 100), ten times the corners' scores; then the mean
// of the resources that score, rounded.
const ShapeCase kShapeCases[] = {
    {"the default packs", {{0, 0}, {100, 10}}, {100, 25, 25, 100, 20, 20}, 45},
    {"rounded half away from zero", {{0, 0}, {100, 10}}, {100, 25, 25, 100, 20, 25}, 48},
    {"use is truncated", {{0, 0}, {100, 10}}, {3, 1, 1, 3, 1, 1}, 66},
    {"a kind of score 0 is left out", {{0, 0}, {100, 10}}, {100, 25, 25, 100, 0, 0}, 50},
    {"all kinds of score 0", {{0, 0}, {100, 10}}, {100, 0, 0, 100, 0, 0}, 0},
    {"a kind without capacity is left out", {{0, 10}, {100, 0}}, {100, 30, 0, 0, 0, 0}, 70},
    {"neither kind", {{0, 10}, {100, 10}}, {0, 0, 0, 0, 0, 0}, 0},
    {"more than there is counts as full", {{0, 10}, {100, 1}}, {100, 90, 20, 100, 100, 0}, 10},
    {"level before the first corner", {{40, 3}, {60, 9}}, {100, 10, 0, 100, 40, 0}, 30},
    {"level after the last", {{40, 3}, {60, 9}}, {100, 61, 0, 100, 100, 0}, 90},
    {"a corner itself", {{0, 0}, {50, 7}, {100, 1}}, {100, 50, 0, 100, 50, 0}, 70},
    {"falling, truncated towards zero", {{0, 0}, {50, 7}, {100, 1}}, {100, 51, 0, 100, 51, 0}, 69},
    {"one corner is a level", {{50, 4}}, {100, 1, 0, 100, 99, 0}, 40},
};

TEST(Scores, requested_to_capacity_ratio_by_table) {
    for (const ShapeCase& one : kShapeCases) {
        const auto score = make_requested_to_capacity_ratio(one.shape);
        EXPECT_EQ(score_of(*score, one.amounts, 1), one.score) << one.about;
        EXPECT_EQ(score_of(*score, one.amounts, 4), 4 * one.score) << one.about << " (weight 4)";
    }
}

TEST(Scores, the_setting_chooses_the_form_of_node_resources_fit) {
    const Amounts amounts{100, 20, 0, 100, 10, 0};
    EngineOptions options;
    options.weights[ScoreId::balanced_allocation] = 0;
    options.score_shape = {{0, 1}};
    const auto score = [&](ScorePolicy policy) {
        options.score = policy;
        const ScoreSet scores = make_scores(options);
        EXPECT_EQ(scores.size(), 1u);
        return score_of(*scores.at(0).score, amounts, scores.at(0).weight);
    };
    EXPECT_EQ(score(ScorePolicy::least_allocated), 85);
    EXPECT_EQ(score(ScorePolicy::most_allocated), 15);
    EXPECT_EQ(score(ScorePolicy::requested_to_capacity_ratio), 10);
}

}  // namespace
}  // namespace bayplan
