// A shim with a certificate whose nodes and asks name kinds of resources without end: each is a column of every block of nodes,
// and of every application where there are queues.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/harness.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

class Kinds : public ::testing::Test {
protected:
    static EngineOptions options() {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        return options;
    }
    // One node more for each kind.
    static void name(TestShim& shim, const std::string& prefix, int kinds) {
        for (int i = 0; i < kinds; ++i) {
            shim.node(prefix + std::to_string(i), {{"example.com/" + prefix + std::to_string(i), 1}});
        }
    }
    std::ptrdiff_t rejected(ConnectionId connection) {
        engine.flush();
        return std::ranges::count(sink.kept[connection], "more than 256 kinds of resources", &KeepingSink::Kept::text);
    }

    KeepingSink sink;
    Engine engine{options(), sink};
};

TEST_F(Kinds, of_one_shim_are_256_at_most_and_others_may_go_on) {
    TestShim bad(engine, "bad", 1);
    name(bad, "bad-", 300);
    EXPECT_EQ(rejected(1), 44);
    bad.node("known", {{"example.com/bad-0", 1}});  // known kinds may be named again
    EXPECT_EQ(rejected(1), 44);
    TestShim honest(engine, "honest", 2);
    honest.node("n", {{"cpu", 1'000}, {"memory", 1}, {"pods", 110}, {"example.com/bad-1", 1}});
    name(honest, "honest-", 255);
    EXPECT_EQ(rejected(2), 0);
    honest.application("app");
    honest.ask("a", "app", {{"example.com/one-more", 1}});
    EXPECT_EQ(rejected(2), 1);
}

TEST_F(Kinds, that_a_shim_forgets_and_names_anew_are_still_256) {
    TestShim bad(engine, "bad", 1);
    name(bad, "bad-", 256);
    bad.send(ResyncBeginMessage{});
    bad.send(ResyncEndMessage{});
    name(bad, "worse-", 10);
    EXPECT_EQ(rejected(1), 10);
    EXPECT_EQ(engine.counters().nodes, 0u);
}

TEST_F(Kinds, of_all_shims_are_1024_at_most) {
    for (ConnectionId shim = 1; shim <= 5; ++shim) {
        TestShim bad(engine, "bad" + std::to_string(shim), shim);
        name(bad, "bad" + std::to_string(shim) + "-", 256);
        EXPECT_EQ(rejected(shim), shim == 5 ? 256 : 0);
    }
}

// Each slice more is put among the slices of its pool.
TEST_F(Kinds, of_slices_there_are_4096_together) {
    TestShim bad(engine, "bad", 1);
    const auto slice = [&](int number, const std::string& pool) {
        ResourceSlice one;
        one.name = bad.id("slice-" + std::to_string(number));
        one.driver = bad.id("driver");
        one.pool = bad.id(pool);
        one.generation = 1;
        one.pool_slices = 1;
        one.reach = SliceReach::nowhere;
        const ObjectItem item{one};
        bad.send(ObjectsMessage{std::span(&item, 1)});
        engine.flush();
        return std::ranges::count(sink.kept[1], "more than 4096 slices together", &KeepingSink::Kept::text);
    };
    std::ptrdiff_t rejections = 0;
    for (int number = 0; number < 4'098; ++number) {
        rejections = slice(number, "pool");
    }
    EXPECT_EQ(rejections, 2);
    EXPECT_EQ(slice(7, "pool"), 2);  // stated again
    EXPECT_EQ(slice(5'000, "another"), 2);
}

}  // namespace
}  // namespace bayplan::attacks
