// Tags of applications in an engine: where they bring an application, and what they say of its queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"

namespace bayplan::testing {
namespace {

using StatedTags = std::vector<std::pair<std::string, std::string>>;

class ApplicationTagsTest : public ::testing::Test {
protected:
    static constexpr std::int64_t kSecond = 1'000'000'000;

    void give(const std::string& rules, const std::string& queues = "    - {name: a, submitacl: '*'}\n") {
        const std::string text = "partitions:\n- name: default\n" + rules +
                                 "  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n" + queues;
        engine_.apply(QueuesText{.partition = "default", .text = text});
        ASSERT_EQ(engine_.queues_fault(), "");
    }

    void application(const std::string& name, const StatedTags& tags, const std::string& queue = "",
                     const std::string& user = "ann") {
        std::vector<Attribute> stated;
        for (const auto& [key, value] : tags) {
            stated.push_back({shim_.id(key), shim_.id(value)});
        }
        const ApplicationItem item{.application = shim_.id(name),
                                   .queue = queue.empty() ? 0 : shim_.id(queue),
                                   .user = user.empty() ? 0 : shim_.id(user),
                                   .tags = stated};
        shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }

    const QueueReport* find(const std::string& path) {
        reports_ = engine_.queues();
        const auto found = std::find_if(reports_.begin(), reports_.end(),
                                        [&](const QueueReport& report) { return report.path == path; });
        return found == reports_.end() ? nullptr : &*found;
    }
    const KeepingSink::Kept& last() {
        engine_.flush();
        engine_.settle();
        return sink_.kept.at(1).back();
    }
    std::uint64_t applications_of(const std::string& path) {
        const QueueReport* const report = find(path);
        return report == nullptr ? 0 : report->applications;
    }
    void pods(const std::string& application, int count) {
        for (int i = 0; i < count; ++i) {
            shim_.ask(application + std::to_string(i), application, {{"cpu", 1'000}, {"pods", 1}});
        }
        engine_.run(1'000);
    }
    void at(std::int64_t second) {
        engine_.apply(Tick{second * kSecond});
        engine_.run(1'000);
    }
    static std::string cores(int count) {
        return R"({"resources": {"vcore": {"value": )" + std::to_string(1'000 * count) + "}}}";
    }

    KeepingSink sink_;
    Engine engine_{options_with_queues(), sink_};
    TestShim shim_{engine_, "s"};
    std::vector<QueueReport> reports_;
};

TEST_F(ApplicationTagsTest, a_rule_makes_a_queue_for_each_namespace) {
    give("  placementrules: [{name: tag, value: namespace, create: true}]\n");
    application("one", {{"namespace", "team.x"}}, "root.a");
    application("two", {{"NameSpace", "root.a"}});
    application("three", {});
    EXPECT_EQ(applications_of("root.team_dot_x"), 1u);
    EXPECT_EQ(applications_of("root.a"), 1u);
    EXPECT_EQ(last().kind, DecisionKind::application_rejected);
    EXPECT_EQ(last().text, "no placement rule matched");
}

TEST_F(ApplicationTagsTest, one_that_runs_already_finds_the_recovery_queue_and_nobody_else_does) {
    give("");
    application("lost", {{"application.create.force", "true"}}, "root.gone", "");
    application("late", {{"application.create.force", "no"}}, "root.gone");
    application("sly", {}, "root.@recovery@");
    EXPECT_EQ(applications_of("root.@recovery@"), 1u);
    EXPECT_EQ(last().text, "no placement rule matched");
}

TEST_F(ApplicationTagsTest, the_quota_of_a_namespace_holds_for_the_queue_that_is_made_for_it) {
    give("  placementrules: [{name: tag, value: namespace, create: true}]\n");
    shim_.node("n", {{"cpu", 100'000}, {"pods", 1'000}});
    application("one", {{"namespace", "team"}, {"namespace.resourcequota", cores(3)}});
    pods("one", 5);
    EXPECT_EQ(engine_.counters().allocations, 3u);
    application("two", {{"namespace", "team"}, {"namespace.resourcequota", cores(4)}});
    engine_.run(1'000);
    EXPECT_EQ(engine_.counters().allocations, 4u);
    application("three", {{"namespace", "a"}, {"namespace.resourcequota", cores(1)}});  // a file's queue
    pods("three", 2);
    EXPECT_EQ(engine_.counters().allocations, 6u);
}

TEST_F(ApplicationTagsTest, a_guarantee_that_rises_by_a_tag_wakes_who_may_preempt_for_it) {
    give("  placementrules: [{name: tag, value: namespace, create: true}]\n",
         "    - {name: a, properties: {preemption.delay: 1s}}\n");
    shim_.node("n", {{"cpu", 4'000}, {"pods", 1'000}});
    application("full", {{"namespace", "a"}});
    pods("full", 4);
    application("poor", {{"namespace", "team"}, {"namespace.resourceguaranteed", cores(1)}});
    pods("poor", 2);
    at(31);
    EXPECT_EQ(engine_.counters().guarantee_victims, 1u);
    engine_.flush();
    engine_.settle();
    for (const KeepingSink::Kept& one : sink_.kept.at(1)) {
        if (one.kind == DecisionKind::released) {
            shim_.release(one.name);
        }
    }
    at(100);
    application("more", {{"namespace", "team"}, {"namespace.resourceguaranteed", cores(2)}});
    engine_.run(1'000);
    at(131);
    EXPECT_EQ(engine_.counters().guarantee_victims, 2u);
}

TEST_F(ApplicationTagsTest, what_cannot_be_a_tag_is_refused) {
    give("");
    const std::vector<Attribute> many(257, Attribute{shim_.id("namespace"), shim_.id("x")});
    const std::vector<Attribute> unknown = {{shim_.id("namespace"), 9'999}};
    for (const auto& [tags, text] :
         {std::pair(many, "a list of more than 256 entries"), std::pair(unknown, "unknown dictionary id")}) {
        const ApplicationItem item{
            .application = shim_.id("one"), .queue = shim_.id("root.a"), .user = shim_.id("ann"), .tags = tags};
        shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
        EXPECT_EQ(last().text, text);
    }
    EXPECT_EQ(applications_of("root.a"), 0u);
}

}  // namespace
}  // namespace bayplan::testing
