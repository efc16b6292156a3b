// Endpoints about the configuration, asked through the router.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "queue_config/load.h"
#include "rest/routes.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kQueues =
    "partitions:\n"
    "- name: default\n"
    "  placementrules:\n"
    "  - {name: Tag, value: Namespace, create: true, filter: {type: deny, users: [ann, bob], groups: ['dev.*']}}\n"
    "  - {name: fixed, value: Teams, create: true, parent: {name: user, create: true}}\n"
    "  usergroupresolver: {type: ldap}\n"
    "  queues:\n"
    "  - name: root\n"
    "    submitacl: '*'\n"
    "    queues:\n"
    "    - {name: Wharf, properties: {key: \"yes\", other: 'a: b'}}\n"
    "- name: Second\n"
    "  preemption: {enabled: false}\n"
    "  nodesortpolicy: {type: fair, resourceweights: {memory: 0.25, cpu: 3}}\n"
    "  queues: []\n";

class Rest {
public:
    explicit Rest(std::shared_ptr<const ShownConfig> shown)
        : board_(std::move(shown)), router_(routes({board_}), "*") {}
    explicit Rest(const char* text = kQueues) : Rest(show_config(text, {{"log.level", "INFO"}})) {}

    http::Response ask(std::string method, std::string path, std::string accept = {}, std::string body = {}) {
        http::Request request;
        request.method = std::move(method);
        request.path = std::move(path);
        request.body = std::move(body);
        if (!accept.empty()) request.headers.push_back({"Accept", std::move(accept)});
        return router_.answer(request);
    }
    json::value ask_json(std::string path, std::string accept = {}) {
        return json::parse(ask("GET", std::move(path), std::move(accept)).body);
    }
    ConfigBoard& board() { return board_; }

private:
    ConfigBoard board_;
    http::Router router_;
};

TEST(ConfigEndpoint, yaml) {
    Rest rest;
    const http::Response response = rest.ask("GET", "/ws/v1/config");
    EXPECT_EQ(response.content_type, "application/x-yaml; charset=UTF-8");
    EXPECT_EQ(response.body,
              "partitions:\n"
              "    - name: default\n"
              "      queues:\n"
              "        - name: root\n"
              "          parent: true\n"
              "          submitacl: '*'\n"
              "          queues:\n"
              "            - name: Wharf\n"
              "              properties:\n"
              "                key: \"yes\"\n"
              "                other: 'a: b'\n"
              "      placementrules:\n"
              "        - name: Tag\n"
              "          create: true\n"
              "          filter:\n"
              "            type: deny\n"
              "            users:\n"
              "                - ann\n"
              "                - bob\n"
              "            groups:\n"
              "                - dev.*\n"
              "          value: Namespace\n"
              "        - name: fixed\n"
              "          create: true\n"
              "          parent:\n"
              "            name: user\n"
              "            create: true\n"
              "          value: Teams\n"
              "      usergroupresolver:\n"
              "        type: ldap\n"
              "    - name: Second\n"
              "      queues:\n"
              "        - name: root\n"
              "          parent: true\n"
              "      preemption:\n"
              "        enabled: false\n"
              "      nodesortpolicy:\n"
              "        type: fair\n"
              "        resourceweights:\n"
              "            cpu: 3\n"
              "            memory: 0.25\n"
              "checksum: " +
                  queue_config::checksum_of(kQueues) +
                  "\n"
                  "extra:\n"
                  "    log.level: INFO\n"
                  "deadlockdetectionenabled: false\n"
                  "deadlocktimeoutseconds: 60\n");
}

TEST(ConfigEndpoint, its_yaml_is_a_configuration_that_says_the_same) {
    Rest rest;
    std::string text = rest.ask("GET", "/ws/v1/config").body;
    text.resize(text.find("extra:"));  // the rest is not the operator's to write
    const auto again = show_config(text, {{"log.level", "INFO"}});
    ASSERT_TRUE(again);
    Rest second(again);
    std::string other = second.ask("GET", "/ws/v1/config").body;
    const auto partitions = [](const std::string& yaml) { return yaml.substr(0, yaml.find("checksum:")); };
    EXPECT_EQ(partitions(other), partitions(text));
}

TEST(ConfigEndpoint, json_for_exactly_that_type) {
    Rest rest;
    EXPECT_EQ(rest.ask("GET", "/ws/v1/config", "application/json").content_type, "application/json; charset=UTF-8");
    EXPECT_EQ(rest.ask("GET", "/ws/v1/config", "application/json, */*").content_type,
              "application/x-yaml; charset=UTF-8");
    EXPECT_TRUE(rest.ask("GET", "/ws/v1/config", "application/json").body.ends_with("}\n"));
    const json::value config = rest.ask_json("/ws/v1/config", "application/json");
    EXPECT_EQ(
        config.at("Partitions").at(0).at("Queues").at(0),
        json::parse(R"({"Name":"root","Parent":true,"Resources":{},"SubmitACL":"*","ChildTemplate":{"Resources":{}},
                              "Queues":[{"Name":"Wharf","Resources":{},"Properties":{"key":"yes","other":"a: b"},
                                         "ChildTemplate":{"Resources":{}}}]})"));
    EXPECT_EQ(config.at("Partitions").at(0).at("UserGroupResolver"), json::parse(R"({"type":"ldap"})"));
    EXPECT_EQ(config.at("Partitions").at(0).at("Preemption"), json::object());
    EXPECT_EQ(config.at("Partitions").at(0).at("NodeSortPolicy"), json::parse(R"({"Type":""})"));
    EXPECT_EQ(config.at("Partitions").at(1).at("Preemption"), json::parse(R"({"Enabled":false})"));
    EXPECT_EQ(config.at("Partitions").at(1).at("NodeSortPolicy"),
              json::parse(R"({"Type":"fair","ResourceWeights":{"cpu":3,"memory":0.25}})"));
    EXPECT_EQ(config.at("DeadlockTimeoutSeconds"), 60);
}

TEST(ConfigEndpoint, shows_what_was_put_in_place_last) {
    Rest rest;
    rest.board().show(show_config("partitions:\n- queues: [{name: quay}]\n", {}));
    EXPECT_THAT(rest.ask("GET", "/ws/v1/config").body, HasSubstr("- name: quay\n"));
    EXPECT_EQ(show_config("partitions: [", {}), nullptr);
}

TEST(ConfigEndpoint, a_partition_without_a_file_has_one_leaf) {
    auto shown = std::make_shared<ShownConfig>();
    shown->config.partitions.push_back(partition_with_one_leaf("alone"));
    EXPECT_EQ(Rest(shown).ask("GET", "/ws/v1/config").body,
              "partitions:\n    - name: alone\n      queues:\n        - name: root\n          submitacl: '*'\n"
              "deadlockdetectionenabled: false\ndeadlocktimeoutseconds: 60\n");
}

TEST(PlacementRulesEndpoint, rules_in_order_and_the_last_one) {
    Rest rest;
    EXPECT_EQ(rest.ask_json("/ws/v1/partition/default/placementrules"), json::parse(R"([
        {"name":"tag","parameters":{"create":"true","tagName":"namespace"},
         "filter":{"type":"deny","userList":["ann","bob"],"groupExp":"dev.*"}},
        {"name":"fixed","parameters":{"create":"true","queue":"teams","qualified":"false"},
         "parentRule":{"name":"user","parameters":{"create":"true"}}},
        {"name":"recovery","parameters":{"queue":"root.@recovery@"}}])"));
    EXPECT_EQ(rest.ask_json("/ws/v1/partition/second/placementrules"), json::parse(R"([
        {"name":"provided","parameters":{"create":"false"}},
        {"name":"recovery","parameters":{"queue":"root.@recovery@"}}])"));
}

TEST(PlacementRulesEndpoint, an_unknown_partition_is_an_error_object) {
    Rest rest;
    const http::Response response = rest.ask("GET", "/ws/v1/partition/nope/placementrules");
    EXPECT_EQ(response.status, 404U);
    EXPECT_EQ(response.body,
              "{\"status_code\":404,\"message\":\"Partition not found\",\"description\":\"Partition not found\"}\n");
}

std::string reason_of(const std::string& text) {
    Rest rest;
    const http::Response response = rest.ask("POST", "/ws/v1/validate-conf", "", text);
    EXPECT_EQ(response.status, 200U);
    const json::value answer = json::parse(response.body);
    EXPECT_EQ(answer.at("allowed").as_bool(), !answer.as_object().contains("reason"));
    return answer.at("allowed").as_bool() ? "" : std::string(answer.at("reason").as_string());
}

TEST(ValidateConf, says_what_is_wrong) {
    EXPECT_EQ(reason_of(""), "");
    EXPECT_EQ(reason_of(kQueues), "");
    EXPECT_THAT(reason_of("partitions: [{queues: [{name: a b}]}]"),
                StartsWith("invalid queue name, max 64 characters"));
    // A text that is no YAML, in YuniKorn's words and with its lines.
    EXPECT_EQ(reason_of("partitions: ["), "yaml: line 1: did not find expected node content");
    EXPECT_EQ(reason_of("partitions:\n- queues: {a"), "yaml: line 1: did not find expected ',' or '}'");
    EXPECT_EQ(reason_of("a: b: c"), "yaml: mapping values are not allowed in this context");
    const std::string two =
        reason_of("partitions:\n- queues:\n  - name: root\n    weight: 3\n    maxapplications: many\n");
    EXPECT_THAT(two, HasSubstr("queues.yaml:4:5: "));
    EXPECT_THAT(two, HasSubstr("\nqueues.yaml:5:22: "));
}

TEST(ValidateConf, tells_twenty_faults_and_the_number_of_the_rest) {
    std::string text = "partitions:\n- queues:\n  - name: root\n";
    for (int count = 0; count < 25; ++count) text += "    key" + std::to_string(count) + ": 1\n";
    const std::string reason = reason_of(text);
    EXPECT_EQ(std::count(reason.begin(), reason.end(), '\n'), 20);
    EXPECT_TRUE(reason.ends_with("\nand 5 more")) << reason;
}

TEST(Redirects, of_endpoints_that_moved) {
    Rest rest;
    for (const char* name : {"stack", "fullstatedump"}) {
        const http::Response response = rest.ask("GET", std::string("/ws/v1/") + name);
        EXPECT_EQ(response.status, 301U);
        EXPECT_EQ(response.headers.at(0).value, std::string("/debug/") + name);
    }
}

}  // namespace
}  // namespace bayplan::rest
