// Metrics, health, history and the state dump, asked through the router.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "../answers/small_partition.h"
#include "base/label_value.h"
#include "exposition.h"
#include "rest/routes.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;

std::string whole(http::Response response) {
    std::string text = std::move(response.body);
    while (response.source != nullptr && response.source->next(text) != http::ChunkSource::State::end) {
    }
    return text;
}

class HealthEndpoints : public ::testing::Test {
protected:
    HealthEndpoints() {
        partition_.node("n1", {{"cpu", 16'000}, {"pods", 110}});
        partition_.node("n 2", {{"cpu", 8'000}, {"pods", 110}});
        partition_.application("app-web", "root.prod.web", "alice");
        partition_.ask("web-1", "app-web", {{"cpu", 1000}, {"pods", 1}}, 1700000010);
        partition_.application("app-batch", "root.batch", "bob");
        version_ = partition_.version();
    }

    http::Response ask(const std::string& path) {
        http::Request request;
        request.method = "GET";
        request.path = path;
        return router_.answer(request);
    }

    answers::SmallPartition partition_;
    answers::VersionPtr version_;
    ConfigBoard board_{show_config("partitions: []\n", {})};
    ShownPartitions partitions_{
        {{.partition = "default", .cluster = "c", .started_ns = 0, .zero_tick_ns = {}, .build_of = {}},
         [this] { return version_; }}};
    ConditionBoard condition_;
    Watch watch_{partitions_, &condition_};
    MetricsBoard metrics_;
    http::Router router_{routes({board_, &partitions_, {}, &watch_, &metrics_, &condition_}), "*"};
};

TEST_F(HealthEndpoints, metrics_are_of_the_format_and_of_the_state) {
    metrics_.show("# HELP own The daemon's.\n# TYPE own counter\nown{a=\"" + label_value("x\"\\\ny") + "\"} 3\n");
    const http::Response response = ask("/ws/v1/metrics");
    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    const std::string text = whole(ask("/ws/v1/metrics"));
    EXPECT_EQ(testing::faults_of(text), std::vector<std::string>()) << text;
    for (const std::string line :
         {"yunikorn_queue_resource{queue=\"root\",resource=\"vcore\",state=\"max\"} 24000\n",
          "yunikorn_queue_resource{queue=\"root.prod.web\",resource=\"vcore\",state=\"allocated\"} 1000\n",
          "yunikorn_queue_resource{queue=\"root.prod\",resource=\"vcore\",state=\"guaranteed\"} 4000\n",
          "yunikorn_queue_resource{queue=\"root.prod.web\",resource=\"apps\",state=\"maxRunningApps\"} 5\n",
          "yunikorn_queue_app{queue=\"root.prod.web\",state=\"running\"} 1\n",
          "yunikorn_scheduler_node{state=\"active\"} 2\n", "own{a=\"x\\\"\\\\\\ny\"} 3\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
    EXPECT_NE(testing::faults_of(text + "own{a=\"y\"} 3\nown{a=\"y\"} 4\nother 1\n"), std::vector<std::string>());
}

TEST_F(HealthEndpoints, metrics_of_two_partitions_are_told_apart) {
    partitions_.push_back({{.partition = "second", .cluster = "c", .started_ns = 0, .zero_tick_ns = {}, .build_of = {}},
                           [this] { return version_; }});
    const std::string text = whole(ask("/ws/v1/metrics"));
    EXPECT_EQ(testing::faults_of(text), std::vector<std::string>()) << text;
    EXPECT_NE(text.find("yunikorn_scheduler_node{partition=\"second\",state=\"active\"} 2\n"), std::string::npos)
        << text;
}

TEST_F(HealthEndpoints, health_is_there_once_it_was_looked_at) {
    EXPECT_EQ(ask("/ws/v1/scheduler/healthcheck").status, 404u);
    EXPECT_TRUE(watch_.check_health());
    const json::value health = json::parse(whole(ask("/ws/v1/scheduler/healthcheck")));
    EXPECT_TRUE(health.at("Healthy").as_bool()) << health;
    EXPECT_EQ(health.at("HealthChecks").as_array().size(), 9u);
    const std::string at(version_->nodes.find(version_->pods.find(0)->node)->facts->name);
    condition_.show_laws_broken(2);
    EXPECT_TRUE(watch_.check_health());
    const json::value broken = json::parse(whole(ask("/ws/v1/scheduler/healthcheck")));
    EXPECT_FALSE(broken.at("Healthy").as_bool()) << broken;
    EXPECT_EQ(broken.at("HealthChecks").as_array()[0].at("DiagnosisMessage").as_string(),
              "There were 2 scheduling errors logged in the metrics");
    condition_.show_laws_broken(0);
    // A node with less than its pods have.
    for (const char* const node : {"n1", "n 2"})
        partition_.node(node, {{"cpu", 500}, {"pods", 110}}, {}, NodeAction::update);
    version_ = partition_.version();
    EXPECT_TRUE(watch_.check_health());
    const json::value ill = json::parse(whole(ask("/ws/v1/scheduler/healthcheck")));
    EXPECT_FALSE(ill.at("Healthy").as_bool()) << ill;
    EXPECT_EQ(ill.at("HealthChecks").as_array()[3].at("DiagnosisMessage").as_string(),
              json::string("Nodes with negative resources: [\"" + at + "\"]"));
}

TEST_F(HealthEndpoints, history_is_of_a_day) {
    for (std::int64_t minute = 1; minute <= 1'500; ++minute) EXPECT_TRUE(watch_.record(minute * 60));
    const json::value history = json::parse(whole(ask("/ws/v1/history/containers")));
    EXPECT_EQ(history.as_array().size(), 1'440u);
    EXPECT_EQ(history.as_array().front().at("timestamp"), 61 * 60);
    EXPECT_EQ(history.as_array().back().at("totalContainers"), "1");
    EXPECT_EQ(json::parse(whole(ask("/ws/v1/history/apps"))).as_array().back().at("totalApplications"), "1");
}

TEST_F(HealthEndpoints, the_state_dump_has_what_the_endpoints_show) {
    partition_.application("app-nobody's", "root.none", "eve");  // rejected
    partition_.ask("batch-1", "app-batch", {{"cpu", 1000}}, 1700000020);
    partition_.version();
    partition_.shim().release("batch-1");
    partition_.version();
    partition_.engine().apply(Tick{60'000'000'000});  // app-batch is complete
    version_ = partition_.version();
    watch_.record(60);
    const std::string text = whole(ask("/debug/fullstatedump"));
    EXPECT_NE(text.find("\n  \"nodes\": [\n    {\n"), std::string::npos) << text;
    const json::value dump = json::parse(text);
    const std::string partition = "/ws/v1/partition/default/";
    const auto shown = [&](const std::string& path) { return json::parse(whole(ask(path))); };
    EXPECT_EQ(dump.at("nodes").as_array()[0].at("nodesInfo"), shown(partition + "nodes"));
    EXPECT_EQ(dump.at("queues").as_array()[0], shown(partition + "queues"));
    json::array applications;
    for (const char* state : {"active", "completed", "rejected"}) {
        const json::value some = shown(partition + "applications/" + state);
        EXPECT_FALSE(some.as_array().empty()) << state;
        applications.insert(applications.end(), some.as_array().begin(), some.as_array().end());
    }
    EXPECT_EQ(dump.at("applications").as_array(), applications);
    EXPECT_EQ(dump.at("partitions"), shown("/ws/v1/partitions"));
    EXPECT_EQ(dump.at("clusterInfo"), shown("/ws/v1/clusters"));
    EXPECT_EQ(dump.at("appHistory"), shown("/ws/v1/history/apps"));
    EXPECT_EQ(dump.at("containerHistory"), shown("/ws/v1/history/containers"));
}

TEST_F(HealthEndpoints, a_daemon_is_live_and_ready_by_the_word_of_its_main_thread) {
    EXPECT_EQ(ask("/livez").status, 200u);
    EXPECT_EQ(ask("/readyz").status, 503u);
    EXPECT_EQ(whole(ask("/readyz")), "the daemon starts\n");
    condition_.show("", "partition default is drained");
    EXPECT_EQ(ask("/livez").status, 200u);
    EXPECT_EQ(whole(ask("/readyz")), "partition default is drained\n");
    condition_.show("does not go on: engine0", "does not go on: engine0");
    EXPECT_EQ(ask("/livez").status, 503u);
    EXPECT_EQ(whole(ask("/livez")), "does not go on: engine0\n");
    condition_.show("", "");
    EXPECT_EQ(ask("/livez").status, 200u);
    EXPECT_EQ(ask("/readyz").status, 200u);
    // It says nothing any more.
    condition_.show("", "", ConditionBoard::Clock::now() - 2 * ConditionBoard::kSilentFor);
    EXPECT_EQ(ask("/livez").status, 503u);
    EXPECT_EQ(ask("/readyz").status, 503u);
}

TEST_F(HealthEndpoints, a_daemon_is_ready_once_its_engines_have_told_something) {
    condition_.show("", "");
    EXPECT_EQ(ask("/livez").status, 200u);
    EXPECT_EQ(ask("/readyz").status, 200u);
    version_ = nullptr;
    EXPECT_EQ(ask("/livez").status, 200u);
    EXPECT_EQ(ask("/readyz").status, 503u);
    EXPECT_FALSE(watch_.check_health());
    EXPECT_EQ(ask("/debug/fullstatedump").status, 503u);
    EXPECT_EQ(ask("/ws/v1/metrics").status, 200u);
}

TEST_F(HealthEndpoints, threads_are_listed) {
    EXPECT_NE(whole(ask("/debug/stack")).find("thread "), std::string::npos);
}

}  // namespace
}  // namespace bayplan::rest
