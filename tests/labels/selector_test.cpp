// Requirements and selectors against labels, by table.

#include <gtest/gtest.h>

#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;

struct RequirementCase {
    const char* why;
    LabelOperator op;
    std::vector<std::string> values;
    const char* label;  // value of the key; null: the node has not the key
    bool matches;
};

TEST(Requirement, operators) {
    const RequirementCase cases[] = {
        {"in: value listed", in, {"a", "b"}, "b", true},
        {"in: value not listed", in, {"a", "b"}, "c", false},
        {"in: key absent", in, {"a"}, nullptr, false},
        {"in: empty value is a value", in, {""}, "", true},
        {"in: absent is not the empty value", in, {""}, nullptr, false},
        {"not_in: value listed", not_in, {"a"}, "a", false},
        {"not_in: value not listed", not_in, {"a"}, "b", true},
        {"not_in: key absent", not_in, {"a"}, nullptr, true},
        {"exists: there", exists, {}, "", true},
        {"exists: absent", exists, {}, nullptr, false},
        {"does_not_exist: there", does_not_exist, {}, "x", false},
        {"does_not_exist: absent", does_not_exist, {}, nullptr, true},
        {"greater: above", greater, {"5"}, "6", true},
        {"greater: equal", greater, {"5"}, "5", false},
        {"greater: below", greater, {"5"}, "4", false},
        {"greater: not by text", greater, {"9"}, "10", true},
        {"greater: no integer", greater, {"5"}, "abc", false},
        {"greater: empty label", greater, {"5"}, "", false},
        {"greater: fraction", greater, {"5"}, "6.5", false},
        {"greater: absent", greater, {"5"}, nullptr, false},
        {"greater: negative label", greater, {"0"}, "-1", false},
        {"greater: two values", greater, {"1", "2"}, "6", false},
        {"greater: no value", greater, {}, "6", false},
        {"greater: bound is no integer", greater, {"x"}, "6", false},
        {"greater: largest", greater, {"9223372036854775806"}, "9223372036854775807", true},
        {"greater: beyond 64 bits", greater, {"5"}, "9223372036854775808", false},
        {"greater: leading zeros", greater, {"5"}, "006", true},
        {"less: below", less, {"5"}, "4", true},
        {"less: equal", less, {"5"}, "5", false},
        {"less: above", less, {"5"}, "6", false},
        {"less: negative label", less, {"0"}, "-1", true},
        {"less: absent", less, {"5"}, nullptr, false},
        {"less: no integer", less, {"5"}, "x1", false},
    };
    for (const RequirementCase& one : cases) {
        TextWorld world;
        LabelRequirement requirement{.key = world.text("key"), .op = one.op, .values = {}};
        for (const std::string& value : one.values) {
            requirement.values.push_back(world.text(value));
        }
        std::vector<Label> labels = world.labels({{"before", "1"}, {"other", "b"}, {"z", "6"}});
        if (one.label != nullptr) {
            labels.push_back({world.text("key"), world.text(one.label)});
            labels = sorted_by_key(labels);
        }
        EXPECT_EQ(matches(requirement, labels, world.texts), one.matches) << one.why;
    }
}

TEST(Selector, all_requirements_hold) {
    TextWorld world;
    const auto labels = world.labels({{"app", "web"}, {"tier", "front"}});
    EXPECT_TRUE(matches(LabelSelector{}, labels, world.texts)) << "no requirement: everything";
    EXPECT_TRUE(matches(LabelSelector{}, {}, world.texts));
    EXPECT_TRUE(matches(world.equals({{"app", "web"}, {"tier", "front"}}), labels, world.texts));
    EXPECT_FALSE(matches(world.equals({{"app", "web"}, {"tier", "back"}}), labels, world.texts));
    EXPECT_FALSE(matches(world.equals({{"app", "web"}, {"zone", "a"}}), labels, world.texts));
    EXPECT_FALSE(matches(std::optional<LabelSelector>(), labels, world.texts)) << "absent: nothing";
    EXPECT_TRUE(matches(std::optional<LabelSelector>(LabelSelector{}), labels, world.texts));
}

TEST(Selector, finds_labels_of_many_keys) {
    TextWorld world;
    std::vector<Label> labels;
    for (int index = 0; index < 100; index += 2) {
        labels.push_back({world.text("k" + std::to_string(index)), world.text("v" + std::to_string(index))});
    }
    labels = sorted_by_key(labels);
    for (int index = 0; index < 100; ++index) {
        const Label* label = label_of(labels, world.text("k" + std::to_string(index)));
        ASSERT_EQ(label != nullptr, index % 2 == 0) << index;
        if (label != nullptr) {
            EXPECT_EQ(world.texts.text(label->value), "v" + std::to_string(index));
        }
    }
}

TEST(Selector, canonical_form_forgets_order_and_repetition) {
    TextWorld world;
    const LabelSelector one{{world.requirement("a", in, {"x", "y"}), world.requirement("b", exists)}};
    const LabelSelector other{
        {world.requirement("b", exists), world.requirement("a", in, {"y", "x", "y"}), world.requirement("b", exists)}};
    EXPECT_EQ(canonical(one), canonical(other));
    const LabelSelector different{{world.requirement("a", not_in, {"x", "y"}), world.requirement("b", exists)}};
    EXPECT_NE(canonical(one), canonical(different));
    EXPECT_NE(canonical(one), canonical(world.equals({{"a", "x"}})));
}

TEST(DecimalInt64, as_go_parses_it) {
    EXPECT_EQ(decimal_int64("0"), 0);
    EXPECT_EQ(decimal_int64("+7"), 7);
    EXPECT_EQ(decimal_int64("-7"), -7);
    EXPECT_EQ(decimal_int64("0010"), 10);
    EXPECT_EQ(decimal_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    for (const char* fault :
         {"", "+", "-", "+-7", "-+7", "--7", " 7", "7 ", "7a", "0x7", "1_000", "9223372036854775808"}) {
        EXPECT_EQ(decimal_int64(fault), std::nullopt) << fault;
    }
}

TEST(LabelValidity, values) {
    const std::string longest(63, 'a');
    for (const std::string& good : {std::string(), std::string("a"), std::string("A-b_c.9"), longest}) {
        EXPECT_TRUE(valid_label_value(good)) << good;
    }
    for (const std::string& bad : {std::string("-5"), std::string("a-"), std::string(".a"), std::string("a b"),
                                   std::string("a/b"), std::string("+5"), longest + "a", std::string("\xc3\xa4")}) {
        EXPECT_FALSE(valid_label_value(bad)) << bad;
    }
}

TEST(LabelValidity, keys) {
    for (const std::string& good :
         {std::string("a"), std::string("example.com/rack"), std::string("a-b.c9/X_y"), std::string(253, 'a') + "/b"}) {
        EXPECT_TRUE(valid_label_key(good)) << good;
    }
    for (const std::string& bad :
         {std::string(), std::string("/a"), std::string("a/"), std::string("A.com/x"), std::string("a..b/x"),
          std::string("-a/x"), std::string("a-/x"), std::string("a-.b/x"), std::string("a/b/c"), std::string("a_b/x"),
          std::string(254, 'a') + "/b", std::string(64, 'a')}) {
        EXPECT_FALSE(valid_label_key(bad)) << bad;
    }
}

}  // namespace
}  // namespace bayplan::testing
