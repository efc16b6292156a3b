// Placeholders of applications: who takes them over, where, and what becomes of them in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr std::int64_t kInTime = 10'000'000'000;

class PlaceholdersTest : public ::testing::Test {
protected:
    void SetUp() override {
        give("{name: a, submitacl: '*', resources: {max: {vcore: 4}}}");
        application("app", 2, GangStyle::soft);
    }

    void give(const std::string& queue) {
        const std::string text =
            "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - " + queue + "\n";
        engine_.apply(QueuesText{.partition = "default", .text = text});
        ASSERT_EQ(engine_.queues_fault(), "");
    }

    // Its placeholders need so many cores together, and have ten seconds.
    void application(const std::string& name, std::int64_t cores, GangStyle style) {
        const Amount together{shim_.id("cpu"), cores * 1'000};
        const ApplicationItem item{.application = shim_.id(name),
                                   .queue = shim_.id("root.a"),
                                   .user = shim_.id("ann"),
                                   .placeholder_ask = std::span(&together, 1),
                                   .gang_style = style,
                                   .placeholder_timeout_ms = 10'000};
        shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }

    void pod(const std::string& key, bool placeholder, std::int64_t cpu = 1'000, const std::string& name = "app") {
        const Amount amount{shim_.id("cpu"), cpu};
        AskItem item;
        item.key = key;
        item.application = shim_.id(name);
        item.group = shim_.id("workers");
        item.requests = std::span(&amount, 1);
        item.placeholder = placeholder;
        shim_.send(AsksMessage{std::span(&item, 1)});
    }

    void node(const std::string& name, std::int64_t cpu) { shim_.node(name, {{"cpu", cpu}, {"pods", 10}}); }

    // Texts of what a shim was told of the ask, by kind.
    std::vector<std::string> told(DecisionKind kind, const std::string& key) {
        engine_.flush();
        std::vector<std::string> texts;
        for (const KeepingSink::Kept& one : sink_.kept[1]) {
            if (one.kind == kind && one.name == key)
                texts.push_back(kind == DecisionKind::allocated ? one.node : one.text);
        }
        return texts;
    }

    std::string state(const std::string& key) const { return engine_.ask_state("s", key); }

    KeepingSink sink_;
    Engine engine_{options_with_queues(), sink_};
    TestShim shim_{engine_, "s"};
};

using Texts = std::vector<std::string>;

TEST_F(PlaceholdersTest, an_ask_takes_over_a_placeholder_and_its_node_before_all_others) {
    node("n1", 4'000);
    pod("keeps-1", true, 2'000);
    pod("keeps-2", true, 2'000);
    EXPECT_EQ(engine_.run(10), 2u);
    shim_.ask("other", "app", {{"cpu", 1'000}}, 100);  // the queue is full
    EXPECT_EQ(engine_.run(10), 0u);

    pod("works", false, 2'000);
    EXPECT_EQ(told(DecisionKind::released, "keeps-1"), Texts{"replaced by s/works"});
    EXPECT_EQ(told(DecisionKind::released, "keeps-2"), Texts{});
    EXPECT_EQ(state("works"), "gated");
    EXPECT_EQ(engine_.run(10), 0u) << "the placeholder is still there";
    EXPECT_EQ(state("keeps-1"), "unacknowledged");

    shim_.release("keeps-1");
    ASSERT_TRUE(engine_.has_work());
    EXPECT_EQ(engine_.next_ask()->key, "works") << "though the other has priority 100 and was there before";
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "works"), Texts{"n1"});
    EXPECT_EQ(state("other"), "pending");
}

TEST_F(PlaceholdersTest, an_ask_waits_for_its_placeholder_and_says_so) {
    node("n1", 1'000);
    pod("keeps", true, 2'000);
    EXPECT_EQ(engine_.run(10), 1u);
    pod("works", false, 1'000);  // it would fit the node
    EXPECT_EQ(engine_.run(10), 0u);
    std::string why;
    engine_.ask_state("s", "works", &why);
    EXPECT_EQ(why, "waits for a placeholder of its task group to get a node");
    EXPECT_EQ(engine_.explain("s", "works", false)->message, why);
    node("n2", 2'000);
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::released, "keeps"), Texts{"replaced by s/works"});
    engine_.ask_state("s", "works", &why);
    EXPECT_EQ(why, "takes over placeholder keeps, and waits for it to be gone");
}

TEST_F(PlaceholdersTest, an_ask_that_fits_none_or_comes_late_is_tried_like_others) {
    node("n1", 8'000);
    pod("keeps", true, 1'000);
    EXPECT_EQ(engine_.run(10), 1u);
    pod("large", false, 2'000);
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "large"), Texts{"n1"});
    pod("works", false, 1'000);
    pod("late", false, 1'000);
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "late"), Texts{"n1"});
    EXPECT_EQ(state("works"), "gated");
}

TEST_F(PlaceholdersTest, an_ask_whose_placeholder_is_lost_with_its_node_finds_another) {
    node("n1", 2'000);
    pod("keeps", true, 1'000);
    EXPECT_EQ(engine_.run(10), 1u);
    pod("works", false, 1'000);
    node("n2", 2'000);
    shim_.node("n1", {}, NodeAction::decommission);
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "works"), Texts{"n2"});
}

TEST_F(PlaceholdersTest, a_nack_of_a_placeholder_that_is_to_go_is_its_end) {
    node("n1", 2'000);
    pod("keeps", true, 1'000);
    EXPECT_EQ(engine_.run(10), 1u);
    pod("works", false, 1'000);
    shim_.nack("keeps");
    EXPECT_EQ(state("keeps"), "");
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "works"), Texts{"n1"});
}

TEST_F(PlaceholdersTest, a_soft_gang_that_is_not_whole_in_time_goes_on_without_placeholders) {
    node("n1", 1'500);
    pod("keeps-1", true);
    pod("keeps-2", true);
    EXPECT_EQ(engine_.run(10), 2u);
    EXPECT_EQ(state("keeps-2"), "unschedulable");
    EXPECT_EQ(engine_.next_timer_ns(), kInTime);
    engine_.apply(Tick{kInTime});
    const Texts late{"not all placeholders were placed in time"};
    EXPECT_EQ(told(DecisionKind::released, "keeps-1"), late);
    EXPECT_EQ(told(DecisionKind::released, "keeps-2"), late);
    EXPECT_EQ(state("keeps-1"), "unacknowledged") << "until its shim has deleted it";
    EXPECT_EQ(state("keeps-2"), "") << "it was nowhere";
    pod("works", false);
    EXPECT_EQ(state("works"), "pending");
    shim_.release("keeps-1");
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(told(DecisionKind::allocated, "works"), Texts{"n1"});
}

TEST_F(PlaceholdersTest, a_hard_gang_that_is_not_whole_in_time_fails_with_all_its_asks) {
    application("hard", 2, GangStyle::hard);
    node("n1", 1'500);
    pod("keeps-1", true, 1'000, "hard");
    pod("keeps-2", true, 1'000, "hard");
    EXPECT_EQ(engine_.run(10), 2u);
    pod("waits", false, 500, "hard");
    EXPECT_EQ(state("waits"), "gated");
    engine_.apply(Tick{kInTime});
    EXPECT_EQ(state("waits"), "");
    EXPECT_EQ(told(DecisionKind::released, "keeps-1"), Texts{"replaced by s/waits"}) << "it goes already";
    EXPECT_EQ(told(DecisionKind::released, "waits"), Texts{"not all placeholders were placed in time"});
    pod("more", false, 500, "hard");
    EXPECT_EQ(told(DecisionKind::ask_rejected, "more"), Texts{"application hard has failed"});
}

TEST_F(PlaceholdersTest, placeholders_that_nobody_needs_go_in_time_and_leave_the_application_running) {
    node("n1", 8'000);
    pod("keeps-1", true);
    pod("keeps-2", true);
    EXPECT_EQ(engine_.run(10), 2u);
    engine_.apply(Tick{kInTime - 1});
    EXPECT_EQ(told(DecisionKind::released, "keeps-1"), Texts{});
    engine_.apply(Tick{kInTime});
    EXPECT_EQ(told(DecisionKind::released, "keeps-1"), Texts{"the placeholder was not used in time"});
    pod("works", false);
    EXPECT_EQ(engine_.run(10), 1u);
}

TEST_F(PlaceholdersTest, what_cannot_be_a_placeholder_is_refused) {
    const Amount amount{shim_.id("cpu"), 1};
    AskItem item;
    item.key = "alone";
    item.application = shim_.id("app");
    item.requests = std::span(&amount, 1);
    item.placeholder = true;
    shim_.send(AsksMessage{std::span(&item, 1)});
    EXPECT_EQ(told(DecisionKind::ask_rejected, "alone"), Texts{"a placeholder is in a task group without a minimum"});
    pod("works", false);
    pod("works", true);
    EXPECT_EQ(told(DecisionKind::ask_rejected, "works"), Texts{"is no placeholder"});
    application("too-large", 5, GangStyle::soft);
    EXPECT_EQ(told(DecisionKind::application_rejected, "too-large").size(), 1u);
}

TEST(Placeholders, need_queues) {
    KeepingSink sink;
    EngineOptions options = options_with_queues();
    options.queues = false;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.application("app");
    AskItem item;
    item.key = "keeps";
    item.application = shim.id("app");
    item.group = shim.id("workers");
    item.placeholder = true;
    shim.send(AsksMessage{std::span(&item, 1)});
    engine.flush();
    EXPECT_EQ(sink.kept[1].back().text, "placeholders need queues");
}

}  // namespace
}  // namespace bayplan::testing
