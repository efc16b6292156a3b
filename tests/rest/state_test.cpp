// Endpoints that show a partition's state, asked through the router: what is found wrong and in which order, and that each shows
// the answer it is named for (tests/answers has their texts).
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "../answers/small_partition.h"
#include "rest/routes.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;

class StateEndpoints : public ::testing::Test {
protected:
    StateEndpoints() {
        partition_.node("n1", {{"cpu", 16'000}, {"pods", 110}});
        partition_.node("rack/n 2", {{"cpu", 8'000}, {"pods", 110}});
        partition_.application("app-web", "root.prod.web", "alice");
        partition_.ask("web-1", "app-web", {{"cpu", 1000}, {"pods", 1}}, 1700000010);
        partition_.application("app-batch", "root.batch", "bob");
        version_ = partition_.version();
    }

    http::Response ask(const std::string& path, const std::string& query = {}) {
        http::Request request;
        request.method = "GET";
        request.path = path;
        request.query = query;
        return router_.answer(request);
    }
    json::value shown(const std::string& path, const std::string& query = {}) {
        http::Response response = ask(path, query);
        EXPECT_EQ(response.status, 200u) << path << response.body;
        std::string text = std::move(response.body);
        while (response.source != nullptr && response.source->next(text) != http::ChunkSource::State::end) {
        }
        EXPECT_TRUE(text.ends_with('\n'));
        return json::parse(text);
    }
    // "STATUS message".
    std::string fault(const std::string& path, const std::string& query = {}) {
        const http::Response response = ask(path, query);
        const json::value error = json::parse(response.body);
        EXPECT_EQ(error.at("status_code").to_number<unsigned>(), response.status);
        return std::to_string(response.status) + " " + std::string(error.at("message").as_string());
    }

    answers::SmallPartition partition_;
    answers::VersionPtr version_;
    ConfigBoard board_{show_config("partitions: []\n", {})};
    ShownPartitions partitions_{
        {{.partition = "default", .cluster = "c", .started_ns = 0, .zero_tick_ns = {}, .build_of = {}},
         [this] { return version_; }}};
    http::Router router_{routes({board_, &partitions_}), "*"};
};

constexpr const char* kBadName =
    "400 invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
    "allowed";

TEST_F(StateEndpoints, show_what_they_are_named_for) {
    EXPECT_EQ(shown("/ws/v1/partition/default/queues").at("queuename"), "root");
    EXPECT_EQ(shown("/ws/v1/partition/default/queue/ROOT.Prod").at("queuename"), "root.prod");
    EXPECT_FALSE(shown("/ws/v1/partition/default/queue/root").as_object().contains("children"));
    EXPECT_TRUE(shown("/ws/v1/partition/default/queue/root", "subtree").as_object().contains("children"));
    EXPECT_EQ(shown("/ws/v1/partition/default/queue/root.prod.web/applications").as_array().size(), 1u);
    EXPECT_EQ(shown("/ws/v1/partition/default/queue/root.batch/application/app-batch").at("applicationID"),
              "app-batch");
    EXPECT_EQ(shown("/ws/v1/partition/default/application/app-web").at("applicationID"), "app-web");
    EXPECT_EQ(shown("/ws/v1/partition/default/nodes").as_array().size(), 2u);
    EXPECT_EQ(shown("/ws/v1/partition/default/node/n1").at("nodeID"), "n1");
    EXPECT_EQ(shown("/ws/v1/partition/default/usage/users").as_array().size(), 1u);
    EXPECT_EQ(shown("/ws/v1/partition/default/usage/user/alice").at("userName"), "alice");
    EXPECT_TRUE(shown("/ws/v1/partition/default/usage/groups").is_array());
    EXPECT_EQ(shown("/ws/v1/partitions").at(0).at("name"), "default");
    EXPECT_EQ(shown("/ws/v1/clusters").at(0).at("partition"), "default");
    EXPECT_EQ(shown("/ws/v1/scheduler/node-utilizations").at(0).at("partition"), "default");
}

TEST_F(StateEndpoints, show_applications_by_state) {
    const std::string all = "/ws/v1/partition/default/applications/active";
    EXPECT_EQ(shown(all).as_array().size(), 2u);
    EXPECT_EQ(shown(all, "status=Running").as_array().size(), 1u);
    EXPECT_EQ(shown(all, "status=failing").as_array().size(), 0u);
    EXPECT_EQ(shown("/ws/v1/partition/default/applications/Completed").as_array().size(), 0u);
    EXPECT_EQ(shown("/ws/v1/partition/default/queue/root.prod.web/applications/active").as_array().size(), 1u);
    EXPECT_EQ(fault(all, "status=done").substr(0, 3), "400");
    EXPECT_EQ(fault("/ws/v1/partition/default/applications/failed"),
              "400 Only following application states are allowed: active, rejected, completed");
    EXPECT_EQ(fault("/ws/v1/partition/default/queue/root.batch/applications/completed"),
              "400 Only following application states are allowed: active");
}

TEST_F(StateEndpoints, decode_their_parameters_once_more) {
    EXPECT_EQ(shown("/ws/v1/partition/default/queue/root%2Eprod").at("queuename"), "root.prod");
    EXPECT_EQ(fault("/ws/v1/partition/default/queue/root.%zz"), "400 invalid URL escape \"%zz\"");
    EXPECT_EQ(shown("/ws/v1/partition/default/node/rack%2Fn+2").at("nodeID"), "rack/n 2");
}

TEST_F(StateEndpoints, say_what_is_not_there_in_the_order_of_yunikorn) {
    const std::string there = "/ws/v1/partition/default/", nowhere = "/ws/v1/partition/nope/";
    for (const char* const path : {"queues", "nodes", "node/n1", "queue/root", "queue/root.a b", "application/app-web",
                                   "applications/active", "queue/root.batch/applications"}) {
        EXPECT_EQ(fault(nowhere + path), "404 Partition not found") << path;
    }
    EXPECT_EQ(fault(nowhere + "queue/root.a b/applications"), kBadName);
    EXPECT_EQ(fault(there + "queue/root.a b"), kBadName);
    EXPECT_EQ(fault(there + "queue/root."), kBadName);
    EXPECT_EQ(fault(there + "queue/root.none"), "404 Queue not found");
    EXPECT_EQ(fault(there + "queue/prod"), "404 Queue not found");
    EXPECT_EQ(fault(there + "queue/root.none/applications"), "404 Queue not found");
    EXPECT_EQ(fault(there + "queue/root.none/application/app-web"), "404 Queue not found");
    EXPECT_EQ(fault(there + "queue/root.batch/application/app-web"), "404 Application not found");
    EXPECT_EQ(fault(there + "application/nope"), "404 Application not found");
    EXPECT_EQ(fault(there + "node/n9"), "404 Node not found");
    EXPECT_EQ(fault(there + "usage/user/nobody"), "404 User not found");
    EXPECT_EQ(fault(there + "usage/user/1 x"), "400 Invalid user name");
    EXPECT_EQ(fault(there + "usage/group/none"), "404 Group not found");
    EXPECT_EQ(fault(there + "usage/group/a#b"), "400 Invalid group name");
    EXPECT_EQ(shown(nowhere + "usage/user/alice").at("userName"), "alice") << "the partition is not looked at";
}

TEST_F(StateEndpoints, say_so_while_the_engine_has_told_nothing) {
    version_ = nullptr;
    EXPECT_EQ(fault("/ws/v1/partition/default/nodes").substr(0, 3), "503");
    EXPECT_EQ(fault("/ws/v1/partitions").substr(0, 3), "503");
}

// More nodes than one piece holds: the answer comes in pieces, and is one text.
TEST_F(StateEndpoints, give_long_lists_by_pages) {
    const auto names = [&](const std::string& path, const std::string& query, const char* member) {
        std::vector<std::string> all;
        const json::value list = shown("/ws/v1/partition/default/" + path, query);
        for (const json::value& one : list.as_array()) {
            all.emplace_back(one.at(member).as_string());
        }
        return all;
    };
    using Names = std::vector<std::string>;
    for (const char* const query : {"", "limit=2", "limit=3", "after=", "after=m"}) {
        EXPECT_EQ(names("nodes", query, "nodeID"), Names({"n1", "rack/n 2"})) << query;
    }
    EXPECT_EQ(names("nodes", "limit=1", "nodeID"), Names({"n1"}));
    for (const char* const query : {"limit=1&after=n1", "after=n1", "after=n2", "after=rack%2Fn+1"}) {
        EXPECT_EQ(names("nodes", query, "nodeID"), Names({"rack/n 2"})) << query;
    }
    EXPECT_EQ(names("nodes", "after=rack/n%202", "nodeID"), Names());
    EXPECT_EQ(names("applications/active", "limit=1", "applicationID"), Names({"app-batch"}));
    EXPECT_EQ(names("applications/active", "limit=1&after=app-batch", "applicationID"), Names({"app-web"}));
    EXPECT_EQ(names("applications/active", "after=app-web", "applicationID"), Names());
    for (const char* const query :
         {"limit=0", "limit=-1", "limit=x", "limit=", "limit=1x", "limit=99999999999999999999"}) {
        EXPECT_EQ(fault("/ws/v1/partition/default/nodes", query), "400 limit is no number above 0") << query;
    }
}

TEST_F(StateEndpoints, give_long_answers_in_pieces) {
    for (int number = 0; number < 1'000; ++number) {
        partition_.node("more-" + std::to_string(number), {{"cpu", 1'000}, {"pods", 110}});
    }
    version_ = partition_.version();
    EXPECT_NE(ask("/ws/v1/partition/default/nodes").source, nullptr);
    EXPECT_EQ(shown("/ws/v1/partition/default/nodes").as_array().size(), 1'002u);
}

}  // namespace
}  // namespace bayplan::rest
