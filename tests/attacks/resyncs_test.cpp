// Shims with a certificate that keep others waiting: hellos without a statement, statements without an end.
#include <gtest/gtest.h>

#include <vector>

#include "shims/dictionary.h"
#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDeadline = 30 * kSecond;

// An honest shim with a node of its own, and a shim that means harm.
class Resyncs : public ::testing::Test {
protected:
    Resyncs() {
        engine.apply(Tick{kSecond});
        honest.node("n", {{"cpu", 1'000}});
        honest.application("app");
    }

    void hello(std::uint64_t instance) {
        engine.apply(Connect{.connection = ++connection_, .shim = "bad", .shim_instance = instance});
    }
    void hang_up() { engine.apply(Disconnect{connection_}); }
    void at(std::int64_t now_ns) { engine.apply(Tick{now_ns}); }

    // Whether an ask of the honest shim is placed now.
    bool others_are_placed() {
        honest.ask("a" + std::to_string(++asks_), "app", {{"cpu", 1}});
        const std::uint64_t placed = engine.counters().placed;
        engine.run(100);
        return engine.counters().placed > placed;
    }
    // A shim that has a node and pods, and goes.
    void bad_has_something() {
        TestShim bad(engine, "bad", ++connection_);
        bad.node("m", {{"cpu", 1'000}});
        bad.application("app");
        bad.ask("b", "app", {{"cpu", 1}});
        engine.run(1);
        bad.ask("c", "app", {{"cpu", 1}});
        hang_up();
    }

    KeepingSink sink;
    Engine engine{testing::options_inline(), sink};
    TestShim honest{engine, "honest"};

private:
    ConnectionId connection_ = 100;
    int asks_ = 0;
};

TEST_F(Resyncs, a_hello_and_a_hang_up_keep_nobody_waiting) {
    hello(1);
    EXPECT_TRUE(others_are_placed());
    hang_up();
    EXPECT_TRUE(others_are_placed());
    EXPECT_EQ(engine.open_resyncs(), (std::vector<OpenResync>{{"bad", false}}));
    EXPECT_EQ(engine.counters().resyncs_open, 1u);
    EXPECT_EQ(engine.counters().resyncs_holding, 0u);
}

TEST_F(Resyncs, a_shim_that_has_something_is_waited_for_until_the_deadline) {
    bad_has_something();
    hello(2);
    hang_up();
    EXPECT_FALSE(others_are_placed());
    EXPECT_EQ(engine.open_resyncs(), (std::vector<OpenResync>{{"bad", true}}));
    std::string why;
    EXPECT_EQ(engine.ask_state("honest", "a1", &why), "pending");
    EXPECT_EQ(why, "shim bad is stating its state anew; nothing is decided before the end of it");
    EXPECT_EQ(engine.next_timer_ns(), kSecond + kDeadline);
    at(kSecond + kDeadline - 1);
    EXPECT_FALSE(others_are_placed());
    at(kSecond + kDeadline);
    EXPECT_TRUE(others_are_placed());
    EXPECT_EQ(engine.counters().resyncs_overdue, 1u);
    // Its share is as it was: its node and what runs there stay, what waits goes on waiting.
    EXPECT_EQ(engine.counters().nodes, 2u);
    EXPECT_EQ(engine.ask_state("bad", "b"), "unacknowledged");
    EXPECT_EQ(engine.ask_state("bad", "c", &why), "pending");
    EXPECT_EQ(why, "its shim is stating its state anew, and has not ended");
}

// Once a second a hello, for ten minutes: others wait for a tenth of the time.
TEST_F(Resyncs, hellos_again_and_again_keep_others_waiting_for_a_tenth_of_the_time) {
    bad_has_something();
    int waited = 0;
    for (int second = 0; second < 600; ++second) {
        at(kSecond * (second + 2));
        hello(static_cast<std::uint64_t>(second) + 2);
        waited += others_are_placed() ? 0 : 1;
        hang_up();
    }
    EXPECT_GT(waited, 0);
    EXPECT_LE(waited, 61);
}

// Statements that end, one after the other, each a second before the deadline.
TEST_F(Resyncs, statements_that_end_and_begin_keep_others_waiting_for_a_tenth_of_the_time) {
    TestShim bad(engine, "bad", 200);
    int waited = 0;
    for (int second = 0; second < 600; ++second) {
        at(kSecond * (second + 2));
        if (second % 29 == 0) {
            bad.send(ResyncBeginMessage{});
            bad.node("m", {{"cpu", 1'000}});
        } else if (second % 29 == 28) {
            bad.send(ResyncEndMessage{});
        }
        waited += others_are_placed() ? 0 : 1;
    }
    EXPECT_GT(waited, 0);
    EXPECT_LE(waited, 61);
}

// --- specs and words of before the hello

class LeftOver : public Resyncs {
protected:
    static constexpr std::uint32_t kSpecs = 2'000;

    // A shim with so many specs, each with a pod term, says hello as another instance.
    std::uint64_t cost_of_hello() {
        TestShim bad(engine, "bad", 50);
        std::vector<SpecItem> specs(kSpecs);
        for (std::uint32_t number = 0; number < kSpecs; ++number) {
            PodTerm term;
            term.topology_key = bad.id("zone");
            const Text own = bad.id("own-" + std::to_string(number));
            term.selector = LabelSelector{{{bad.id("app"), LabelOperator::in, {own}}}};
            specs[number].number = number + 1;
            specs[number].spec.labels = {{bad.id("app"), own}};
            specs[number].spec.anti_affinity = {term};
        }
        bad.send(SpecsMessage{.define = specs, .forget = {}});
        const std::uint64_t before = work();
        hello(99);
        return work() - before;
    }
    std::uint64_t cost_of(const StateMessage& message) {
        const std::uint64_t before = work();
        engine.apply(message);
        return work() - before;
    }
};

TEST_F(LeftOver, specs_go_as_the_resync_begins_and_in_pieces) {
    const std::uint64_t of_hello = cost_of_hello();
    StateMessage piece{101, 1, ResyncBeginMessage{}};
    piece.piece = kSpecs / 10;
    const std::uint64_t of_piece = cost_of(piece);
    const std::uint64_t of_the_rest = cost_of(StateMessage{101, 1, ResyncBeginMessage{}});
    EXPECT_GT(of_piece, 1'000u);
    EXPECT_LT(of_hello, of_the_rest) << "they are put in order, and stay";
    EXPECT_GT(of_the_rest, 5 * of_piece);
}

TEST(Dictionaries, that_were_left_go_as_others_are_defined) {
    ResourceTable resources;
    Dictionary dictionary(resources);
    for (int hello = 0; hello < 5; ++hello) {
        for (DictId id = 1; id <= 1'000; ++id) {
            dictionary.define(id, "text-" + std::to_string(id));
        }
        EXPECT_EQ(dictionary.size(), 1'000u);
        dictionary.leave_all();
        EXPECT_EQ(dictionary.size(), 0u);
        EXPECT_EQ(dictionary.text_bytes(), 0u);
        EXPECT_EQ(dictionary.left(), 1'000u);
        dictionary.leave_all();
    }
    dictionary.define(7, "seven");
    EXPECT_EQ(dictionary.left(), 998u);
    EXPECT_EQ(dictionary.text_bytes(), 5u);
    dictionary.drop_left(900);
    EXPECT_EQ(dictionary.left(), 98u);
    EXPECT_EQ(dictionary.find(7)->text, "seven");
    EXPECT_EQ(dictionary.find(8), nullptr);
}

}  // namespace
}  // namespace bayplan::attacks
