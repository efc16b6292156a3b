// Preemption between queues in an engine: what a search costs, what people are told of it, and the ways to turn it off.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000;

EngineOptions options_with(bool guarantee) {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    made.queues = true;
    made.preemption.guarantee = guarantee;
    return made;
}

// Queue a is guaranteed `of_a`, queue b `of_b`; b's pods fill the one node of 10.
class GuaranteeWorld {
public:
    explicit GuaranteeWorld(const std::string& of_a, const std::string& of_b, bool guarantee = true,
                            const std::string& partition = "")
        : engine(options_with(guarantee), sink) {
        const auto queue = [](const std::string& name, const std::string& vcore) {
            return "    - {name: " + name + ", submitacl: '*', properties: {preemption.delay: 1s}, " +
                   "resources: {guaranteed: {vcore: " + vcore + "m}}}\n";
        };
        const std::string text = "partitions:\n- name: default\n" + partition +
                                 "  queues:\n  - name: root\n    queues:\n" + queue("a", of_a) + queue("b", of_b);
        engine.apply(QueuesText{.partition = "default", .text = text});
        EXPECT_EQ(engine.queues_fault(), "");
        for (const char* name : {"a", "b"}) {
            const ApplicationItem item{
                .application = shim.id(name), .queue = shim.id(std::string("root.") + name), .user = shim.id("ann")};
            shim.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
        }
        shim.node("n", {{"cpu", 10}, {"pods", 1'000}});
        for (int i = 0; i < 10; ++i) {
            shim.ask("b" + std::to_string(i), "b", {{"cpu", 1}, {"pods", 1}});
        }
        engine.run(1'000);
    }

    void asks(int count) {
        for (int i = 0; i < count; ++i) {
            shim.ask("a" + std::to_string(i), "a", {{"cpu", 1}, {"pods", 1}});
        }
    }
    void tick(std::int64_t now_ns) {
        engine.apply(Tick{now_ns});
        engine.run(100'000);
    }
    GroupExplanation group(const std::string& key) {
        const auto explanation = engine.explain("s", key, false);
        EXPECT_TRUE(explanation && explanation->group) << key;
        return explanation && explanation->group ? *explanation->group : GroupExplanation();
    }
    std::string told(const std::string& key) {
        const auto explanation = engine.explain("s", key, false);
        return explanation && explanation->preemption ? explanation->preemption->guarantee : "nothing";
    }

    KeepingSink sink;
    Engine engine;
    TestShim shim{engine, "s"};
};

TEST(Guarantees, a_search_in_vain_is_not_repeated_for_asks_alike_while_nothing_changes) {
    GuaranteeWorld world("500", "10");  // b holds no more than it is guaranteed
    world.asks(100);
    world.tick(0);
    EXPECT_EQ(world.engine.counters().guarantee_waits, 100u);
    EXPECT_EQ(world.engine.counters().guarantee_searches, 0u);
    world.tick(2 * kOneSecond);
    EXPECT_EQ(world.engine.counters().guarantee_searches, 1u);
    EXPECT_EQ(world.engine.counters().guarantee_spared, 99u);
    EXPECT_EQ(world.engine.counters().guarantee_victims, 0u);
}

TEST(Guarantees, no_more_pods_go_than_a_guarantee_has_room_for) {
    GuaranteeWorld world("4", "0");
    world.asks(8);
    world.tick(0);
    world.tick(2 * kOneSecond);
    EXPECT_EQ(world.engine.counters().guarantee_preemptions, 4u);
    EXPECT_EQ(world.engine.counters().guarantee_victims, 4u);
    world.tick(20 * kOneSecond);
    EXPECT_EQ(world.engine.counters().guarantee_victims, 4u);
}

TEST(Guarantees, an_explanation_says_whom_a_guarantee_sends_away_or_why_nobody_goes) {
    GuaranteeWorld world("1", "9");
    world.asks(1);
    world.tick(0);
    EXPECT_EQ(world.told("a0"), "nobody goes for the guarantee of root.a before it has failed for 1000 ms");
    world.engine.apply(Tick{2 * kOneSecond});
    const auto explanation = world.engine.explain("s", "a0", false);
    ASSERT_TRUE(explanation && explanation->preemption);
    EXPECT_EQ(explanation->preemption->guarantee, "for the guarantee of root.a");
    EXPECT_EQ(explanation->preemption->nominated_node, "n");
    ASSERT_EQ(explanation->preemption->candidates.size(), 1u);
    EXPECT_EQ(explanation->preemption->candidates[0].victims.size(), 1u);
    EXPECT_EQ(world.engine.counters().guarantee_searches, 0u);  // to explain is no attempt
    world.engine.run(100);
    EXPECT_EQ(world.engine.counters().guarantee_victims, 1u);
    world.shim.ask("late", "a", {{"cpu", 1}});
    world.engine.run(100);
    EXPECT_EQ(world.told("late"), "the guarantee of root.a has no room for it");
}

TEST(Guarantees, a_victim_is_told_for_whose_guarantee_it_goes) {
    GuaranteeWorld world("1", "9");
    world.asks(1);
    world.tick(0);
    world.tick(2 * kOneSecond);
    world.engine.flush();
    world.engine.settle();
    const auto& kept = world.sink.kept[1];
    const auto released = std::find_if(kept.begin(), kept.end(),
                                       [](const KeepingSink::Kept& one) { return one.kind == DecisionKind::released; });
    ASSERT_NE(released, kept.end());
    EXPECT_EQ(released->text, "preempted by s/a0 for the guarantee of root.a");
}

// Its members together hold no more than the guarantee, and take no more than the other queue can spare.
TEST(Guarantees, a_pod_group_takes_for_its_guarantee_as_one_or_not_at_all) {
    GuaranteeWorld world("4", "6");
    const auto group = [&](const std::string& name, int members) {
        for (int i = 0; i < members; ++i) {
            world.shim.member(name + std::to_string(i), "a", name, static_cast<std::uint32_t>(members),
                              {{"cpu", 1}, {"pods", 1}});
        }
    };
    group("large", 5);
    world.tick(0);
    EXPECT_EQ(world.engine.counters().guarantee_waits, 1u);
    world.tick(2 * kOneSecond);
    EXPECT_EQ(world.engine.counters().guarantee_preemptions, 4u);
    world.engine.flush();
    world.engine.settle();
    const auto released = [&] {
        return std::ranges::count_if(world.sink.kept[1],
                                     [](const KeepingSink::Kept& one) { return one.kind == DecisionKind::released; });
    };
    EXPECT_EQ(released(), 0) << "the fifth member is beyond the guarantee";
    group("small", 3);
    world.tick(3 * kOneSecond);
    world.tick(5 * kOneSecond);
    world.engine.flush();
    world.engine.settle();
    EXPECT_EQ(released(), 3);
    const auto& kept = world.sink.kept[1];
    EXPECT_TRUE(std::ranges::any_of(kept, [](const KeepingSink::Kept& one) {
        return one.text == "preempted by s/small2 for the guarantee of root.a";
    }));
    for (const KeepingSink::Kept& one : std::vector(kept)) {
        if (one.kind == DecisionKind::released) world.shim.release(one.name);
    }
    world.tick(12 * kOneSecond);
    for (const char* const key : {"small0", "small1", "small2"}) {
        EXPECT_EQ(world.engine.ask_state("s", key), "unacknowledged") << key;
    }
}

TEST(Guarantees, an_explained_pod_group_says_whom_it_would_take_for_its_guarantee) {
    GuaranteeWorld world("4", "6");
    const auto group = [&](const std::string& name, int members) {
        for (int i = 0; i < members; ++i) {
            world.shim.member(name + std::to_string(i), "a", name, static_cast<std::uint32_t>(members),
                              {{"cpu", 1}, {"pods", 1}});
        }
    };
    group("small", 3);
    world.tick(0);
    EXPECT_EQ(world.group("small1").guarantee,
              "nobody goes for the guarantee of root.a before it has failed for 1000 ms");
    EXPECT_TRUE(world.group("small1").nominations.empty());
    world.engine.apply(Tick{2 * kOneSecond});
    const std::string digest = world.engine.digest();
    const std::uint64_t searches = world.engine.counters().guarantee_searches;
    const GroupExplanation told = world.group("small1");
    EXPECT_EQ(world.engine.digest(), digest);
    EXPECT_EQ(world.engine.counters().guarantee_searches, searches);
    EXPECT_EQ(told.guarantee, "for the guarantee of root.a");
    ASSERT_EQ(told.nominations.size(), 3u);
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_EQ(told.nominations[at].pod, "small" + std::to_string(at));
        EXPECT_EQ(told.nominations[at].node, "n");
        EXPECT_EQ(told.nominations[at].guarantor, "root.a");
    }
    world.engine.run(100'000);
    world.engine.flush();
    world.engine.settle();
    std::vector<std::string> gone;
    for (const KeepingSink::Kept& one : world.sink.kept[1]) {
        if (one.kind == DecisionKind::released) gone.push_back(one.name);
    }
    std::vector<std::string> would_go;
    for (const GroupNomination& one : told.nominations)
        would_go.insert(would_go.end(), one.victims.begin(), one.victims.end());
    std::ranges::sort(gone);
    std::ranges::sort(would_go);
    EXPECT_EQ(gone, would_go);
    EXPECT_EQ(gone.size(), 3u);
}

TEST(Guarantees, an_explained_pod_group_beyond_its_guarantee_takes_nobody) {
    GuaranteeWorld world("4", "6");
    for (int i = 0; i < 5; ++i) {
        world.shim.member("large" + std::to_string(i), "a", "large", 5, {{"cpu", 1}, {"pods", 1}});
    }
    world.tick(0);
    world.tick(2 * kOneSecond);
    EXPECT_TRUE(world.group("large0").nominations.empty());
    EXPECT_EQ(world.group("large0").guarantee, "nobody may go for the guarantee of root.a");
}

TEST(Guarantees, the_setting_and_the_file_turn_them_off) {
    for (GuaranteeWorld* const world :
         {std::make_unique<GuaranteeWorld>("5", "0", false).release(),
          std::make_unique<GuaranteeWorld>("5", "0", true, "  preemption: {enabled: false}\n").release()}) {
        const std::unique_ptr<GuaranteeWorld> owner(world);
        world->asks(2);
        world->tick(0);
        world->tick(60 * kOneSecond);
        EXPECT_EQ(world->engine.counters().guarantee_victims, 0u);
        EXPECT_EQ(world->engine.counters().guarantee_waits, 0u);
        EXPECT_EQ(world->told("a0"), "");
    }
}

}  // namespace
}  // namespace bayplan::testing
