// Quantities, YAML scalars, names, access lists: what each text is taken for.
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue_config/access_list.h"
#include "queue_config/characters.h"
#include "queue_config/node_scores.h"
#include "queue_config/resources.h"
#include "queue_config/scalars.h"

namespace bayplan::queue_config {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::optional<std::int64_t> quantity(std::string_view text, std::string_view resource = "memory") {
    std::string why;
    const std::optional<std::int64_t> value = parse_quantity(text, resource, why);
    EXPECT_EQ(value.has_value(), why.empty()) << text;
    return value;
}

TEST(QueueValues, quantities) {
    EXPECT_THAT(quantity("0"), Optional(0));
    EXPECT_THAT(quantity(" 12 k "), Optional(12'000));
    EXPECT_THAT(quantity("3Mi"), Optional(3 * 1024 * 1024));
    EXPECT_THAT(quantity("8E"), Optional(8'000'000'000'000'000'000));
    EXPECT_THAT(quantity("2", "vcore"), Optional(2000));
    EXPECT_THAT(quantity("250m", "vcore"), Optional(250));
    EXPECT_THAT(quantity("1k", "vcore"), Optional(1'000'000));
    for (const char* refused : {"", "k", "-1", "+1", "1.5", "1e3", "5K", "5m", "9223372036854775808", "10E", "1 2"}) {
        EXPECT_EQ(quantity(refused), std::nullopt) << refused;
    }
    EXPECT_EQ(quantity("9223372036854775807", "vcore"), std::nullopt);
}

TEST(QueueValues, what_is_missing_is_said_by_the_operation) {
    const Resources part = {{"memory", 5}, {"gpu", 1}};
    const Resources whole = {{"memory", 6}};
    EXPECT_TRUE(fits_in(part, whole, Missing::unlimited));
    EXPECT_TRUE(fits_in(part, whole, Missing::ignored));
    EXPECT_FALSE(fits_in(part, whole, Missing::zero));
    EXPECT_THAT(lower_of(part, whole, Missing::unlimited), ElementsAre(std::pair("gpu", 1), std::pair("memory", 5)));
    EXPECT_THAT(lower_of(part, whole, Missing::zero), ElementsAre(std::pair("gpu", 0), std::pair("memory", 5)));
    EXPECT_THAT(lower_of(part, whole, Missing::ignored), ElementsAre(std::pair("memory", 5)));
    Resources sum = {{"memory", INT64_MAX - 1}};
    add_to(sum, {{"memory", 5}});
    EXPECT_EQ(sum["memory"], INT64_MAX);
}

config::YamlNode scalar(std::string text, bool plain = true) {
    config::YamlNode node;
    node.kind = config::YamlNode::Kind::scalar;
    node.text = std::move(text);
    node.plain = plain;
    return node;
}

TEST(QueueValues, flags) {
    for (const char* word : {"true", "TRUE", "yes", "On", "y"})
        EXPECT_THAT(to_flag(scalar(word)), Optional(true)) << word;
    for (const char* word : {"false", "No", "off", "n"}) EXPECT_THAT(to_flag(scalar(word)), Optional(false)) << word;
    EXPECT_EQ(to_flag(scalar("true", false)), std::nullopt);
    EXPECT_THAT(to_flag(scalar("yes", false)), Optional(true));
    EXPECT_EQ(to_flag(scalar("1")), std::nullopt);
    EXPECT_EQ(to_flag(scalar("tRUE")), std::nullopt);
}

TEST(QueueValues, counts) {
    const std::array<std::pair<const char*, std::uint64_t>, 9> read = {{{"0", 0},
                                                                        {"18446744073709551615", UINT64_MAX},
                                                                        {"0x1F", 31},
                                                                        {"0b101", 5},
                                                                        {"0o17", 15},
                                                                        {"017", 15},
                                                                        {"1_000", 1000},
                                                                        {"2.0", 2},
                                                                        {"-0", 0}}};
    for (const auto& [text, value] : read) EXPECT_THAT(to_count(scalar(text)), Optional(value)) << text;
    for (const char* text : {"-1", "1.5", "18446744073709551616", "ten", "", "0x", "1e30", ".inf", ".nan", "--1"}) {
        EXPECT_EQ(to_count(scalar(text)), std::nullopt) << text;
    }
    EXPECT_EQ(to_count(scalar("5", false)), std::nullopt);
}

TEST(QueueValues, numbers_are_finite) {
    EXPECT_THAT(to_number(scalar("1.5")), Optional(1.5));
    EXPECT_THAT(to_number(scalar("+2e2")), Optional(200.0));
    EXPECT_THAT(to_number(scalar("-3")), Optional(-3.0));
    for (const char* text : {".nan", ".inf", "1e999", "inf", "nan", "0x1p3", "."}) {
        EXPECT_EQ(to_number(scalar(text)), std::nullopt) << text;
    }
}

TEST(QueueValues, names) {
    EXPECT_TRUE(is_queue_name("team-1/a:b#c@d_e"));
    EXPECT_FALSE(is_queue_name("a.b"));
    EXPECT_TRUE(is_queue_name(std::string(64, 'q')));
    EXPECT_FALSE(is_queue_name(std::string(65, 'q')));
    EXPECT_TRUE(is_user_name("machine$"));
    EXPECT_FALSE(is_user_name("$"));
    EXPECT_FALSE(is_user_name("9th"));
    EXPECT_TRUE(is_group_name("_ops.eu-1"));
    EXPECT_FALSE(is_group_name("ops$"));
}

TEST(QueueValues, access_lists) {
    EXPECT_FALSE(AccessList::parse("ann  ops"));
    EXPECT_FALSE(AccessList::parse("ann ops "));
    const std::vector<std::string> ops = {"dev", "ops"};
    const std::vector<std::string> nothing;
    EXPECT_FALSE(AccessList::parse("")->allows("ann", ops));
    EXPECT_TRUE(AccessList::parse("*")->allows("ann", nothing));
    EXPECT_TRUE(AccessList::parse("bob,ann")->allows("ann", nothing));
    EXPECT_TRUE(AccessList::parse(" ops")->allows("ann", ops));
    EXPECT_FALSE(AccessList::parse("ops")->allows("ann", ops));
    EXPECT_FALSE(AccessList::parse("ann,*")->allows("bob", ops));
}

TEST(QueueValues, a_node_sort_policy_is_a_form_of_the_score_with_whole_weights) {
    std::string why;
    EXPECT_EQ(node_scores({}, why), std::nullopt);
    NodeSortPolicyConfig fills;
    fills.type.text = "binpacking";
    const NodeScores plain{ScorePolicy::most_allocated, {{"cpu", 1}, {"memory", 1}}};
    EXPECT_THAT(node_scores(fills, why), Optional(plain));
    NodeSortPolicyConfig weighted;
    weighted.type.text = "fair";
    weighted.resource_weights = {{"vcore", 1.5}, {"gpu", 2}, {"memory", 0}};
    const NodeScores scaled{ScorePolicy::least_allocated, {{"gpu", 4}, {"cpu", 3}}};
    EXPECT_THAT(node_scores(weighted, why), Optional(scaled));
    EXPECT_EQ(why, "");
    weighted.resource_weights = {{"vcore", 1}, {"gpu", 101}};
    EXPECT_EQ(node_scores(weighted, why), std::nullopt);
    EXPECT_NE(why, "");
}

}  // namespace
}  // namespace bayplan::queue_config
