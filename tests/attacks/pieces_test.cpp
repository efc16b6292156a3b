// Shims with a certificate that have much, and say one word that ends it all, or wakes it all: none of it may be done in one
// go, for others' work waits that long. Counted, in asks and in work.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

constexpr std::uint32_t kMuch = 10'000;
constexpr std::uint32_t kSteps = Engine::kStepsOfPiece;

struct Partition {
    explicit Partition(EngineOptions options = {}) : engine(inline_(options), sink) {}
    static EngineOptions inline_(EngineOptions options) {
        options.executor = ExecutorKind::inline_;
        options.credit_window = 1'000'000;
        options.unacknowledged_max = 4'000'000;
        return options;
    }

    // So many asks, half of them placed.
    void crowd(std::uint32_t asks, const std::string& application = "app") {
        const std::int64_t half = asks / 2;
        for (int node = 0; node < 8; ++node) {
            shim.node("n" + std::to_string(node), {{"cpu", half / 8}, {"pods", half / 8}});
        }
        shim.application(application);
        for (std::uint32_t i = 0; i < asks; ++i) {
            shim.ask("a" + std::to_string(i), application, {{"cpu", 1}});
        }
        while (engine.run(asks) > 0) {
        }
        engine.flush();
        ASSERT_EQ(engine.counters().allocations, asks / 8 / 2 * 8);
    }
    std::uint64_t asks() const {
        const EngineCounters now = engine.counters();
        return now.allocations + now.pending + now.backoff + now.unschedulable;
    }

    // Applies the shim's message as the daemon does. Returns the most asks that went in one piece, of several pieces.
    std::uint64_t most_in_a_piece(const StateBody& body) {
        StateMessage rest{1, shim.next_sequence(), body};
        StateMessage piece;
        std::uint64_t most = 0;
        std::uint64_t pieces = 0;
        for (bool more = true; more; ++pieces) {
            const std::uint64_t before = asks();
            more = engine.cut(rest, piece);
            engine.apply(more ? piece : rest);
            most = std::max(most, before - asks());
        }
        EXPECT_GT(pieces, 2u);
        return most;
    }

    KeepingSink sink;
    Engine engine;
    TestShim shim{engine, "shim"};
};

TEST(Pieces, of_a_resync_end_a_few_thousand_asks_each) {
    Partition partition;
    partition.crowd(kMuch);
    EXPECT_LE(partition.most_in_a_piece(ResyncBeginMessage{}), kSteps);
    EXPECT_EQ(partition.asks(), 0u);
    std::vector<std::string> broken;
    partition.engine.audit(broken);
    EXPECT_EQ(broken, std::vector<std::string>{});
}

TEST(Pieces, of_a_release_of_all_asks_likewise) {
    Partition partition;
    partition.crowd(kMuch);
    const ReleaseItem all{.key = {}, .application = partition.shim.id("app"), .message = {}};
    EXPECT_LE(partition.most_in_a_piece(ReleasesMessage{std::span(&all, 1)}), kSteps);
    EXPECT_EQ(partition.asks(), 0u);
}

TEST(Pieces, of_the_end_of_an_application_likewise) {
    Partition partition;
    partition.crowd(kMuch);
    const DictId id = partition.shim.id("app");
    EXPECT_LE(partition.most_in_a_piece(ApplicationsMessage{.add = {}, .remove = std::span(&id, 1)}), kSteps);
    EXPECT_EQ(partition.asks(), 0u);
    partition.shim.application("app");  // it is gone, and may come again
    partition.engine.flush();
    EXPECT_EQ(partition.sink.kept[1].back().kind, DecisionKind::application_accepted);
}

// Nodes go with the pods that other shims have there.
TEST(Pieces, of_a_resync_without_nodes_let_them_go_a_few_at_a_time) {
    Partition partition;
    TestShim other(partition.engine, "other", 2);
    for (int node = 0; node < 8; ++node) {
        other.node("n" + std::to_string(node), {{"cpu", kMuch / 8}, {"pods", kMuch / 8}});
    }
    partition.shim.application("app");
    for (std::uint32_t i = 0; i < kMuch; ++i) {
        partition.shim.ask("a" + std::to_string(i), "app", {{"cpu", 1}});
    }
    while (partition.engine.run(kMuch) > 0) {
    }
    other.send(ResyncBeginMessage{});
    StateMessage rest{2, other.next_sequence(), ResyncEndMessage{}};
    StateMessage piece;
    std::uint64_t pieces = 0;
    while (partition.engine.cut(rest, piece)) {
        const std::uint64_t before = partition.engine.counters().allocations;
        partition.engine.apply(piece);
        EXPECT_LE(before - partition.engine.counters().allocations, kSteps);
        ++pieces;
    }
    EXPECT_GT(pieces, 3u);
    partition.engine.apply(rest);
    EXPECT_EQ(partition.engine.counters().nodes, 0u);
}

TEST(Pieces, of_many_asks_that_come_are_a_few_thousand_each) {
    Partition partition;
    partition.shim.application("app");
    std::vector<std::string> keys;
    std::vector<AskItem> items(kMuch);
    for (std::uint32_t i = 0; i < kMuch; ++i) {
        keys.push_back("b" + std::to_string(i));
    }
    for (std::uint32_t i = 0; i < kMuch; ++i) {
        items[i].key = keys[i];
        items[i].application = partition.shim.id("app");
    }
    StateMessage rest{1, partition.shim.next_sequence(), AsksMessage{items}};
    StateMessage piece;
    while (partition.engine.cut(rest, piece)) {
        const std::uint64_t before = partition.asks();
        partition.engine.apply(piece);
        EXPECT_LE(partition.asks() - before, kSteps);
        EXPECT_GT(partition.asks(), before);
    }
    partition.engine.apply(rest);
    EXPECT_EQ(partition.asks(), kMuch);
    partition.shim.ask("c", "app", {});  // the next number is the next one
    EXPECT_EQ(partition.asks(), kMuch + 1);
}

// --- waking

// The work of one release while so many asks wait for room, and of a slice of what it wakes.
struct WakeCost {
    std::uint64_t event = 0;
    std::uint64_t slice = 0;
};

WakeCost cost_of_waking(std::uint32_t waiting) {
    Partition partition;
    partition.engine.wake_in_slices();
    partition.shim.node("n", {{"cpu", 1}, {"pods", 110}});
    partition.shim.application("app");
    for (std::uint32_t i = 0; i <= waiting; ++i) {
        partition.shim.ask("a" + std::to_string(i), "app", {{"cpu", 1}});
    }
    while (partition.engine.run(waiting) > 0) {
    }
    EXPECT_EQ(partition.engine.counters().unschedulable, waiting);
    partition.engine.apply(Tick{60'000'000'000});  // their backoff is over
    WakeCost cost;
    std::uint64_t before = work();
    partition.shim.release("a0");
    cost.event = work() - before;
    EXPECT_EQ(partition.engine.counters().pending, waiting);
    EXPECT_EQ(partition.engine.ask_state("shim", "a7"), "pending");  // also of an ask whose turn has not come
    before = work();
    EXPECT_FALSE(partition.engine.catch_up(100));
    cost.slice = work() - before;
    partition.engine.run(1);
    EXPECT_EQ(partition.engine.ask_state("shim", "a1"), "unacknowledged");  // the first of all, not of the slice
    return cost;
}

TEST(Waking, a_thousand_or_more_is_one_step_of_the_event_that_does_it) {
    const WakeCost of_1000 = cost_of_waking(1'000);
    const WakeCost of_8000 = cost_of_waking(8'000);
    EXPECT_GT(of_1000.slice, 100u);  // it is counted at all
    EXPECT_LT(of_8000.event, 2 * of_1000.event);
    EXPECT_LT(of_8000.slice, 2 * of_1000.slice);
}

// --- what others have

// The work of a resync of a shim that has nothing, beside a shim that has stated so many objects.
std::uint64_t cost_beside(std::uint32_t objects) {
    Partition partition;
    TestShim other(partition.engine, "other", 2);
    for (std::uint32_t i = 0; i < objects; ++i) {
        ObjectItem item{Namespace{}};
        std::get<Namespace>(item.object).name = other.id("space-" + std::to_string(i));
        other.send(ObjectsMessage{std::span(&item, 1)});
    }
    const std::uint64_t before = work();
    partition.shim.send(ResyncBeginMessage{});
    partition.shim.send(ResyncEndMessage{});
    return work() - before;
}

// Namespaces that are stated one by one, and once more, while specs select some of them.
std::uint64_t cost_of_namespaces(std::uint32_t namespaces) {
    Partition partition;
    TestShim& shim = partition.shim;
    for (std::uint32_t i = 1; i <= 20; ++i) {
        SpecItem record{i, {}};
        PodTerm term;
        term.topology_key = shim.id("zone");
        term.namespace_selector = LabelSelector{{{shim.id("team"), LabelOperator::in, {shim.id(std::to_string(i))}}}};
        record.spec.name_space = shim.id("space-" + std::to_string(i));
        record.spec.affinity.push_back(term);
        shim.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    }
    std::vector<ObjectItem> items;
    for (std::uint32_t i = 0; i < namespaces; ++i) {
        Namespace one;
        one.name = shim.id("space-" + std::to_string(i));
        one.labels = {{shim.id("team"), shim.id(std::to_string(i % 30))}};
        items.emplace_back(one);
    }
    const std::uint64_t before = work();
    for (int time = 0; time < 2; ++time) {
        for (const ObjectItem& item : items) {
            shim.send(ObjectsMessage{std::span(&item, 1)});
        }
    }
    return work() - before;
}

TEST(Namespaces, that_are_stated_cost_no_more_than_their_number) {
    const std::uint64_t of_500 = cost_of_namespaces(500);
    EXPECT_GT(of_500, 5'000u);  // it is counted at all
    EXPECT_LT(cost_of_namespaces(2'000), 6 * of_500);
}

TEST(ResyncsOfNothing, cost_nothing_for_the_objects_of_others) {
    const std::uint64_t beside_100 = cost_beside(100);
    EXPECT_LT(cost_beside(3'000), beside_100 + 100);
}

}  // namespace
}  // namespace bayplan::attacks
