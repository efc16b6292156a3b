// States of shims that an operator waits for: told, not told in time, gone.
#include "rest/shim_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayplan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class AskedShims : public ::testing::Test {
protected:
    std::uint64_t ask() {
        return states_.ask([this] { ++woken_; }, start_);
    }
    ShimStates states_;
    int woken_ = 0;
    const ShimStates::Clock::time_point start_ = ShimStates::Clock::now();
};

TEST_F(AskedShims, none_is_an_answer_at_once) {
    const std::uint64_t question = ask();
    EXPECT_THAT(states_.take(question).value(), IsEmpty());
    EXPECT_FALSE(states_.take(question)) << "it is over";
}

TEST_F(AskedShims, all_have_told_before_the_asker_is_woken) {
    int told = 0;
    states_.on_question([&] { ++told; });
    states_.join(1, "a");
    states_.join(2, "b");
    const std::uint64_t question = ask();
    EXPECT_EQ(told, 1);
    EXPECT_EQ(states_.wanted(), question);
    states_.told(1, question, "{}");
    EXPECT_FALSE(states_.take(question));
    EXPECT_EQ(woken_, 0);
    states_.told(2, question, "[]");
    EXPECT_EQ(woken_, 1);
    EXPECT_THAT(states_.take(question).value(), ElementsAre(Pair("a", "{}"), Pair("b", "[]")));
}

TEST_F(AskedShims, a_silent_shim_and_one_that_goes_are_named) {
    states_.join(1, "a");
    states_.join(2, "b");
    const std::uint64_t question = ask();
    states_.leave(1);
    states_.end_overdue(start_ + ShimStates::kWithin - std::chrono::milliseconds(1));
    EXPECT_EQ(woken_, 0);
    states_.end_overdue(start_ + ShimStates::kWithin);
    EXPECT_EQ(woken_, 1);
    EXPECT_THAT(states_.take(question).value(),
                ElementsAre(Pair("a", HasSubstr("went before")), Pair("b", HasSubstr("not tell its state in time"))));
    states_.told(2, question, "{}");
    EXPECT_FALSE(states_.take(question)) << "too late";
}

TEST_F(AskedShims, an_answer_serves_all_questions_up_to_its_own_and_none_after_it) {
    states_.join(1, "a");
    const std::uint64_t first = ask();
    const std::uint64_t second = ask();
    const std::uint64_t third = ask();
    states_.told(1, second, "{}");
    EXPECT_TRUE(states_.take(first));
    EXPECT_TRUE(states_.take(second));
    EXPECT_FALSE(states_.take(third));
    states_.forget(third);
    states_.told(1, third, "{}");
    EXPECT_EQ(woken_, 2) << "nobody waits for it any more";
}

}  // namespace
}  // namespace bayplan::rest
