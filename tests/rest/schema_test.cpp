// Every endpoint of a partition with something of everything, held against the table of objects in schema.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "../answers/small_partition.h"
#include "rest/routes.h"
#include "schema.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;

using Amounts = answers::SmallPartition::Amounts;

// Nodes, applications and pods come in this order, or from the last to the first.
enum class Order { forward, backward };

class Answers {
public:
    explicit Answers(Order order = Order::forward) : order_(order) {
        tell({[&] {
                  partition_.node("n1", {{"cpu", 16'000}, {"memory", 16'000'000'000}, {"pods", 110}},
                                  {{"zone", "a"}, {"si/hostname", "n1.example"}, {"si/rackname", "/rack-1"}});
              },
              [&] {
                  partition_.node("n2", {{"cpu", 8'000}, {"memory", 8'000'000'000}, {"pods", 110}});
              },
              [&] {
                  partition_.node("n3", {{"cpu", 4'000}, {"pods", 110}}, {}, NodeAction::create_drain);
              }});
        tell({[&] { foreign("kube-proxy-n1", true); }, [&] { foreign("other-n1", false); }});
        tell({[&] { partition_.application("app-web", "root.prod.web", "alice"); },
              [&] { partition_.application("app-batch", "root.batch", "bob"); },
              [&] { partition_.application("app-ends", "root.batch", "bob"); },
              [&] { partition_.application("app-nowhere", "root.none", "eve"); },
              [&] { partition_.application("app-api", "root.prod.api", "ann"); },
              [&] { partition_.application("app-dyn", "", "dave"); }, [&] { gang(); }});
        AskItem leads, large, keeps;
        leads.priority = 7;
        leads.originator = true;
        large.required_node = id("n2");
        large.priority = 3;
        large.originator = true;
        keeps.group = id("workers");
        keeps.placeholder = true;
        tell({[&] { pod("web-1", "app-web", leads); }, [&] { pod("web-2", "app-web"); },
              [&] { pod("batch-1", "app-batch"); }, [&] { pod("dyn-1", "app-dyn"); },
              [&] { pod("batch-big", "app-batch", large, 60'000); }, [&] { pod("ends-1", "app-ends"); },
              [&] { pod("api-large", "app-api", {}, 17'000); }, [&] { pod("keeps-1", "app-gang", keeps); }});
        partition_.version();
        partition_.engine().apply(Tick{10'000'000'000});
        partition_.shim().release("ends-1");
        partition_.version();
        partition_.engine().apply(Tick{60'000'000'000});
        version_ = partition_.version();
        events();
        watch_.check_health();
        for (std::int64_t minute = 1; minute <= 2; ++minute) watch_.record(minute * 60'000'000'000);
    }

    // With a body it is posted.
    http::Response ask(const std::string& path, const std::string& query = {}, const std::string& body = {}) {
        http::Request request;
        request.method = body.empty() ? "GET" : "POST";
        request.path = path;
        request.query = query;
        request.body = body;
        return router_.answer(request);
    }
    std::string text(const std::string& path, const std::string& query = {}, const std::string& body = {}) {
        http::Response response = ask(path, query, body);
        EXPECT_EQ(response.status, 200u) << path << response.body;
        std::string text = std::move(response.body);
        while (response.source != nullptr && response.source->next(text) != http::ChunkSource::State::end) {
        }
        return text;
    }

private:
    void tell(std::vector<std::function<void()>> statements) {
        if (order_ == Order::backward) std::ranges::reverse(statements);
        for (const auto& statement : statements) statement();
    }
    DictId id(const std::string& text) { return partition_.shim().id(text); }

    void foreign(const std::string& key, bool is_static) {
        AskItem item;
        item.foreign = true;
        item.is_static = is_static;
        item.node = id("n1");
        const Attribute tag{id("kubernetes.io/meta/namespace"), id("kube-system")};
        item.tags = std::span(&tag, 1);
        partition_.ask(key, "", {{"cpu", 100}, {"pods", 1}}, 1'700'000'000, item);
    }
    void gang() {
        const Amount together{id("cpu"), 1'000};
        const ApplicationItem item{.application = id("app-gang"),
                                   .queue = id("root.batch"),
                                   .user = id("frank"),
                                   .placeholder_ask = std::span(&together, 1)};
        partition_.shim().send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }
    void pod(const std::string& key, const std::string& application, AskItem item = {}, std::int64_t cpu = 1'000) {
        const Attribute tag{id("kubernetes.io/meta/podName"), id(key)};
        item.tags = std::span(&tag, 1);
        partition_.ask(key, application, {{"cpu", cpu}, {"pods", 1}}, 1'700'000'010, item);
    }
    void events() {
        store_.append({.type = events::EventType::node,
                       .change = events::EventChange::add,
                       .detail = events::EventDetail::node_alloc,
                       .time_ns = 12,
                       .object = "n1",
                       .reference = "web-1",
                       .message = "a pod"});
        store_.append({.type = events::EventType::application, .time_ns = 13, .object = "app-web"});
    }

    const Order order_;
    answers::SmallPartition partition_;
    answers::VersionPtr version_;
    events::EventStore store_{{.events = 50, .bytes = 1 << 20}};
    ConfigBoard board_{show_config(answers::kQueues, {})};
    ShownPartitions partitions_{{{.partition = "default",
                                  .cluster = "c",
                                  .started_ns = 1,
                                  .zero_tick_ns = 1'700'000'000'000'000'000,
                                  .build_of = [](const std::string&) { return std::string("buildVersion=1\n"); }},
                                 [this] { return version_; }}};
    ConditionBoard condition_;
    Watch watch_{partitions_, &condition_};
    MetricsBoard metrics_;
    http::Router router_{routes({board_, &partitions_, {&store_, {}}, &watch_, &metrics_, &condition_}), "*"};
};

struct Endpoint {
    const char* path;
    const char* type;
    const char* query = "";
    const char* body = "";
};

constexpr Endpoint kEndpoints[] = {
    {"/ws/v1/clusters", "[Cluster]"},
    {"/ws/v1/partitions", "[Partition]"},
    {"/ws/v1/partition/default/placementrules", "[Rule]"},
    {"/ws/v1/partition/default/queues", "Queue"},
    {"/ws/v1/partition/default/queue/root", "Queue"},
    {"/ws/v1/partition/default/queue/root", "Queue", "subtree"},
    {"/ws/v1/partition/default/queue/root.prod.web", "Queue"},
    {"/ws/v1/partition/default/queue/root.prod.web/applications", "[App]"},
    {"/ws/v1/partition/default/queue/root.batch/applications/active", "[App]"},
    {"/ws/v1/partition/default/queue/root.prod.web/application/app-web", "App"},
    {"/ws/v1/partition/default/application/app-web", "App"},
    {"/ws/v1/partition/default/application/app-gang", "App"},
    {"/ws/v1/partition/default/applications/active", "[App]"},
    {"/ws/v1/partition/default/applications/completed", "[App]"},
    {"/ws/v1/partition/default/applications/rejected", "[App]"},
    {"/ws/v1/partition/default/nodes", "[Node]"},
    {"/ws/v1/partition/default/node/n1", "Node"},
    {"/ws/v1/partition/default/usage/users", "[UserUsage]"},
    {"/ws/v1/partition/default/usage/user/alice", "UserUsage"},
    {"/ws/v1/partition/default/usage/groups", "[GroupUsage]"},
    {"/ws/v1/partition/default/usage/group/alice", "GroupUsage"},
    {"/ws/v1/events/batch", "EventBatch"},
    {"/ws/v1/scheduler/healthcheck", "Health"},
    {"/ws/v1/scheduler/node-utilizations", "[NodesUtil]"},
    {"/ws/v1/history/apps", "[AppsHistory]"},
    {"/ws/v1/history/containers", "[ContainersHistory]"},
    {"/ws/v1/validate-conf", "ValidateConf", "", "partitions: [{name: default, queues: [{name: root}]}]"},
    {"/ws/v1/validate-conf", "ValidateConf", "", "no configuration"},
};

// Fields of preemptions, reservations, placeholders that are used or wait, groups of rules, and errors: this partition has none.
const std::vector<std::string> kNotShown = {"Queue.preemptingResource",
                                            "Ask.placeholder",
                                            "Ask.taskGroupName",
                                            "Ask.triggeredPreemption",
                                            "Alloc.allocationDelay",
                                            "Alloc.placeholderUsed",
                                            "Alloc.preempted",
                                            "Placeholders.replaced",
                                            "Placeholders.timedout",
                                            "ResourceHistory.resourceUsage",
                                            "ResourceHistory.preemptedResource",
                                            "ResourceHistory.placeholderResource",
                                            "App.hasReserved",
                                            "App.reservations",
                                            "App.backoffDeadline",
                                            "Node.reservations",
                                            "Filter.groupList",
                                            "Filter.groupExp",
                                            "Error.status_code",
                                            "Error.message",
                                            "Error.description"};

TEST(Schema, every_field_of_every_endpoint_has_its_name_its_type_and_its_place) {
    Answers answers;
    testing::SchemaCheck schema;
    for (const Endpoint& endpoint : kEndpoints) {
        const std::string text = answers.text(endpoint.path, endpoint.query, endpoint.body);
        EXPECT_TRUE(text.ends_with('\n')) << endpoint.path;
        const json::value value = json::parse(text);
        EXPECT_FALSE(value.is_array() && value.as_array().empty()) << endpoint.path << " shows nothing";
        schema.check(endpoint.path, value, endpoint.type);
    }
    EXPECT_EQ(schema.faults(), std::vector<std::string>());
    EXPECT_EQ(schema.unseen(), kNotShown);
}

TEST(Schema, an_error_has_its_fields_and_its_status) {
    Answers answers;
    testing::SchemaCheck schema;
    const std::pair<const char*, unsigned> faults[] = {
        {"/ws/v1/partition/none/queues", 404},
        {"/ws/v1/partition/none/placementrules", 404},
        {"/ws/v1/partition/none/nodes", 404},
        {"/ws/v1/partition/none/applications/active", 404},
        {"/ws/v1/partition/default/queue/root.a b", 400},
        {"/ws/v1/partition/default/queue/root.none", 404},
        {"/ws/v1/partition/default/queue/root.none/applications", 404},
        {"/ws/v1/partition/default/queue/root.batch/applications/completed", 400},
        {"/ws/v1/partition/default/queue/root.batch/application/none", 404},
        {"/ws/v1/partition/default/application/none", 404},
        {"/ws/v1/partition/default/applications/failed", 400},
        {"/ws/v1/partition/default/node/none", 404},
        {"/ws/v1/partition/default/usage/user/none", 404},
        {"/ws/v1/partition/default/usage/user/1 x", 400},
        {"/ws/v1/partition/default/usage/group/none", 404},
    };
    for (const auto& [path, status] : faults) {
        const http::Response response = answers.ask(path);
        EXPECT_EQ(response.status, status) << path;
        const json::value error = json::parse(response.body);
        schema.check(path, error, "Error");
        EXPECT_EQ(error.at("status_code").to_number<unsigned>(), status) << path;
        EXPECT_EQ(error.at("message"), error.at("description")) << path;
    }
    EXPECT_EQ(answers.ask("/ws/v1/events/batch", "count=0").status, 400u);
    EXPECT_EQ(answers.ask("/ws/v1/events/batch", "start=x").status, 400u);
    EXPECT_EQ(answers.ask("/ws/v1/nodes").status, 404u);
    EXPECT_EQ(answers.ask("/ws/v1/partitions", "", "posted").status, 405u);
    EXPECT_EQ(schema.faults(), std::vector<std::string>());
}

// Names in lists, in the order of the lists; not of pods, whose nodes hang on the order of asks.
std::vector<std::string> names_in(const json::value& value) {
    std::vector<std::string> names;
    if (value.is_array()) {
        for (const json::value& one : value.as_array()) {
            for (const std::string& name : names_in(one)) names.push_back(name);
        }
    } else if (value.is_object()) {
        for (const auto& [key, one] : value.as_object()) {
            const bool is_name = key == "nodeID" || key == "applicationID" || key == "queuename" || key == "userName" ||
                                 key == "groupName" || key == "queuePath";
            if (is_name) names.emplace_back(one.as_string());
            for (const std::string& name : names_in(one)) names.push_back(name);
        }
    }
    return names;
}

TEST(Schema, lists_are_in_one_order_whatever_came_first) {
    Answers forward, backward(Order::backward);
    for (const char* const list : {"queues", "nodes", "usage/users", "usage/groups"}) {
        const std::string path = std::string("/ws/v1/partition/default/") + list;
        const auto names = names_in(json::parse(forward.text(path)));
        EXPECT_GT(names.size(), 2u);
        EXPECT_EQ(names, names_in(json::parse(backward.text(path)))) << list;
        EXPECT_EQ(forward.text(path), forward.text(path));
    }
}

TEST(Schema, answers_that_differ_from_the_table_are_found) {
    const auto fault = [](const char* text, std::string_view type) {
        testing::SchemaCheck schema;
        schema.check("a", json::parse(text), type);
        return schema.faults().empty() ? "" : schema.faults().front();
    };
    EXPECT_EQ(fault(R"({"timestamp":1,"totalApplications":"2"})", "AppsHistory"), "");
    EXPECT_EQ(fault(R"({"timestamp":"1"})", "AppsHistory"), "a.timestamp: is no such integer");
    EXPECT_EQ(fault(R"({"timestamp":0})", "AppsHistory"), "a.timestamp: is empty");
    EXPECT_EQ(fault(R"({"totalApplications":"2","timestamp":1})", "AppsHistory"),
              "a.timestamp: is unknown, or out of order");
    EXPECT_EQ(fault(R"({"reason":"x"})", "ValidateConf"), "a.allowed: is not there");
    EXPECT_EQ(fault(R"([{"allowed":true,"more":1}])", "[ValidateConf]"), "a[].more: is unknown, or out of order");
    EXPECT_EQ(fault(R"({"queuePath":"root","resourceUsage":{"vcore":0.5}})", "Usage"),
              "a.resourceUsage.vcore: is no such integer");
}

}  // namespace
}  // namespace bayplan::rest
