// Taints and tolerations by table.

#include <gtest/gtest.h>

#include "labels/tolerations.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum TaintEffect;

struct ToleranceCase {
    const char* why;
    const char* key;
    bool exists;
    const char* value;
    TaintEffect effect;
    bool tolerates;  // the taint key=red:NoSchedule
};

TEST(Tolerations, one_taint) {
    const ToleranceCase cases[] = {
        {"equal", "key", false, "red", no_schedule, true},
        {"another value", "key", false, "blue", no_schedule, false},
        {"another key", "kez", false, "red", no_schedule, false},
        {"another effect", "key", false, "red", no_execute, false},
        {"every effect", "key", false, "red", any, true},
        {"exists", "key", true, "", no_schedule, true},
        {"exists does not read the value", "key", true, "blue", no_schedule, true},
        {"exists, another key", "kez", true, "", no_schedule, false},
        {"exists, another effect", "key", true, "", prefer_no_schedule, false},
        {"every key", "", true, "", any, true},
        {"every key, another effect", "", true, "", no_execute, false},
        {"empty key with equal value", "", false, "red", no_schedule, true},
        {"empty key with another value", "", false, "", no_schedule, false},
    };
    for (const ToleranceCase& one : cases) {
        TextWorld world;
        const Taint taint{world.text("key"), world.text("red"), no_schedule};
        const Toleration toleration{world.text(one.key), one.exists, world.text(one.value), one.effect};
        EXPECT_EQ(tolerates(toleration, taint), one.tolerates) << one.why;
    }
}

TEST(Tolerations, first_untolerated_in_the_nodes_order) {
    TextWorld world;
    const Taint preference{world.text("p"), 0, prefer_no_schedule};
    const Taint first{world.text("a"), 0, no_execute};
    const Taint second{world.text("b"), 0, no_schedule};
    const std::vector<Taint> taints{preference, first, second};
    const Toleration of_first{.key = first.key, .exists = true};
    const Toleration of_second{.key = second.key, .exists = true};
    const auto untolerated = [&](std::vector<Toleration> tolerations) {
        const Taint* taint = first_untolerated(tolerations, taints);
        return taint == nullptr ? std::string("-") : std::string(world.texts.text(taint->key));
    };
    EXPECT_EQ(untolerated({}), "a");
    EXPECT_EQ(untolerated({of_first}), "b");
    EXPECT_EQ(untolerated({of_second}), "a");
    EXPECT_EQ(untolerated({of_second, of_first}), "-") << "a preference keeps nobody out";
    EXPECT_EQ(first_untolerated({}, {}), nullptr);
}

TEST(Tolerations, preferences_are_counted) {
    TextWorld world;
    const std::vector<Taint> taints{{world.text("a"), 0, prefer_no_schedule},
                                    {world.text("b"), 0, prefer_no_schedule},
                                    {world.text("c"), 0, no_schedule},
                                    {world.text("d"), 0, no_execute}};
    const auto count = [&](std::vector<Toleration> tolerations) {
        return untolerated_preferences(tolerations, taints);
    };
    EXPECT_EQ(count({}), 2);
    EXPECT_EQ(count({{.key = world.text("a"), .exists = true}}), 1);
    EXPECT_EQ(count({{.key = world.text("a"), .exists = true, .effect = prefer_no_schedule}}), 1);
    EXPECT_EQ(count({{.key = world.text("a"), .exists = true, .effect = no_schedule}}), 2) << "of another effect";
    EXPECT_EQ(count({{.key = 0, .exists = true}}), 0);
}

TEST(Tolerations, cordoned_nodes) {
    TextWorld world;
    const Text key = world.text("node.kubernetes.io/unschedulable");
    const auto tolerated = [&](Toleration toleration) {
        return tolerates_unschedulable(std::span(&toleration, 1), world.known);
    };
    EXPECT_FALSE(tolerates_unschedulable({}, world.known));
    EXPECT_TRUE(tolerated({.key = key, .exists = true}));
    EXPECT_TRUE(tolerated({.key = key, .exists = true, .effect = no_schedule}));
    EXPECT_FALSE(tolerated({.key = key, .exists = true, .effect = no_execute}));
    EXPECT_TRUE(tolerated({.key = key, .exists = false, .value = 0}));
    EXPECT_FALSE(tolerated({.key = key, .exists = false, .value = world.text("true")}));
    EXPECT_TRUE(tolerated({.key = 0, .exists = true}));
    EXPECT_FALSE(tolerated({.key = world.text("other"), .exists = true}));
}

}  // namespace
}  // namespace bayplan::testing
