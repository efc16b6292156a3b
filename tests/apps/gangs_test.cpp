// Which gangs are remembered without members, and what that spares: their time (rules/gangs.md).

#include "apps/gangs.h"

#include <gtest/gtest.h>

#include <string>

namespace bayplan {
namespace {

constexpr std::int64_t kLong_ns = std::int64_t{1} << 50;

class GangsTest : public testing::Test {
protected:
    // A gang whose only pod comes, and goes.
    void pass_by(const std::string& name, std::int64_t came_ns, std::int64_t went_ns, bool in_resync = false) {
        const AskId ask{1};
        GangMember member;
        member.gang = gangs_.find_or_add("shim", "app", name);
        member.age = {0, ++sequence_, ask};
        member.time_ns = came_ns;
        gangs_.add(ask, member, in_resync);
        gangs_.remove(ask, went_ns);
    }
    std::int64_t time_of(const std::string& name) { return gangs_[gangs_.find_or_add("shim", "app", name)].time_ns; }

    std::size_t known() const {
        std::size_t count = 0;
        gangs_.for_each([&](GangId, const Gang&) { ++count; });
        return count;
    }

    Gangs gangs_;
    std::uint64_t sequence_ = 0;
};

TEST_F(GangsTest, an_empty_one_keeps_its_time_until_it_is_forgotten) {
    pass_by("a", 5, 10);
    gangs_.forget(110, 100);
    EXPECT_EQ(time_of("a"), 5);
    pass_by("a", 105, 110);
    EXPECT_EQ(time_of("a"), 5);
    gangs_.forget(111, 100);  // the former end does not count any more
    EXPECT_EQ(time_of("a"), 5);
    gangs_.forget(211, 100);
    EXPECT_EQ(known(), 0u);
    pass_by("a", 300, 310);
    EXPECT_EQ(time_of("a"), 300);
}

TEST_F(GangsTest, an_elder_member_that_a_resync_states_gives_it_its_time) {
    pass_by("a", 5, 10);
    pass_by("a", 3, 10);
    EXPECT_EQ(time_of("a"), 5);
    pass_by("a", 4, 10, true);
    EXPECT_EQ(time_of("a"), 4);
    pass_by("a", 6, 10, true);
    EXPECT_EQ(time_of("a"), 4);
}

TEST_F(GangsTest, empty_ones_that_are_remembered_have_a_limit) {
    pass_by("second", 3, 7);
    pass_by("first", 2, 7);
    pass_by("oldest", 4, 6);
    for (std::size_t number = 0; number < Gangs::kEmptyMax - 1; ++number) {
        pass_by("g" + std::to_string(number), 8, 9);
    }
    EXPECT_EQ(known(), Gangs::kEmptyMax + 2);
    gangs_.forget(10, kLong_ns);
    EXPECT_EQ(known(), Gangs::kEmptyMax);
    EXPECT_EQ(time_of("first"), 2);
    EXPECT_EQ(time_of("g0"), 8);
    EXPECT_EQ(known(), Gangs::kEmptyMax);  // both were there
    pass_by("second", 20, 21);
    EXPECT_EQ(time_of("second"), 20);
}

// Coming and going again and again is one entry, not one for each time.
TEST_F(GangsTest, one_that_comes_and_goes_counts_once) {
    pass_by("rare", 1, 2);
    for (std::int64_t at = 0; at < std::int64_t{2 * Gangs::kEmptyMax}; ++at) {
        pass_by("busy", at, at);
    }
    gangs_.forget(10, kLong_ns);
    EXPECT_EQ(known(), 2u);
    EXPECT_EQ(time_of("rare"), 1);
}

TEST_F(GangsTest, names_do_not_run_into_each_other) {
    const GangId one = gangs_.find_or_add("s", "a", "b/c");
    EXPECT_NE(one, gangs_.find_or_add("s", "a/b", "c"));
    EXPECT_NE(one, gangs_.find_or_add("sa", "", "b/c"));
    EXPECT_EQ(one, gangs_.find_or_add("s", "a", "b/c"));
}

}  // namespace
}  // namespace bayplan
