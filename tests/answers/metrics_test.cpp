// Numbers that only grow, and families that are named after queues: what a queue ever had, also when it is gone.
#include <gtest/gtest.h>

#include "small_partition.h"

namespace bayplan::answers {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

class MetricsTest : public ::testing::Test {
protected:
    MetricsTest() {
        tick(100);
        partition_.node("n1", {{"cpu", 10'000}, {"memory", 4'000}, {"pods", 10}});
        partition_.node("n2", {{"cpu", 10'000}, {"pods", 10}}, {}, NodeAction::create);
    }
    void tick(std::int64_t second) { partition_.engine().apply(Tick{second * kSecond_ns}); }
    void release(const std::string& key) {
        partition_.version();  // it was placed before
        partition_.shim().release(key);
    }
    std::string text() { return whole(*metrics({{partition_.version(), Place()}})); }
    // A sample, as a line.
    static bool has(const std::string& text, const std::string& sample) {
        return text.find("\n" + sample + "\n") != std::string::npos;
    }

    SmallPartition partition_;
};

TEST_F(MetricsTest, count_pods_that_got_a_node_and_left_it) {
    partition_.application("app", "root.prod.web", "alice");
    for (const char* const key : {"one", "two", "three"}) partition_.ask(key, "app", {{"cpu", 1'000}}, 7);
    release("one");
    partition_.ask("too-large", "app", {{"cpu", 99'000}}, 7);
    const std::string shown = text();
    EXPECT_TRUE(has(shown, R"(yunikorn_root_prod_web_queue_container{queue="root.prod.web",state="allocated"} 3)"))
        << shown;
    EXPECT_TRUE(has(shown, R"(yunikorn_root_prod_web_queue_container{queue="root.prod.web",state="released"} 1)"));
    EXPECT_TRUE(has(shown, R"(yunikorn_root_batch_queue_container{queue="root.batch",state="allocated"} 0)"));
    EXPECT_EQ(shown.find("yunikorn_root_prod_queue_container"), std::string::npos);  // no leaf
    EXPECT_TRUE(has(shown, R"(yunikorn_scheduler_container_allocation_attempt_total{state="allocated"} 3)"));
    EXPECT_TRUE(has(shown, R"(yunikorn_scheduler_container_allocation_attempt_total{state="released"} 1)"));
    EXPECT_EQ(shown.find(R"(allocation_attempt_total{state="rejected"})"), std::string::npos);
}

TEST_F(MetricsTest, show_queues_by_their_former_names_too) {
    partition_.application("app", "root.prod.web", "alice");
    partition_.ask("one", "app", {{"cpu", 1'000}}, 7);
    const std::string shown = text();
    for (const char* const sample :
         {R"(yunikorn_root_prod_web_queue_app{queue="root.prod.web",state="running"} 1)",
          R"(yunikorn_root_prod_queue_resource{queue="root.prod",resource="vcore",state="allocated"} 1000)",
          R"(yunikorn_root_prod_queue_resource{queue="root.prod",resource="vcore",state="guaranteed"} 4000)"}) {
        EXPECT_TRUE(has(shown, sample)) << sample << shown;
    }
}

TEST_F(MetricsTest, count_ends_of_applications) {
    partition_.application("app", "root.batch", "bob");
    partition_.ask("one", "app", {{"cpu", 1'000}}, 7);
    release("one");
    partition_.application("eves", "root.none", "eve");
    tick(150);
    std::string shown = text();
    const char* const ended[] = {R"(yunikorn_queue_app{queue="root.batch",state="completed"} 1)",
                                 R"(yunikorn_queue_app_total{queue="root.batch",state="completed"} 1)",
                                 R"(yunikorn_scheduler_application_total{state="completed"} 1)",
                                 R"(yunikorn_scheduler_application_submission_total{result="new"} 1)",
                                 R"(yunikorn_scheduler_application_submission_total{result="accepted"} 1)",
                                 R"(yunikorn_scheduler_application_submission_total{result="rejected"} 1)"};
    for (const char* const sample : ended) EXPECT_TRUE(has(shown, sample)) << sample << shown;
    // Also when nobody lists it any more.
    tick(150 + 73 * 3'600);
    partition_.shim().send(ApplicationsMessage{.add = {}, .remove = std::vector{partition_.shim().id("app")}});
    shown = text();
    for (const char* const sample : ended) EXPECT_TRUE(has(shown, sample)) << sample << shown;
}

TEST_F(MetricsTest, nodes_are_active_while_they_drain_and_counted_when_they_go) {
    partition_.node("n2", {{"cpu", 10'000}, {"pods", 10}}, {}, NodeAction::drain);
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="active"} 2)")) << text();
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="draining"} 1)"));
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="decommissioned"} 0)"));
    partition_.node("n2", {}, {}, NodeAction::decommission);
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="active"} 1)"));
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="draining"} 0)"));
    EXPECT_TRUE(has(text(), R"(yunikorn_scheduler_node{state="decommissioned"} 1)"));
}

TEST_F(MetricsTest, nodes_are_counted_by_use) {
    partition_.application("app", "root.prod.api", "alice");
    partition_.ask("one", "app", {{"cpu", 1'100}}, 7);
    const std::string shown = text();
    for (const char* const sample : {R"(yunikorn_scheduler_vcore_node_usage_total{range="[0,10%]"} 1)",
                                     R"(yunikorn_scheduler_vcore_node_usage_total{range="(10%,20%]"} 1)",
                                     R"(yunikorn_scheduler_memory_node_usage_total{range="[0,10%]"} 1)",
                                     R"(yunikorn_scheduler_memory_node_usage_total{range="(90%,100%]"} 0)"}) {
        EXPECT_TRUE(has(shown, sample)) << sample << shown;
    }
}

TEST_F(MetricsTest, a_queue_that_goes_takes_its_families_along_and_the_sums_stay) {
    partition_.application("app", "", "dora");
    partition_.ask("one", "app", {{"cpu", 1'000}}, 7);
    EXPECT_TRUE(has(text(), R"(yunikorn_root_users_dora_queue_container{queue="root.users.dora",state="allocated"} 1)"))
        << text();
    release("one");
    tick(150);
    partition_.shim().send(ApplicationsMessage{.add = {}, .remove = std::vector{partition_.shim().id("app")}});
    tick(200);
    tick(300);
    const std::string shown = text();
    EXPECT_EQ(shown.find("yunikorn_root_users_dora"), std::string::npos) << shown;
    EXPECT_TRUE(has(shown, R"(yunikorn_scheduler_container_allocation_attempt_total{state="allocated"} 1)")) << shown;
    EXPECT_TRUE(has(shown, R"(yunikorn_scheduler_container_allocation_attempt_total{state="released"} 1)")) << shown;
}

TEST(MetricsOfOneLeaf, has_the_same) {
    SmallPartition partition(false);
    partition.node("n1", {{"cpu", 10'000}});
    partition.application("app", "", "bob");
    partition.ask("one", "app", {{"cpu", 1'000}}, 7);
    const std::string shown = whole(*metrics({{partition.version(), Place()}}));
    const std::string sample = R"(yunikorn_root_default_queue_container{queue="root.default",state="allocated"} 1)";
    EXPECT_NE(shown.find("\n" + sample + "\n"), std::string::npos) << shown;
}

}  // namespace
}  // namespace bayplan::answers
