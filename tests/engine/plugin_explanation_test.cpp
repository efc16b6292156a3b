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
