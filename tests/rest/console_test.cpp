// The page at `/`: it is whole in itself, and each thing that it asks for is there with the members that it reads.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <algorithm>
#include <regex>
#include <set>

#include "../answers/small_partition.h"
#include "rest/routes.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;

std::string whole_text(http::Response response) {
    std::string text = std::move(response.body);
    while (response.source != nullptr && response.source->next(text) != http::ChunkSource::State::end) {
    }
    return text;
}

std::set<std::string> all_of(const std::string& text, const std::string& pattern) {
    std::set<std::string> found;
    const std::regex each(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), each), end; at != end; ++at) found.insert((*at)[1]);
    return found;
}

class Console : public ::testing::Test {
protected:
    Console() {
        partition_.node("n1", {{"cpu", 16'000}, {"pods", 110}});
        partition_.application("app", "root.prod.web", "alice");
        partition_.ask("one", "app", {{"cpu", 1'000}}, 7);
        for (const char* const key : {"two", "three"}) partition_.ask(key, "app", {{"cpu", 4'500}, {"gpu", 1}}, 7);
        version_ = partition_.version();
        page_ = whole_text(ask("/"));
    }

    http::Response ask(const std::string& path) {
        http::Request request;
        request.method = "GET";
        request.path = path.substr(0, path.find('?'));
        if (request.path.size() < path.size()) request.query = path.substr(request.path.size() + 1);
        return router_.answer(request);
    }
    json::value shown(const std::string& path) { return json::parse(whole_text(ask(path))); }

    answers::SmallPartition partition_;
    answers::VersionPtr version_;
    ConfigBoard board_{show_config("partitions: []\n", {})};
    ShownPartitions partitions_{
        {{.partition = "default", .cluster = "c", .started_ns = 0, .zero_tick_ns = {}, .build_of = {}},
         [this] { return version_; }}};
    Watch watch_{partitions_};
    MetricsBoard metrics_;
    http::Router router_{routes({board_, &partitions_, {}, &watch_, &metrics_}), "*"};
    std::string page_;
};

TEST_F(Console, the_page_is_whole_in_itself) {
    const http::Response response = ask("/");
    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
    EXPECT_TRUE(page_.starts_with("<!DOCTYPE html>") && page_.ends_with("</html>\n"));
    // Nothing from elsewhere, and the browser is told to ask for nothing.
    EXPECT_EQ(all_of(page_, R"re(((?:https?:)?//[a-z0-9]|\bsrc=|\bhref=|@import|url\())re"), std::set<std::string>());
    const bool is_strict = std::ranges::any_of(response.headers, [](const http::Header& one) {
        return one.name == "Content-Security-Policy" && one.value.starts_with("default-src 'none'");
    });
    EXPECT_TRUE(is_strict);
    // Names that shims send are never taken for markup.
    EXPECT_EQ(all_of(page_, "(innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\()"),
              std::set<std::string>());
}

TEST_F(Console, every_endpoint_that_it_asks_is_there) {
    std::set<std::string> asked;
    for (std::string path : all_of(page_, R"re(\b(?:json|ask)\(("/[^)]*)\))re")) {
        path = std::regex_replace(path, std::regex(R"(" \+ partition \+ ")"), "default");
        path = std::regex_replace(path, std::regex("\" \\+ encodeURIComponent\\(name$"), "two");
        path = std::regex_replace(path, std::regex("\""), "");
        asked.insert(path);
        EXPECT_EQ(ask(path).status, 200u) << path;
    }
    EXPECT_EQ(asked, std::set<std::string>({"/ws/v1/partitions", "/ws/v1/scheduler/node-utilizations",
                                            "/ws/v1/partition/default/queues", "/bayplan/v1/partition/default/pending",
                                            "/bayplan/v1/partition/default/pods?name=two", "/ws/v1/metrics"}));
}

// Each path of members is in the page's script, and in the answer.
TEST_F(Console, members_that_it_reads_are_there) {
    const auto reads = [&](const std::string& name) {
        EXPECT_TRUE(std::regex_search(page_, std::regex("\\." + name + "\\b"))) << name;
        return name;
    };
    EXPECT_EQ(shown("/ws/v1/partitions").at(0).at(reads("name")).as_string(), "default");
    const json::value use = shown("/ws/v1/scheduler/node-utilizations").at(0);
    EXPECT_EQ(use.at(reads("partition")).as_string(), "default");
    const json::value& first = use.at(reads("utilizations")).at(0);
    EXPECT_TRUE(first.at(reads("type")).is_string());
    EXPECT_EQ(first.at(reads("utilization")).as_array().size(), 10u);
    EXPECT_EQ(first.at("utilization").at(0).at(reads("nodeNames")).at(0).as_string(), "n1");
    const json::value root = shown("/ws/v1/partition/default/queues");
    EXPECT_EQ(root.at(reads("queuename")).as_string(), "root");
    EXPECT_EQ(root.at(reads("runningApps")), 1);
    EXPECT_EQ(root.at(reads("absUsedCapacity")).at("vcore"), 6);
    EXPECT_FALSE(root.at(reads("children")).as_array().empty());
    const json::value pending = shown("/bayplan/v1/partition/default/pending");
    EXPECT_EQ(pending.at(reads("others")), 0);
    ASSERT_EQ(pending.at(reads("reasons")).as_array().size(), 1u) << pending;
    EXPECT_EQ(pending.at("reasons").at(0).at(reads("pods")), 2);
    EXPECT_NE(pending.at("reasons").at(0).at(reads("reason")).as_string().find("Insufficient gpu"), std::string::npos)
        << pending;
}

TEST_F(Console, a_pod_is_found_by_its_key_and_by_its_name) {
    const auto pods = [&](const std::string& name) {
        return shown("/bayplan/v1/partition/default/pods?name=" + name).at("pods").as_array();
    };
    ASSERT_EQ(pods("two").size(), 1u);
    const json::object two = pods("two").at(0).as_object();
    EXPECT_EQ(two.at("state").as_string(), "unschedulable");
    EXPECT_EQ(two.at("queue").as_string(), "root.prod.web");
    EXPECT_EQ(two.at("failures"), 1);
    EXPECT_NE(two.at("pod").at("allocationLog").at(0).at("message").as_string().find("Insufficient gpu"),
              std::string::npos);
    EXPECT_EQ(pods("one").at(0).at("pod").at("nodeId").as_string(), "n1");
    EXPECT_EQ(pods("four"), json::array());
    EXPECT_EQ(pods(""), json::array());
    EXPECT_EQ(shown("/bayplan/v1/partition/default/pods").at("pods"), json::array());
    // By the names that YuniKorn's shim tells in tags.
    testing::TestShim& shim = partition_.shim();
    const Attribute tags[] = {{shim.id("kubernetes.io/meta/podName"), shim.id("web-0")},
                              {shim.id("kubernetes.io/meta/namespace"), shim.id("prod")}};
    AskItem named;
    named.tags = tags;
    partition_.ask("uid-1", "app", {{"cpu", 100}}, 7, named);
    version_ = partition_.version();
    for (const char* const name : {"uid-1", "web-0", "prod/web-0", "prod%2Fweb-0"})
        EXPECT_EQ(pods(name).size(), 1u) << name;
    for (const char* const name : {"test/web-0", "web", "prod"}) EXPECT_EQ(pods(name).size(), 0u) << name;
}

TEST_F(Console, a_partition_that_is_not_there_is_no_fault_of_the_page) {
    EXPECT_EQ(ask("/bayplan/v1/partition/none/pending").status, 404u);
    version_ = nullptr;
    EXPECT_EQ(ask("/bayplan/v1/partition/default/pending").status, 503u);
    EXPECT_EQ(ask("/").status, 200u);
}

}  // namespace
}  // namespace bayplan::rest
