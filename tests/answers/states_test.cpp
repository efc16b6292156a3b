// Answers about pods that wait, are reserved for or many, and about partitions without queues.
#include <gtest/gtest.h>

#include "answers/json_text.h"
#include "answers/pod_view.h"
#include "small_partition.h"

namespace bayplan::answers {
namespace {

std::string text(AnswerPtr answer) { return answer == nullptr ? "none" : whole(*answer); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Answers, a_pod_that_failed_says_why_and_how_often) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    partition.application("app", "root.batch", "bob");
    partition.ask("too-large", "app", {{"cpu", 4'000}, {"pods", 1}}, 17);
    partition.version();
    for (int second = 1; second <= 2; ++second) {
        partition.node("n1", {{"cpu", 1'000 + second}, {"pods", 10}}, {},
                       NodeAction::update);  // may help: it is tried again
        partition.engine().apply(Tick{second * 20'000'000'000});
        partition.version();
    }
    Place place;
    place.zero_tick_ns = 1'000;
    EXPECT_EQ(
        text(application(partition.version(), place, "app", "")),
        R"({"applicationID":"app","pendingResource":{"pods":1,"vcore":4000},"partition":"default",)"
        R"("queueName":"root.batch","submissionTime":17000000000,"requests":[{"allocationKey":"too-large",)"
        R"("requestTime":17000000000,"resource":{"pods":1,"vcore":4000},"priority":"0","applicationId":"app",)"
        R"("allocationLog":[{"message":"0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, )"
        R"(preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",)"
        R"("lastOccurrence":40000001000,"count":3}],"schedulingAttempted":true,"triggeredScaleUp":true}],)"
        R"("applicationState":"Accepted","user":"bob","groups":["bob"],)"
        R"("stateLog":[{"time":1000,"applicationState":"Accepted"}],"startTime":-62135596800000,"resourceHistory":{}})");
    // Without the time of the clock's zero there is no time to say.
    EXPECT_FALSE(has(text(application(partition.version(), {}, "app", "")), "lastOccurrence"));
}

TEST(Answers, pods_have_the_tags_that_their_shim_told_last) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    partition.application("app", "root.batch", "bob");
    testing::TestShim& shim = partition.shim();
    const std::vector<Attribute> tags = {{shim.id("b"), shim.id("2")}, {shim.id("a"), 0}, {shim.id("b"), shim.id("3")}};
    AskItem item;
    item.tags = tags;
    partition.ask("one", "app", {{"cpu", 800}}, 1, item);
    partition.ask("too-large", "app", {{"cpu", 8'000}}, 1, item);
    item.foreign = true;
    item.node = shim.id("n1");
    item.tags = std::span(tags).first(1);
    partition.ask("foreign", "", {{"cpu", 1}}, 1, item);
    VersionPtr version = partition.version();
    const std::string app = text(application(version, {}, "app", ""));
    EXPECT_TRUE(has(app, R"("allocationKey":"one","allocationTags":{"a":"","b":"3"},)")) << app;
    EXPECT_TRUE(has(app, R"("allocationKey":"too-large","allocationTags":{"a":"","b":"3"},)")) << app;
    EXPECT_TRUE(has(*node(version, {}, "n1"), R"("allocationKey":"foreign","allocationTags":{"b":"2"},)"));
    partition.ask("one", "app", {{"cpu", 800}}, 1);
    version = partition.version();
    EXPECT_TRUE(has(*node(version, {}, "n1"), R"("allocationKey":"one","requestTime")")) << *node(version, {}, "n1");
}

TEST(Answers, a_reserved_node_names_the_pods_that_wait_for_it) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    partition.application("app", "root.batch", "bob");
    partition.ask("first", "app", {{"cpu", 800}, {"pods", 1}}, 1);
    partition.version();
    AskItem daemon;
    daemon.daemonset = true;
    daemon.required_node = partition.shim().id("n1");
    partition.ask("daemon", "app", {{"cpu", 500}, {"pods", 1}}, 2, daemon);
    const VersionPtr version = partition.version();
    EXPECT_TRUE(has(*node(version, {}, "n1"), R"("isReserved":true,"reservations":["daemon"]})"));
    const std::string app = text(application(version, {}, "app", ""));
    EXPECT_TRUE(has(app, R"("hasReserved":true,"reservations":["daemon"],)")) << app;
    EXPECT_TRUE(has(app, R"("requiredNodeId":"n1")")) << app;
}

TEST(Answers, a_queried_pod_names_its_plugins_the_node_and_since_when_it_waits) {
    SmallPartition partition(false);
    testing::TestShim shim(partition.engine(), "with-plugins", 2, "license\ntape\n");
    shim.application("app");
    shim.node("n1", {{"cpu", 2'000}, {"pods", 10}});
    SpecItem needing;
    needing.number = 1;
    needing.spec.plugins = {shim.id("license"), shim.id("tape")};
    shim.send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
    partition.engine().apply(Tick{5'000});
    AskItem ask;
    ask.key = "asking";
    ask.application = shim.id("app");
    ask.spec = 1;
    shim.send(AsksMessage{std::span(&ask, 1)});
    Place place;
    place.zero_tick_ns = 1'000;
    const auto shown = [&] { return pods_named(partition.version(), place, "asking"); };
    const std::string reason =
        R"("allocationLog":[{"message":"waits for plugin license, tape","lastOccurrence":6000,"count":1}])";
    EXPECT_TRUE(has(shown(), R"({"state":"queried","queue":"root.default","queriedNode":"n1",)")) << shown();
    EXPECT_TRUE(has(shown(), reason)) << shown();
    EXPECT_TRUE(has(pending_by_reason(partition.version()), R"({"reason":"waits for plugin license, tape","pods":1})"));

    // Stated again it is first pending, and asked about again.
    partition.engine().apply(Tick{7'000});
    ask.priority = 1;
    shim.send(AsksMessage{std::span(&ask, 1)});
    EXPECT_TRUE(has(shown(), R"("lastOccurrence":8000,"count":1}])")) << shown();

    const PluginAnswer failure{.query = 2, .verdicts = {}, .failure = "no tape drive answers"};
    shim.send(PluginAnswersMessage{std::span(&failure, 1)});
    EXPECT_TRUE(has(shown(), R"({"state":"backoff",)")) << shown();
    EXPECT_TRUE(has(shown(), R"([{"message":"plugin license, tape: no tape drive answers",)")) << shown();

    partition.engine().apply(Tick{5'000'000'000});
    EXPECT_TRUE(has(shown(), R"("state":"queried")")) << shown();
    const PluginVerdict yes = PluginVerdict::feasible;
    const PluginAnswer answer{.query = 3, .verdicts = std::span(&yes, 1)};
    shim.send(PluginAnswersMessage{std::span(&answer, 1)});
    EXPECT_TRUE(has(shown(), R"({"state":"allocated",)")) << shown();
    EXPECT_FALSE(has(shown(), "allocationLog")) << shown();
}

TEST(Answers, a_victim_is_preempted_and_its_preemptor_says_so) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    partition.application("app", "root.prod.api", "frank");
    partition.ask("low", "app", {{"cpu", 800}, {"pods", 1}}, 1);
    partition.version();
    AskItem high;
    high.priority = 10;
    partition.ask("high", "app", {{"cpu", 500}, {"pods", 1}}, 2, high);
    const VersionPtr version = partition.version();
    EXPECT_TRUE(has(*node(version, {}, "n1"), R"("allocationKey":"low")"));
    EXPECT_TRUE(has(*node(version, {}, "n1"), R"("preempted":true)"));
    EXPECT_TRUE(has(text(application(version, {}, "app", "")), R"("triggeredPreemption":true)"));
    EXPECT_TRUE(
        has(text(queue(version, "root.prod.api", false, {})), R"("preemptingResource":{"pods":1,"vcore":800})"));
}

TEST(Answers, a_queue_over_its_maximum_says_since_when) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 10'000}, {"pods", 10}});
    partition.application("app", "root.batch", "frank");
    partition.ask("one", "app", {{"cpu", 3'000}, {"pods", 1}}, 1);
    Place place;
    place.zero_tick_ns = 1'000;
    const auto batch = [&] { return text(queue(partition.version(), "root.batch", false, place)); };
    EXPECT_FALSE(has(batch(), "overMaxSince"));
    partition.engine().apply(Tick{5'000});
    const auto limit = [&](const std::string& cores) {
        const std::string queues =
            "partitions:\n- name: default\n  preemption: {quotapreemptionenabled: true}\n  queues:\n  - name: root\n"
            "    submitacl: '*'\n    queues: [{name: batch, properties: {quota.preemption.delay: 2s}, resources: "
            "{max: {vcore: " +
            cores + "}}}]\n";
        partition.engine().apply(QueuesText{.partition = "default", .text = queues});
    };
    limit("1");
    EXPECT_TRUE(has(batch(), R"("overMaxSince":6000,"quotaPreemptionStartTime":2000006000})")) << batch();
    EXPECT_FALSE(has(text(queue(partition.version(), "root.batch", false, {})), "overMaxSince"))
        << "times are not known";
    limit("3");
    EXPECT_FALSE(has(batch(), "overMaxSince"));
}

TEST(Answers, a_partition_without_queues_has_root_and_one_leaf) {
    SmallPartition partition(false);
    partition.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    partition.application("app", "", "");
    partition.ask("one", "app", {{"cpu", 500}, {"pods", 1}}, 0);
    const VersionPtr version = partition.version();
    EXPECT_EQ(text(application(version, {}, "app", "root.default")),
              R"({"applicationID":"app","usedResource":{"pods":1,"vcore":500},)"
              R"("maxUsedResource":{"pods":1,"vcore":500},"partition":"default",)"
              R"("queueName":"root.default","allocations":[{"allocationKey":"one","resource":{"pods":1,"vcore":500},)"
              R"("priority":"0","nodeId":"n1","applicationId":"app"}],"maxRequestPriority":-2147483648,)"
              R"("resourceHistory":{}})");
    const std::string all = text(queues(version, {}));
    EXPECT_TRUE(has(all, R"("childNames":["root.default"])")) << all;
    EXPECT_TRUE(has(all, R"("allocatedResource":{"pods":1,"vcore":500})")) << all;
    EXPECT_EQ(text(users(version)), "[]");
}

TEST(Answers, an_empty_partition_has_empty_lists) {
    SmallPartition partition;
    const VersionPtr version = partition.version();
    EXPECT_EQ(text(nodes(version, {})), "[]");
    EXPECT_EQ(text(applications(version, {}, "")), "[]");
    EXPECT_EQ(text(groups(version)), "[]");
}

TEST(Answers, long_ones_come_in_pieces) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 1'000'000}, {"pods", 1'000}});
    partition.application("app", "root.batch", "bob");
    for (int pod = 0; pod < 900; ++pod) {
        partition.ask("pod-" + std::to_string(10'000 + pod), "app", {{"cpu", 1}, {"pods", 1}}, 0);
    }
    const VersionPtr version = partition.version();
    const AnswerPtr answer = applications(version, {}, "");
    std::size_t pieces = 0;
    std::string all;
    for (std::string piece = answer->next(); !piece.empty(); piece = answer->next()) {
        EXPECT_LT(piece.size(), 128u << 10);
        all += piece;
        ++pieces;
    }
    EXPECT_GT(pieces, 1u);
    std::size_t at = 0;
    for (int pod = 0; pod < 900; ++pod) {
        at = all.find(R"("allocationKey":"pod-)" + std::to_string(10'000 + pod) + '"', at);
        ASSERT_NE(at, std::string::npos) << pod;
    }
    EXPECT_TRUE(all.starts_with("[{") && all.ends_with("}]"));
}

TEST(JsonText, escapes_texts_and_separates_values) {
    JsonText json;
    json.begin_object();
    json.member("quote \"", std::string_view("back\\slash\n\x01"));
    json.member_if("none", std::string_view());
    json.member_if("zero", std::int64_t{0});
    json.member_if("no", false);
    json.name("real").value_real(2.0);
    json.name("list");
    json.begin_array();
    json.value(true);
    json.value(1.5 > 1);
    json.null();
    json.begin_object();
    json.end_object();
    json.end_array();
    json.end_object();
    EXPECT_EQ(json.take(), R"({"quote \"":"back\\slash\n\u0001","real":2,"list":[true,true,null,{}]})");
}

TEST(Answers, say_which_quota_holds_an_ask_back) {
    SmallPartition partition;
    partition.node("n1", {{"cpu", 64'000}, {"memory", 64'000'000'000}, {"pods", 110}});
    partition.application("hers", "root.prod.web", "alice");
    partition.application("his", "root.batch", "bob");
    const auto log = [&](const std::string& application_name) {
        const std::string shown = text(application(partition.version(), {}, application_name, ""));
        const std::size_t at = shown.find("\"allocationLog\":");
        return at == std::string::npos ? std::string() : shown.substr(at, shown.find(']', at) + 1 - at);
    };
    // Six cores are a limit of hers, below the queue's; the first leaves two.
    partition.ask("one", "hers", {{"cpu", 4'000}}, 17);
    partition.ask("two", "hers", {{"cpu", 3'000}}, 18);
    EXPECT_EQ(log("hers"), R"("allocationLog":[{"message":"Not enough user quota","count":1}])");
    // Five cores are the most of the queue.
    partition.ask("three", "his", {{"cpu", 3'000}}, 17);
    EXPECT_EQ(log("his"), "");
    partition.ask("four", "his", {{"cpu", 3'000}}, 18);
    EXPECT_EQ(log("his"), R"("allocationLog":[{"message":"Preemption preconditions failed","count":1},)"
                          R"({"message":"Preemption queue guarantees check failed","count":1},)"
                          R"({"message":"Preemption does not help","count":1},)"
                          R"({"message":"Not enough queue quota","count":1}])");
    // Room comes back.
    partition.shim().release("one");
    EXPECT_EQ(log("hers"), "");
    // Two cores are guaranteed to the queue; another has used up what both may have. In time pods may go for it.
    partition.shim().release("two");
    partition.application("its", "root.prod.api", "carol");
    partition.ask("five", "its", {{"cpu", 20'000}}, 19);
    partition.application("theirs", "root.prod.web", "dave");
    partition.ask("six", "theirs", {{"cpu", 2'000}}, 20);
    EXPECT_EQ(log("theirs"), R"("allocationLog":[{"message":"Not enough queue quota","count":1}])");
    partition.ask("seven", "theirs", {{"cpu", 2'001}}, 20);
    EXPECT_NE(log("theirs").find("guarantees check failed"), std::string::npos);
}

TEST(Answers, say_how_a_shim_was_built) {
    SmallPartition partition;
    Place place;
    place.build_of = [](const std::string& shim) {
        return shim == "cluster-a" ? std::string("buildVersion=1.2=3\narch=amd64\nbuildVersion=1.3\n") : std::string();
    };
    EXPECT_TRUE(has(clusters({{partition.version(), place}}),
                    R"("rmBuildInformation":[{"arch":"amd64","buildVersion":"1.3","rmId":"cluster-a"}])"));
}

}  // namespace
}  // namespace bayplan::answers
