// rules/scores.md: NodeResourcesFit among the scores, in its three forms.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace bayplan::oracle {
namespace {

// NodeResourcesFit alone among the scores.
EngineOptions only_fit(ScorePolicy score) {
    EngineOptions options;
    options.score = score;
    for (const ScoreRow& row : kScoreRows) {
        options.weights[row.id] = row.id == ScoreId::resources_fit ? 1 : 0;
    }
    return options;
}

struct FitScore : testing::Test {
    void SetUp() override { cluster.ready(); }
    std::string run_one() {
        const std::size_t before = cluster.oracle.log().size();
        cluster.oracle.run(1);
        return cluster.oracle.log().size() == before ? "nothing" : cluster.oracle.log().back();
    }
    OwnedAsk ask(const std::string& key, std::int64_t cpu, std::int32_t priority = 0) {
        return {.key = key, .application = kAppA, .priority = priority, .requests = {{kCpu, cpu}}};
    }
    SmallCluster cluster{only_fit(ScorePolicy::least_allocated)};
};

TEST_F(FitScore, LeastAllocatedAveragesWhatTheNodeHas) {
    cluster.node(kNode1, {{kCpu, 1000}, {kMemory, 1000}});
    cluster.node(kNode2, {{kCpu, 1000}});
    // n1: (90 + 100) / 2 = 95; n2: 90. Memory asked for with 0 is not a missing request.
    const auto ask = [](const std::string& key, std::int64_t cpu) {
        return OwnedAsk{.key = key, .application = kAppA, .requests = {{kCpu, cpu}, {kMemory, 0}}};
    };
    cluster.ask(ask("x", 100));
    EXPECT_EQ(run_one(), "1 0 place s/x n1 - -");
    // n1: (80 + 100) / 2 = 90; n2: 90: the lower slot.
    cluster.ask(ask("y", 100));
    EXPECT_EQ(run_one(), "2 0 place s/y n1 - -");
    // n1: (70 + 100) / 2 = 85; n2: 90.
    cluster.ask(ask("z", 100));
    EXPECT_EQ(run_one(), "3 0 place s/z n2 - -");
}

TEST_F(FitScore, ForeignUseCountsInTheScoreAndHoldsDoNot) {
    cluster.node(kNode1, {{kCpu, 1000}});
    cluster.node(kNode2, {{kCpu, 1000}});
    cluster.ask({.key = "f", .node = kNode1, .foreign = true, .requests = {{kCpu, 10}}});
    cluster.hold(1, "n2", 100, {{"cpu", 500}});
    cluster.ask(ask("x", 100));  // n1: 89, n2: 90 although half of it is held
    EXPECT_EQ(run_one(), "1 0 place s/x n2 - -");
    cluster.ask(ask("y", 450, 99));  // n2 has 400 for it, n1: 54
    EXPECT_EQ(run_one(), "2 0 place s/y n1 - -");
    cluster.ask(ask("z", 600, 100));  // the hold is not kept from priority 100
    EXPECT_EQ(run_one(), "3 0 place s/z n2 - -");
}

TEST(OtherFitScores, MostAllocatedPacks) {
    SmallCluster cluster(only_fit(ScorePolicy::most_allocated));
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}});
    cluster.node(kNode2, {{kCpu, 500}});
    for (const std::string key : {"x", "y", "z"}) {
        cluster.ask({.key = key, .application = kAppA, .requests = {{kCpu, 300}}});
        cluster.oracle.run(1);
    }
    EXPECT_EQ(cluster.oracle.log()[0], "1 0 place s/x n2 - -");
    EXPECT_EQ(cluster.oracle.log()[1], "2 0 place s/y n1 - -");
    EXPECT_EQ(cluster.oracle.log()[2], "3 0 place s/z n1 - -");
}

TEST(OtherFitScores, RequestedToCapacityRatioFollowsItsShape) {
    EngineOptions options = only_fit(ScorePolicy::requested_to_capacity_ratio);
    options.score_shape = {{0, 0}, {50, 10}, {100, 2}};
    SmallCluster cluster(options);
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}});
    cluster.node(kNode2, {{kCpu, 700}});
    for (const std::string key : {"x", "y", "z"}) {
        cluster.ask({.key = key, .application = kAppA, .requests = {{kCpu, 300}}});
        cluster.oracle.run(1);
    }
    // 30 % is 60 and 42 % is 84; then 85 % is 44 (100 - 80 * 35 / 50); then n1 at 60 % is 84.
    EXPECT_EQ(cluster.oracle.log()[0], "1 0 place s/x n2 - -");
    EXPECT_EQ(cluster.oracle.log()[1], "2 0 place s/y n1 - -");
    EXPECT_EQ(cluster.oracle.log()[2], "3 0 place s/z n1 - -");
}

TEST(OtherFitScores, KindsCountByTheirWeights) {
    EngineOptions options = only_fit(ScorePolicy::least_allocated);
    options.score_resources = {{"cpu", 1}, {"gpu", 3}};
    SmallCluster cluster(options);
    cluster.ready();
    cluster.node(kNode1, {{kCpu, 1000}, {kGpu, 2}});
    cluster.node(kNode2, {{kCpu, 400}, {kGpu, 8}});
    // Without a gpu cpu alone counts: 90 and 75. With one, (80 + 3 * 50) / 4 = 57 and (75 + 3 * 87) / 4 = 84.
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 100}}});
    cluster.oracle.run(1);
    EXPECT_EQ(cluster.oracle.log()[0], "1 0 place s/x n1 - -");
    cluster.ask({.key = "y", .application = kAppA, .requests = {{kCpu, 100}, {kGpu, 1}}});
    cluster.oracle.run(1);
    EXPECT_EQ(cluster.oracle.log()[1], "2 0 place s/y n2 - -");
}

TEST_F(FitScore, ARequestThatIsMissingCountsWithItsDefault) {
    cluster.node(kNode1, {{kCpu, 1000}});
    cluster.node(kNode2, {{kCpu, 1000}});
    cluster.ask({.key = "w", .application = kAppA, .node = kNode1});  // 100
    cluster.ask({.key = "x", .application = kAppA, .node = kNode2, .node_cpu = 90});
    cluster.ask({.key = "y", .application = kAppA});
    EXPECT_EQ(run_one(), "1 0 place s/y n2 - -");
    cluster.ask({.key = "z", .application = kAppA, .own_cpu = 900});  // n1: 1000, n2: 1090
    EXPECT_EQ(run_one(), "2 0 place s/z n1 - -");
}

TEST_F(FitScore, ANodeWithoutCpuAndMemoryScoresNothing) {
    cluster.node(kNode1, {{kGpu, 4}});
    cluster.node(kNode2, {{kGpu, 4}, {kCpu, 10}});
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kGpu, 1}, {kCpu, 0}}});
    EXPECT_EQ(run_one(), "1 0 place s/x n2 - -");
}

}  // namespace
}  // namespace bayplan::oracle
