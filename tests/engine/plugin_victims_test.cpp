// Pods that plugins let go for another: the question, sound and faulty answers, and what happens meanwhile.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/harness.h"

namespace bayplan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VictimSink : public KeepingSink {
public:
    struct Question {
        std::uint64_t number = 0;
        std::string node;
        std::string victims;
        std::uint32_t needed = 0;
        bool operator==(const Question&) const = default;
    };
    bool decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                   std::uint64_t applied) override {
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            const Decision& decision = batch->decisions[i];
            if (decision.kind == DecisionKind::queried) {
                places.push_back(decision.query);
            } else if (decision.kind == DecisionKind::victims_queried) {
                questions.push_back(
                    {decision.query, std::string(decision.node), std::string(decision.text), decision.needed});
            } else if (decision.kind == DecisionKind::released) {
                gone.emplace_back(decision.name);
            }
        }
        return KeepingSink::decisions(connection, batch, skip, applied);
    }

    std::vector<std::uint64_t> places;  // queries about these
    std::vector<Question> questions;
    std::vector<std::string> gone;
};

PluginAnswer first(std::uint32_t victims, std::uint64_t query = 0) {
    return {.query = query, .verdicts = {}, .first_victims = victims};
}
PluginAnswer these(std::span<const std::uint32_t> victims) { return {.query = 0, .verdicts = {}, .victims = victims}; }

class PluginVictims : public ::testing::Test {
protected:
    void SetUp() override {
        shim_.application("app");
        SpecItem needing;
        needing.number = 1;
        needing.spec.plugins = {shim_.id("license")};
        shim_.send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
    }
    // On each two pods run; the small one goes most easily.
    void full_nodes(int count) {
        for (int i = 1; i <= count; ++i) {
            const std::string number = std::to_string(i);
            shim_.node("n" + number, {{"cpu", 4'000}, {"pods", 10}});
            shim_.ask("big-" + number, "app", {{"cpu", 3'000}, {"pods", 1}}, 0, "n" + number);
            shim_.ask("small-" + number, "app", {{"cpu", 1'000}, {"pods", 1}}, 0, "n" + number);
        }
        settle();
    }
    void ask(const std::string& key, std::int64_t cpu, int priority = 10) {
        const std::vector<Amount> amounts{{shim_.id("cpu"), cpu}, {shim_.id("pods"), 1}};
        AskItem record;
        record.key = key;
        record.application = shim_.id("app");
        record.priority = priority;
        record.requests = amounts;
        record.spec = 1;
        shim_.send(AsksMessage{std::span(&record, 1)});
        settle();
    }
    void settle() {
        engine_.run(1'000);
        while (engine_.flush() > 0) {
        }
        std::vector<std::string> broken;
        engine_.audit(broken);
        EXPECT_THAT(broken, IsEmpty());
    }
    void tick(std::int64_t seconds) {
        now_ns_ += seconds * 1'000'000'000;
        engine_.apply(Tick{now_ns_});
        settle();
    }
    void answer(PluginAnswer answer, PluginVerdict verdict = PluginVerdict::feasible, const std::string& why = {}) {
        const PluginReason reason{0, why};
        answer.query = answer.query == 0 ? sink_.questions.back().number : answer.query;
        answer.verdicts = answer.verdicts.empty() ? std::span(&verdict, 1) : answer.verdicts;
        answer.reasons = why.empty() ? std::span<const PluginReason>() : std::span(&reason, 1);
        shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
        settle();
    }
    void answer_set(const std::vector<std::uint32_t>& victims) { answer(these(victims)); }
    // Of a place.
    void refuse_place(PluginVerdict verdict) {
        const PluginAnswer answer{.query = sink_.places.back(), .verdicts = std::span(&verdict, 1)};
        shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
        settle();
    }
    std::string state(const std::string& key) const { return engine_.ask_state("shim", key); }
    std::string told(const std::string& key) {
        for (auto one = sink_.kept[1].rbegin(); one != sink_.kept[1].rend(); ++one) {
            if (one->kind == DecisionKind::ask_waiting && one->name == key) {
                return one->text;
            }
        }
        return {};
    }

    VictimSink sink_;
    Engine engine_{options(), sink_};
    TestShim shim_{engine_, "shim", 1, "license\n", true};
    std::int64_t now_ns_ = 0;

private:
    static EngineOptions options() {
        EngineOptions made;
        made.executor = ExecutorKind::inline_;
        return made;
    }
};

TEST_F(PluginVictims, are_offered_the_needed_ones_first_and_nothing_goes_before_the_answer) {
    full_nodes(1);
    ask("high", 1'000);
    EXPECT_EQ(state("high"), "asking");
    EXPECT_THAT(sink_.questions, ElementsAre(VictimSink::Question{1, "n1", "shim/small-1\nshim/big-1\n", 1}));
    EXPECT_THAT(sink_.gone, IsEmpty());
    std::string why;
    engine_.ask_state("shim", "high", &why);
    EXPECT_EQ(why, "waits for plugin license since 0 ns, about pods that may go from node n1");
    answer(first(1));
    EXPECT_THAT(sink_.gone, ElementsAre("small-1"));
    EXPECT_EQ(state("high"), "unschedulable");
    shim_.release("small-1");
    tick(11);
    EXPECT_EQ(state("high"), "queried") << "whether it may have the place is another question";
    refuse_place(PluginVerdict::feasible);
    EXPECT_EQ(state("high"), "unacknowledged");
}

TEST_F(PluginVictims, by_index_are_all_up_to_it_and_by_a_list_these_and_the_needed_ones) {
    full_nodes(1);
    ask("high", 1'000);
    answer(first(2));
    EXPECT_THAT(sink_.gone, ElementsAre("big-1", "small-1")) << "the most important first";
    sink_.gone.clear();
    shim_.release("big-1");
    shim_.release("small-1");
    full_nodes(2);
    ask("higher", 4'000, 20);
    EXPECT_EQ(sink_.questions.back().needed, 2u);
    answer_set({1});
    EXPECT_EQ(sink_.gone.size(), 2u) << "one pod's end does not make room";
}

TEST_F(PluginVictims, of_a_list_that_makes_room_are_no_others) {
    full_nodes(1);
    ask("high", 1'000);
    answer_set({1});
    EXPECT_THAT(sink_.gone, ElementsAre("big-1")) << "without it the small one can stay";
}

TEST_F(PluginVictims, that_may_not_go_leave_the_next_node_and_in_the_end_a_reason) {
    full_nodes(2);
    ask("high", 1'000);
    EXPECT_EQ(sink_.questions.back().node, "n1");
    answer({}, PluginVerdict::unschedulable, "all licensed");
    EXPECT_EQ(sink_.questions.back().node, "n2");
    answer({}, PluginVerdict::unresolvable, "all licensed");
    EXPECT_EQ(sink_.questions.size(), 2u);
    EXPECT_EQ(state("high"), "backoff");
    EXPECT_THAT(told("high"), HasSubstr("preemption: 0/2 nodes are available: 2 all licensed."));
    EXPECT_THAT(sink_.gone, IsEmpty());
}

TEST_F(PluginVictims, are_asked_for_where_the_plugin_alone_refuses_a_node_that_room_would_help) {
    shim_.node("n1", {{"cpu", 4'000}, {"pods", 10}});
    shim_.ask("other", "app", {{"cpu", 1'000}, {"pods", 1}});
    settle();
    ask("high", 1'000);
    refuse_place(PluginVerdict::unschedulable);
    EXPECT_THAT(sink_.questions, ElementsAre(VictimSink::Question{2, "n1", "shim/other\n", 0}));
    answer_set({0});
    EXPECT_THAT(sink_.gone, ElementsAre("other"));
    shim_.release("other");
    tick(11);
    EXPECT_EQ(state("high"), "queried");

    ask("low", 1'000, -1);
    refuse_place(PluginVerdict::unresolvable);
    EXPECT_EQ(sink_.questions.size(), 1u) << "room would not help";
}

TEST_F(PluginVictims, are_judged_again_if_their_node_has_changed_meanwhile) {
    full_nodes(2);
    ask("high", 1'000);
    shim_.node("n1", {{"cpu", 4'000}, {"pods", 9}}, NodeAction::update);
    answer(first(1));
    EXPECT_THAT(sink_.gone, IsEmpty()) << "the verdict counts no more";
    EXPECT_EQ(sink_.questions.size(), 2u);
    EXPECT_EQ(sink_.questions.back().node, "n1");
    answer(first(1));
    EXPECT_THAT(sink_.gone, ElementsAre("small-1"));
}

TEST_F(PluginVictims, need_nobodys_word_once_room_has_come) {
    full_nodes(1);
    ask("high", 1'000);
    shim_.release("small-1");
    answer(first(1));
    EXPECT_THAT(sink_.gone, IsEmpty());
    EXPECT_EQ(state("high"), "queried");
}

TEST_F(PluginVictims, of_a_pod_that_goes_or_is_stated_again_are_forgotten) {
    full_nodes(1);
    ask("high", 1'000);
    ask("high", 2'000);
    EXPECT_EQ(sink_.questions.size(), 2u) << "asked anew, for what it needs now";
    answer(first(1, 1));
    EXPECT_THAT(sink_.gone, IsEmpty()) << "the answer is late";
    shim_.release("high");
    answer(first(2));
    EXPECT_THAT(sink_.gone, IsEmpty());
    EXPECT_EQ(engine_.counters().plugin_queries_open, 0u);
}

TEST_F(PluginVictims, of_a_silent_plugin_keep_only_their_pod_waiting) {
    full_nodes(1);
    ask("high", 1'000);
    shim_.node("n2", {{"cpu", 4'000}, {"pods", 10}});
    shim_.ask("plain", "app", {{"cpu", 1'000}, {"pods", 1}}, 5);
    settle();
    EXPECT_EQ(state("plain"), "unacknowledged");
    tick(6);
    EXPECT_EQ(told("high"), "plugin license did not answer in 5000 ms");
    answer(first(1));
    EXPECT_THAT(sink_.gone, IsEmpty());
}

TEST_F(PluginVictims, are_none_where_the_shim_does_not_say_that_its_plugins_judge_them) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    Engine engine(options, sink);
    TestShim shim(engine, "shim", 1, "license\n");
    shim.application("app");
    SpecItem needing;
    needing.number = 1;
    needing.spec.plugins = {shim.id("license")};
    shim.send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
    shim.node("n1", {{"cpu", 1'000}, {"pods", 10}});
    shim.ask("low", "app", {{"cpu", 1'000}, {"pods", 1}});
    engine.run(10);
    const Amount amount{shim.id("cpu"), 1'000};
    AskItem record;
    record.key = "high";
    record.application = shim.id("app");
    record.priority = 10;
    record.requests = std::span(&amount, 1);
    record.spec = 1;
    shim.send(AsksMessage{std::span(&record, 1)});
    engine.run(10);
    EXPECT_EQ(engine.ask_state("shim", "high"), "unschedulable");
    EXPECT_EQ(engine.counters().plugin_queries, 0u);
}

struct Fault {
    const char* what;
    PluginAnswer answer;
    const char* text;
};

TEST_F(PluginVictims, that_are_chosen_wrongly_are_none_and_the_pod_says_what_was_wrong) {
    static const std::vector<std::uint32_t> kTwice{0, 0};
    static const std::vector<std::uint32_t> kUnknown{2};
    static const std::vector<std::uint32_t> kMany{0, 1, 2};
    static const std::vector<std::uint32_t> kOne{0};
    static const std::vector<PluginVerdict> kTwo{PluginVerdict::feasible, PluginVerdict::feasible};
    static const std::vector<PluginVerdict> kNone{PluginVerdict::unknown};
    const std::vector<Fault> faults = {
        {"nobody", {}, " chose no victims"},
        {"two ways", {.query = 0, .verdicts = {}, .first_victims = 1, .victims = kOne}, " chose victims in two ways"},
        {"too many", first(3), " chose 3 victims of 2"},
        {"too long a list", these(kMany), " chose 3 victims of 2"},
        {"too few", first(1), " chose 1 victims, and at least 2 must go"},
        {"an unknown pod", these(kUnknown), " chose a victim that was not offered"},
        {"a pod twice", these(kTwice), " chose a victim twice"},
        {"two nodes", {.query = 0, .verdicts = kTwo, .first_victims = 2}, " gave 2 verdicts for 1 nodes"},
        {"no verdict", {.query = 0, .verdicts = kNone, .first_victims = 2}, " gave no verdict for a node"},
        {"a failure", {.query = 0, .verdicts = {}, .failure = "down", .first_victims = 2}, ": down"}};
    full_nodes(1);
    int number = 0;
    for (const Fault& fault : faults) {
        const std::string key = "high-" + std::to_string(++number);
        ask(key, 4'000, 10 + number);
        ASSERT_EQ(state(key), "asking") << fault.what;
        answer(fault.answer);
        EXPECT_EQ(told(key), std::string("plugin license") + fault.text) << fault.what;
        EXPECT_EQ(state(key), "backoff") << fault.what;
        shim_.release(key);
    }
    EXPECT_THAT(sink_.gone, IsEmpty());
}

}  // namespace
}  // namespace bayplan::testing
