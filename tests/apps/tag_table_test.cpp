// Tags as they were told, and that nothing stays of tags that went.

#include <gtest/gtest.h>

#include "apps/tag_table.h"

namespace bayplan {
namespace {

class Tags : public ::testing::Test {
protected:
    void tell(std::uint32_t id, const std::vector<std::pair<std::string, std::string>>& all) {
        tags_.begin();
        for (const auto& [key, value] : all) tags_.add(key, value);
        tags_.keep(AskId{id});
    }
    std::string of(std::uint32_t id) const {
        std::string text;
        tags_.for_each(AskId{id}, [&](std::string_view key, std::string_view value) {
            text += std::string(key) + "=" + std::string(value) + ";";
        });
        return text;
    }

    TagTable tags_;
};

TEST_F(Tags, are_those_told_last_in_their_order) {
    EXPECT_EQ(of(7), "");
    tell(7, {{"b", "2"}, {"a", ""}, {"b", "3"}});
    tell(1'000, {{"a", std::string(512, 'x')}});
    EXPECT_EQ(of(7), "b=2;a=;b=3;");
    EXPECT_EQ(of(1'000), "a=" + std::string(512, 'x') + ";");
    tell(7, {{"c", "1"}});
    EXPECT_EQ(of(7), "c=1;");
    EXPECT_EQ(tags_.size(), 2u);
}

TEST_F(Tags, leave_nothing_behind) {
    tell(1, {{"a", "1"}, {"b", "1"}});
    tell(2, {{"b", "2"}});
    EXPECT_EQ(tags_.keys(), 2u);
    tags_.remove(AskId{1});
    EXPECT_EQ(tags_.keys(), 1u);
    EXPECT_EQ(of(2), "b=2;");
    tell(2, {});
    tags_.remove(AskId{2});
    EXPECT_EQ(tags_.size(), 0u);
    EXPECT_EQ(tags_.keys(), 0u);
}

}  // namespace
}  // namespace bayplan
