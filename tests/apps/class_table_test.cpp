// Classes: asks alike share one, which ends with the last of them, and others are told.

#include <gtest/gtest.h>

#include <vector>

#include "apps/class_table.h"
#include "cluster/resources.h"

namespace bayplan {
namespace {

struct Gone final : ClassListener {
    void class_gone(ClassId id) override { ids.push_back(id); }
    std::vector<ClassId> ids;
};

struct ClassesAlone {
    ClassesAlone() { classes.add_listener(gone); }
    ClassId acquire(std::int64_t cpu) {
        AskClass one;
        one.requests = {{kCpu, cpu}};
        return classes.acquire(std::move(one));
    }

    ResourceTable resources;
    NameTable<NameId> names;
    TextTable texts;
    SpecTable specs{texts};
    ClassTable classes{resources, names, specs};
    Gone gone;
};

TEST(ClassTable, asks_alike_share_a_class_until_the_last_of_them_is_gone) {
    ClassesAlone tables;
    const ClassId one = tables.acquire(1);
    EXPECT_EQ(tables.acquire(1), one);
    const ClassId other = tables.acquire(2);
    EXPECT_NE(other, one);
    tables.classes.release(one);
    EXPECT_TRUE(tables.gone.ids.empty());
    tables.classes.release(one);
    EXPECT_EQ(tables.gone.ids, std::vector{one});
    EXPECT_EQ(tables.classes.size(), 1u);
}

TEST(ClassTable, a_class_that_is_held_stays_without_asks_and_may_get_some) {
    ClassesAlone tables;
    const ClassId one = tables.acquire(1);
    tables.classes.hold(one);
    tables.classes.release(one);
    EXPECT_EQ(tables.acquire(1), one);
    tables.classes.let_go(one);
    EXPECT_TRUE(tables.gone.ids.empty()) << "it has an ask again";
    tables.classes.hold(one);
    tables.classes[one].failed = true;
    tables.classes.release(one);
    EXPECT_NE(tables.acquire(2), one) << "its id is not free";
    tables.classes.let_go(one);
    EXPECT_EQ(tables.gone.ids, std::vector{one});
    EXPECT_EQ(tables.acquire(3), one);
    EXPECT_FALSE(tables.classes[one].failed);
}

}  // namespace
}  // namespace bayplan
