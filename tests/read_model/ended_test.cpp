// Applications that ended are kept up to a count, a size and an age; lists that were handed out stay as they were.
#include <gtest/gtest.h>

#include "read_model/ended_applications.h"

namespace bayplan::read_model {
namespace {

EndedPtr ended(const std::string& name, std::int64_t at_ns, bool rejected = false) {
    auto facts = std::make_shared<ApplicationFacts>();
    facts->name = name;
    auto run = std::make_shared<ApplicationRun>();
    run->log.push_back({0, at_ns});
    auto one = std::make_shared<EndedApplication>();
    one->facts = facts;
    one->run = run;
    one->rejected = rejected;
    return one;
}

TEST(EndedApplications, the_oldest_go_when_there_are_too_many) {
    EndedApplications all;
    for (std::size_t number = 0; number <= kEndedMax; ++number) all.add(ended(std::to_string(number), 1));
    all.add(ended("rejected", 1, true));
    const auto list = all.list(false, 1);
    ASSERT_EQ(list->size(), kEndedMax);
    EXPECT_EQ(list->front()->facts->name, "1");
    EXPECT_EQ(all.list(true, 1)->size(), 1u);
}

TEST(EndedApplications, the_oldest_go_when_they_are_too_large) {
    EndedApplications all;
    const std::string large(kEndedBytesMax / 4, 'x');
    for (const char* const name : {"a", "b", "c", "d", "e"}) all.add(ended(name + large, 1));
    const auto list = all.list(false, 1);
    ASSERT_EQ(list->size(), 3u);
    EXPECT_EQ(list->front()->facts->name[0], 'c');
}

TEST(EndedApplications, they_go_after_three_days) {
    EndedApplications all;
    all.add(ended("early", 5));
    all.add(ended("late", 7));
    const auto before = all.list(false, 5 + kEndedKept_ns - 1);
    EXPECT_EQ(before->size(), 2u);
    EXPECT_EQ(all.list(false, 5 + kEndedKept_ns - 1), before);
    const auto after = all.list(false, 5 + kEndedKept_ns);
    ASSERT_EQ(after->size(), 1u);
    EXPECT_EQ(after->front()->facts->name, "late");
    EXPECT_EQ(before->size(), 2u);
}

}  // namespace
}  // namespace bayplan::read_model
