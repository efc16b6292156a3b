// The explanation of a pod that waits for its plugins' answer.

#include <gtest/gtest.h>

#include "tests/engine/harness.h"

namespace bayplan::testing {
namespace {

class PluginExplained : public ::testing::Test {
protected:
    void SetUp() override {
        shim_.application("app");
        shim_.node("n1", {{"cpu", 2'000}, {"pods", 10}});
        SpecItem needing;
        needing.number = 1;
        needing.spec.plugins = {shim_.id("license"), shim_.id("tape")};
        shim_.send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
    }

    void ask(const std::string& key) {
        const Amount amount{shim_.id("cpu"), 1'000};
        AskItem record;
        record.key = key;
        record.application = shim_.id("app");
        record.requests = std::span(&amount, 1);
        record.spec = 1;
        shim_.send(AsksMessage{std::span(&record, 1)});
    }

    KeepingSink sink_;
    Engine engine_{EngineOptions(), sink_};
    TestShim shim_{engine_, "shim", 1, "license\ntape\n"};
};

TEST_F(PluginExplained, it_waits_for_the_plugins_by_name_since_its_query_on_the_node_that_it_would_get) {
    engine_.apply(Tick{.now_ns = 5'000});
    ask("pod");
    engine_.run(10);
    engine_.apply(Tick{.now_ns = 9'000});
    const std::string digest = engine_.digest();
    const std::optional<Explanation> told = engine_.explain("shim", "pod", true);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->message, "waits for plugin license, tape since 5000 ns, on node n1");
    EXPECT_EQ(told->woken_by, std::vector<std::string>{"its plugins' answer"});
    EXPECT_EQ(told->state, "queried");
    EXPECT_EQ(engine_.digest(), digest) << "to explain is to decide nothing";
}

TEST_F(PluginExplained, a_node_that_they_refuse_names_them_and_the_pod_waits_for_the_end_of_its_backoff) {
    shim_.node("n2", {{"cpu", 500}, {"pods", 10}});
    ask("pod");
    engine_.run(10);
    const PluginVerdict no = PluginVerdict::unresolvable;
    const PluginReason reason{0, "no license left"};
    const PluginAnswer answer{.query = 1, .verdicts = std::span(&no, 1), .reasons = std::span(&reason, 1)};
    shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
    const std::optional<Explanation> told = engine_.explain("shim", "pod", false);
    ASSERT_TRUE(told && told->nodes.size() == 2);
    EXPECT_EQ(told->message, "0/2 nodes are available: 1 Insufficient cpu, 1 no license left.");
    EXPECT_EQ(told->nodes[0].failures.at(0).predicate, "plugin license, tape");
    EXPECT_EQ(told->nodes[0].failures.at(0).reasons, std::vector<std::string>{"no license left"});
    EXPECT_EQ(told->nodes[0].verdict, Verdict::unresolvable);
    EXPECT_EQ(told->nodes[1].failures.at(0).predicate, "NodeResourcesFit");
    EXPECT_EQ(told->woken_by, std::vector<std::string>{"the end of its backoff"});
    engine_.run(10);
    EXPECT_EQ(engine_.ask_state("shim", "pod"), "backoff");
}

TEST_F(PluginExplained, an_answer_ends_the_wait) {
    ask("pod");
    engine_.run(10);
    std::string why;
    EXPECT_EQ(engine_.ask_state("shim", "pod", &why), "queried");
    EXPECT_EQ(why, "waits for plugin license, tape since 0 ns, on node n1");
    const PluginVerdict yes = PluginVerdict::feasible;
    const PluginAnswer answer{.query = 1, .verdicts = std::span(&yes, 1)};
    shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
    EXPECT_EQ(engine_.ask_state("shim", "pod", &why), "unacknowledged");
    EXPECT_EQ(why, "is allocated; the shim has not acknowledged it");
}

}  // namespace
}  // namespace bayplan::testing
