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

// Kinds of an operator's choice, by hand: cpu 100 of 400 in use with the ask, memory 60 of 100, gpu 2 of 8, disk 30 of 90.
struct WeightedCase {
    const char* about;
    std::vector<ScoredResource> scored;
    std::int64_t least, most, shaped;
};

const WeightedCase kWeightedCases[] = {
    {"one kind", {{"cpu", 1}}, 75, 25, 25},
    {"weights, truncating", {{"cpu", 2}, {"memory", 1}}, (2 * 75 + 40) / 3, (2 * 25 + 60) / 3, 37},
    {"a kind that the pod asks for", {{"example.com/gpu", 3}, {"memory", 1}}, (3 * 75 + 40) / 4, (3 * 25 + 60) / 4, 34},
    {"a kind that it does not ask for counts if it is local storage",
     {{"example.com/other", 100}, {"ephemeral-storage", 1}, {"cpu", 1}},
     (66 + 75) / 2,
     (33 + 25) / 2,
     29},
    {"a kind that the node has not", {{"example.com/none", 5}, {"cpu", 1}}, 75, 25, 25},
    {"nothing that counts", {{"example.com/other", 5}}, 0, 0, 0},
};

TEST(Scores, weighted_kinds_by_table) {
    for (const WeightedCase& one : kWeightedCases) {
        EngineOptions options;
        options.score_resources = one.scored;
        ResourceTable names;
        acquire_scored(names, one.scored);
        NodeBlock block;
        const auto give = [&](const char* name, const char* used_by, std::int64_t capacity, std::int64_t used) {
            for (const char* const column : {name, used_by}) {
                const ResourceId id = names.acquire(column);
                block.resources.resize(std::max<std::size_t>(block.resources.size(), raw(id) + 1));
                auto& at = block.resources[raw(id)];
                if (at == nullptr) {
                    at = std::make_unique<ResourceColumns>();
                }
            }
            block.resources[raw(names.acquire(name))]->capacity[9] = capacity;
            block.resources[raw(names.acquire(used_by))]->used[9] = used;
        };
        give("cpu", "cpu\nscored", 400, 70);
        give("memory", "memory\nscored", 100, 60);
        give("example.com/gpu", "example.com/gpu", 8, 1);
        give("example.com/other", "example.com/other", 10, 5);
        give("ephemeral-storage", "ephemeral-storage", 90, 30);
        AskClass asks;
        asks.own_cpu = 30;
        asks.requests = {{names.acquire("example.com/gpu"), 1}, {names.acquire("example.com/none"), 1}};
        for (const auto& [policy, wanted] :
             {std::pair(ScorePolicy::least_allocated, one.least), std::pair(ScorePolicy::most_allocated, one.most),
              std::pair(ScorePolicy::requested_to_capacity_ratio, one.shaped)}) {
            options.score = policy;
            const auto score = make_resources_fit_score(options);
            LaneScores scores{};
            score->add(asks, block, std::uint64_t{1} << 9, 1, scores);
            EXPECT_EQ(scores[9], wanted) << one.about << ", form " << static_cast<int>(policy);
            EXPECT_FALSE(score->is_bounded());
        }
    }
}

TEST(Scores, cpu_and_memory_alike_are_scored_by_the_forms_for_many_nodes) {
    EngineOptions options;
    options.score_resources = {{"memory", 7}, {"cpu", 7}};
    EXPECT_TRUE(make_resources_fit_score(options)->is_bounded());
    options.score_resources = {{"memory", 7}, {"cpu", 6}};
    EXPECT_FALSE(make_resources_fit_score(options)->is_bounded());
}

}  // namespace
}  // namespace bayplan
