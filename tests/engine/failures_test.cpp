// Failures of classes: what was found for one is told to no other.

#include <gtest/gtest.h>

#include "cluster/resources.h"
#include "engine/failure_cache.h"

namespace bayplan {
namespace {

TEST(Failures, a_class_that_is_gone_leaves_nothing_to_the_next_with_its_id) {
    ResourceTable resources;
    NameTable<NameId> names;
    TextTable texts;
    SpecTable specs{texts};
    ClassTable classes{resources, names, specs};
    Failures failures{classes};
    const auto acquire = [&](std::int64_t cpu) {
        AskClass one;
        one.requests = {{kCpu, cpu}};
        return classes.acquire(std::move(one));
    };
    const ClassId first = acquire(1);
    EXPECT_TRUE(failures.of(first).once) << "it may never fail again";
    failures.keep(first, {.message = "no room", .failed_predicates = 1, .position = 5});
    EXPECT_FALSE(failures.of(first).once);
    failures.of(first).searched = 3;
    ASSERT_EQ(failures.last(first)->message, "no room");
    classes.release(first);
    const ClassId second = acquire(2);
    ASSERT_EQ(second, first);
    EXPECT_TRUE(failures.last(second) == nullptr || failures.last(second)->message.empty());
    EXPECT_TRUE(failures.of(second).once);
    EXPECT_EQ(failures.of(second).searched, 0u);
}

}  // namespace
}  // namespace bayplan
