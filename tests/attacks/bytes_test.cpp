// A shim with a certificate that states few things of great size, or small ones without end: what the engine then keeps is
// bounded by the settings, in bytes as an allocator counts them.
#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <algorithm>

#include "measure/live_memory.h"
#include "tests/engine/harness.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

constexpr std::uint64_t kAll = 64u << 20;
constexpr std::uint64_t kUnacknowledged = 1u << 20;

EngineOptions options_with_bytes() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.bytes_max = kAll;
    options.unacknowledged_bytes_max = kUnacknowledged;
    return options;
}

// Keeps no decisions: what the engine keeps is what counts here.
class CountingSink : public KeepingSink {
public:
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t skip, std::uint64_t) override {
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            ++told[batch->decisions[i].text.starts_with("more than ") && batch->decisions[i].text.ends_with(" bytes")];
        }
        return true;
    }
    void log_line(std::string_view) override {}
    std::array<std::uint64_t, 2> told{};  // others, and rejections for bytes
};

class Bytes : public ::testing::Test {
protected:
    std::uint64_t counted() { return engine.counters().stated_bytes; }
    std::uint64_t rejected() {
        engine.flush();
        return sink.told[1];
    }
    static std::int64_t live() {
        EXPECT_EQ(mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0), 0);
        return measure::live_bytes();
    }
    // States one thing more each time until the engine has rejected some; acknowledges all it is told.
    template <typename State>
    void until_rejected(State&& state) {
        const std::uint64_t before = rejected();
        for (std::size_t i = 0; i < 4'000'000 && rejected() < before + 100; ++i) {
            state(i);
            if (i % 64 == 0) {
                acknowledge();
            }
        }
        EXPECT_GE(rejected(), before + 100);
        acknowledge();
    }
    void acknowledge() {
        engine.flush();
        bad.acknowledge(sink.told[0] + sink.told[1]);
    }
    // The counted bytes that a shim may have, and the real bytes that they may be: maps are rarely full.
    void expect_bounded(std::int64_t live_before) {
        EXPECT_LE(counted(), kAll / 2);
        EXPECT_GT(counted(), kAll / 2 - kAll / 16);
        EXPECT_LT(live() - live_before, static_cast<std::int64_t>(2 * kAll));
    }

    CountingSink sink;
    Engine engine{options_with_bytes(), sink};
    TestShim bad{engine, "bad"};
};

std::string long_text(std::size_t number) {
    std::string text = std::to_string(number);
    return text + std::string(512 - text.size(), 'x');
}

TEST_F(Bytes, of_a_million_texts_are_rejected_past_the_limit_and_given_back) {
    const std::int64_t before = live();
    const std::uint64_t at_first = counted();
    until_rejected([&](std::size_t i) {
        const std::string text = long_text(i);
        const DictEntry entry{static_cast<DictId>(i + 1), text};
        bad.send(DefineMessage{std::span(&entry, 1)});
    });
    expect_bounded(before);
    for (DictId id = 1; id < 200'000; ++id) {
        bad.send(ForgetMessage{std::span(&id, 1)});
        if (id % 64 == 0) {
            acknowledge();
        }
    }
    acknowledge();
    EXPECT_EQ(counted(), at_first);
    const DictEntry entry{1, "again"};
    bad.send(DefineMessage{std::span(&entry, 1)});
    EXPECT_EQ(counted(), at_first + 64 + 5);
}

// Each with a key of its own, and each its own class.
TEST_F(Bytes, of_asks_without_end_are_rejected_past_the_limit_and_given_back) {
    bad.application("app");
    bad.id("cpu");
    acknowledge();
    const std::int64_t before = live();
    const std::uint64_t at_first = counted();
    until_rejected([&](std::size_t i) {
        bad.ask("ask-" + std::to_string(i), "app", {{"cpu", static_cast<std::int64_t>(i % 100'000) + 1}});
    });
    EXPECT_LE(counted(), kAll / 2);
    EXPECT_LT(live() - before, static_cast<std::int64_t>(4 * kAll));  // classes are dear
    const ReleaseItem all{.key = {}, .application = bad.id("app"), .message = {}};
    bad.send(ReleasesMessage{std::span(&all, 1)});
    acknowledge();
    EXPECT_EQ(counted(), at_first);
}

// A spec of as many entries as it may have, each a text of its own: an ask keeps it, and its number is forgotten.
TEST_F(Bytes, of_specs_that_only_asks_keep_are_rejected_past_the_limit) {
    bad.application("app");
    std::vector<DictId> texts;
    for (std::size_t i = 0; i < 1'024; ++i) {
        texts.push_back(bad.id(long_text(i)));
        acknowledge();
    }
    const std::int64_t before = live();
    until_rejected([&](std::size_t i) {
        SpecItem record{static_cast<SpecNumber>(i + 1), {}};
        LabelRequirement requirement{texts[i % 1'024], LabelOperator::in, texts};
        requirement.values.resize(1'000);
        record.spec.required_nodes = {NodeTerm{.labels = {requirement, requirement, requirement}, .fields = {}}};
        record.spec.name_space = texts[i / 1'024];
        bad.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
        AskItem ask;
        const std::string key = "ask-" + std::to_string(i);
        ask.key = key;
        ask.application = bad.id("app");
        ask.spec = record.number;
        bad.send(AsksMessage{std::span(&ask, 1)});
        bad.send(SpecsMessage{.define = {}, .forget = std::span(&record.number, 1)});
    });
    EXPECT_LE(counted(), kAll / 2);
    EXPECT_LT(live() - before, static_cast<std::int64_t>(kAll));
    const ReleaseItem all{.key = {}, .application = bad.id("app"), .message = {}};
    bad.send(ReleasesMessage{std::span(&all, 1)});
    acknowledge();
    EXPECT_LT(counted(), 2u << 20);
}

TEST_F(Bytes, of_objects_are_rejected_past_the_limit_and_given_back) {
    std::vector<DictId> texts;
    for (std::size_t i = 0; i < 512; ++i) {
        texts.push_back(bad.id(long_text(i)));
        acknowledge();
    }
    const std::int64_t before = live();
    const std::uint64_t at_first = counted();
    std::vector<ObjectItem> stated;
    until_rejected([&](std::size_t i) {
        PodBudget budget{.name_space = texts[i / 512], .name = texts[i % 512], .selector = {}, .disrupted_pods = {}};
        budget.disrupted_pods.assign(500, texts[7]);
        const ObjectItem record{budget, false};
        bad.send(ObjectsMessage{std::span(&record, 1)});
        stated.push_back({budget, true});
    });
    expect_bounded(before);
    for (const ObjectItem& record : stated) {
        bad.send(ObjectsMessage{std::span(&record, 1)});
    }
    acknowledge();
    EXPECT_EQ(counted(), at_first);
}

TEST_F(Bytes, of_nodes_are_rejected_past_the_limit_and_given_back) {
    std::vector<Attribute> labels;
    for (std::size_t i = 0; i < 200; ++i) {
        labels.push_back({bad.id(long_text(i)), bad.id("value")});
        acknowledge();
    }
    std::vector<DictId> names;
    for (std::size_t i = 0; i < 1'000; ++i) {
        names.push_back(bad.id("node-" + std::to_string(i)));
    }
    acknowledge();
    const std::uint64_t at_first = counted();
    until_rejected([&](std::size_t i) {
        const NodeItem record{.node = names[i % 1'000], .capacity = {}, .attributes = labels};
        bad.send(NodesMessage{std::span(&record, 1)});
    });
    EXPECT_LE(counted(), kAll / 2);
    EXPECT_LT(engine.counters().nodes, 1'000u);
    for (const DictId name : names) {
        const NodeItem record{.node = name, .action = NodeAction::decommission, .capacity = {}, .attributes = {}};
        bad.send(NodesMessage{std::span(&record, 1)});
        acknowledge();
    }
    EXPECT_EQ(counted(), at_first);
}

// Nothing is acknowledged: a rejection has the key in it.
TEST_F(Bytes, of_rejections_with_long_keys_end_the_connection) {
    const std::int64_t before = live();
    for (std::size_t i = 0; i < 200'000; ++i) {
        bad.nack(long_text(i));
        if (i % 1'024 == 0) {
            engine.flush();
        }
    }
    engine.flush();
    EXPECT_EQ(sink.cuts, (std::vector<std::string>{"too many decisions were not acknowledged"}));
    EXPECT_LT(live() - before, static_cast<std::int64_t>(16 * kUnacknowledged));
    EXPECT_LT(counted(), kUnacknowledged);
}

TEST_F(Bytes, are_left_for_another_shim_whatever_one_takes) {
    until_rejected([&](std::size_t i) {
        const std::string text = long_text(i);
        const DictEntry entry{static_cast<DictId>(i + 1), text};
        bad.send(DefineMessage{std::span(&entry, 1)});
    });
    const std::uint64_t of_bad = counted();
    const std::uint64_t rejections = rejected();
    EXPECT_LE(of_bad, kAll / 2);
    TestShim honest(engine, "honest", 2);
    for (std::size_t i = 0; i < 20'000; ++i) {
        honest.id("a text of an honest shim " + std::to_string(i));
    }
    EXPECT_GT(counted(), of_bad + 20'000 * 80);
    EXPECT_EQ(rejected(), rejections);
}

}  // namespace
}  // namespace bayplan::attacks
