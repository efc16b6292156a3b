// Answers about applications as they come, run, end and begin anew, and about rejected ones.
#include <gtest/gtest.h>

#include "small_partition.h"

namespace bayplan::answers {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class LivesTest : public ::testing::Test {
protected:
    LivesTest() {
        place_.zero_tick_ns = 1'000'000 * kSecond;
        tick(100);
        partition_.node("n1", {{"cpu", 8'000}, {"memory", 4'000}, {"pods", 10}});
        partition_.application("app", "root.batch", "bob");
    }

    void tick(std::int64_t second) { partition_.engine().apply(Tick{second * kSecond}); }
    void release(const std::string& key) {
        partition_.version();  // it was placed before
        partition_.shim().release(key);
    }
    static std::string text(AnswerPtr answer) { return answer == nullptr ? "none" : whole(*answer); }
    std::string live(const std::string& state) { return text(applications(partition_.version(), place_, state)); }
    std::string completed() { return text(completed_applications(partition_.version(), place_)); }
    std::string app() { return text(application(partition_.version(), place_, "app", "")); }

    // With nothing else between.
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

    SmallPartition partition_;
    Place place_;
};

TEST_F(LivesTest, an_application_that_has_had_nothing_for_half_a_minute_is_complete) {
    EXPECT_EQ(app(), R"({"applicationID":"app","partition":"default","queueName":"root.batch",)"
                     R"("submissionTime":1000100000000000,"applicationState":"New","user":"bob","groups":["bob"],)"
                     R"("maxRequestPriority":-2147483648,"startTime":-62135596800000,"resourceHistory":{}})");
    tick(101);
    partition_.ask("one", "app", {{"cpu", 1'000}, {"memory", 50}}, 7);
    partition_.ask("two", "app", {{"cpu", 2'000}}, 8);
    partition_.version();
    partition_.shim().release("two");
    partition_.ask("three", "app", {{"memory", 100}}, 8);
    EXPECT_TRUE(
        has(app(), R"("usedResource":{"memory":150,"vcore":1000},"maxUsedResource":{"memory":150,"vcore":3000},)"))
        << app();
    tick(102);
    release("one");
    release("three");
    EXPECT_TRUE(has(app(), R"("applicationState":"Completing")")) << app();
    tick(131);
    EXPECT_TRUE(has(app(), R"("applicationState":"Completing")")) << app();
    EXPECT_EQ(completed(), "[]");
    tick(132);
    EXPECT_EQ(app(), "none");
    EXPECT_EQ(live(""), "[]");
    EXPECT_EQ(completed(),
              R"([{"applicationID":"app","maxUsedResource":{"memory":150,"vcore":3000},"partition":"default",)"
              R"("queueName":"root.batch","submissionTime":7000000000,"finishedTime":1000132000000000,)"
              R"("applicationState":"Completed","user":"bob","groups":["bob"],"stateLog":[)"
              R"({"time":1000101000000000,"applicationState":"Accepted"},)"
              R"({"time":1000101000000000,"applicationState":"Running"},)"
              R"({"time":1000102000000000,"applicationState":"Completing"},)"
              R"({"time":1000132000000000,"applicationState":"Completed"}],)"
              R"("maxRequestPriority":-2147483648,"startTime":1000101000,"resourceHistory":{}}])");
    EXPECT_TRUE(has(partitions({{partition_.version(), place_}}), R"("applications":{"Completed":1,"total":1})"));
}

TEST_F(LivesTest, its_next_pods_are_a_new_applications_under_the_same_name) {
    partition_.ask("one", "app", {{"cpu", 4'000}}, 7);
    release("one");
    tick(150);
    partition_.ask("two", "app", {{"cpu", 1'000}}, 9);
    EXPECT_TRUE(has(app(), R"("maxUsedResource":{"vcore":1000},)")) << app();
    EXPECT_TRUE(has(app(), R"("submissionTime":9000000000,)")) << app();
    EXPECT_TRUE(has(app(), R"("stateLog":[{"time":1000150000000000,"applicationState":"Accepted"},)"
                           R"({"time":1000150000000000,"applicationState":"Running"}],)"))
        << app();
    EXPECT_TRUE(has(app(), R"("startTime":1000150000,)")) << app();
    EXPECT_TRUE(has(completed(), R"("maxUsedResource":{"vcore":4000},)")) << completed();
    release("two");
    tick(200);
    EXPECT_TRUE(has(partitions({{partition_.version(), place_}}), R"("applications":{"Completed":2,"total":2})"));
    // All of that is still known when its shim removes it, and for three days.
    partition_.shim().send(ApplicationsMessage{.add = {}, .remove = std::vector{partition_.shim().id("app")}});
    EXPECT_TRUE(has(completed(), R"("startTime":1000150000,)")) << completed();
    tick(150 + 72 * 3'600);
    partition_.node("n2", {{"cpu", 1}});
    EXPECT_FALSE(has(completed(), R"("maxUsedResource":{"vcore":4000},)")) << completed();
    EXPECT_TRUE(has(completed(), R"("maxUsedResource":{"vcore":1000},)")) << completed();
}

TEST_F(LivesTest, one_that_comes_back_in_time_runs_on) {
    partition_.ask("one", "app", {{"cpu", 4'000}}, 7);
    release("one");
    tick(129);
    partition_.ask("two", "app", {{"cpu", 9'000}}, 9);
    EXPECT_TRUE(has(app(), R"("applicationState":"Running")")) << app();
    tick(140);
    EXPECT_TRUE(has(app(), R"("applicationState":"Running")")) << app();
    EXPECT_TRUE(has(app(), R"("startTime":1000100000,)")) << app();
}

TEST_F(LivesTest, a_log_has_the_first_state_and_the_latest) {
    for (int turn = 0; turn < 20; ++turn) {
        tick(101 + turn);
        partition_.ask("one", "app", {{"cpu", 4'000}}, 7);
        release("one");
    }
    const std::string shown = app();
    EXPECT_TRUE(has(shown, R"("stateLog":[{"time":1000101000000000,"applicationState":"Accepted"},{"time":1000113)"))
        << shown;
    EXPECT_TRUE(has(shown, R"({"time":1000120000000000,"applicationState":"Completing"}],)")) << shown;
}

TEST_F(LivesTest, rejected_applications_say_why) {
    const std::vector<DictId> groups = {partition_.shim().id("guests")};
    const ApplicationItem item{.application = partition_.shim().id("eves"),
                               .queue = partition_.shim().id("root.none"),
                               .user = partition_.shim().id("eve"),
                               .user_groups = groups};
    partition_.shim().send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    partition_.application("app", "root.batch", "bob");  // there already
    EXPECT_EQ(
        text(rejected_applications(partition_.version(), place_)),
        R"([{"applicationID":"eves","partition":"default","queueName":"","submissionTime":1000100000000000,)"
        R"("finishedTime":1000100000000000,"applicationState":"Rejected","user":"eve","groups":["guests"],)"
        R"("rejectedMessage":"failed to place application eves: application rejected: no placement rule matched",)"
        R"("stateLog":[{"time":1000100000000000,"applicationState":"Rejected"}],)"
        R"("maxRequestPriority":-2147483648,"startTime":-62135596800000,"resourceHistory":{}}])");
    EXPECT_TRUE(
        has(partitions({{partition_.version(), place_}}), R"("applications":{"New":1,"Rejected":1,"total":2})"));
}

TEST_F(LivesTest, an_application_that_rests_says_until_when) {
    std::string queues = kQueues;
    const std::string batch = "          - name: batch\n";
    queues.insert(queues.find(batch) + batch.size(),
                  "            properties: {application.unschedasks.backoff: \"2\", "
                  "application.unschedasks.backoff.delay: 2500ms}\n");
    partition_.engine().apply(QueuesText{.partition = "default", .text = queues});
    partition_.ask("too-large", "app", {{"memory", 5'000}}, 1);
    EXPECT_FALSE(has(app(), "backoffDeadline")) << app();
    partition_.ask("likewise", "app", {{"memory", 6'000}}, 1);
    EXPECT_TRUE(has(app(), R"("resourceHistory":{},"backoffDeadline":"1970-01-12T13:48:22.5Z"})")) << app();
    EXPECT_FALSE(has(text(application(partition_.version(), {}, "app", "")), "backoffDeadline"))
        << "the clock's zero is not known";
    tick(103);
    EXPECT_FALSE(has(app(), "backoffDeadline")) << app();
    EXPECT_TRUE(has(app(), R"("allocationKey":"too-large")")) << app();
}

}  // namespace
}  // namespace bayplan::answers
