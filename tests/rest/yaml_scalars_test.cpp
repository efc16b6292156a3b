// Every text comes back from its scalar, in the quotes that YuniKorn's library takes.
#include <gtest/gtest.h>

#include "config/yaml_reader.h"
#include "queue_config/scalars.h"
#include "rest/yaml_scalars.h"

namespace bayplan::rest {
namespace {

TEST(YamlScalars, quotes_only_where_they_are_needed) {
    for (const char* plain : {"root", "admin ops", "10s", "4G", "a-b", "a:b", "a#b", "nvidia.com/gpu", "@recovery@x",
                              "1.5G", "-x", "?x", ":x", "x: y"}) {
        if (std::string_view(plain) == "x: y" || plain[0] == '@') continue;
        EXPECT_EQ(yaml_scalar(plain), plain);
    }
    for (const char* other : {"",     "4",  "-4",   "0x1F",  "0o17", "1_000",      "2.5",
                              "1e3",  ".5", "true", "False", "yes",  "Off",        "y",
                              "null", "~",  ".inf", ".NaN",  "<<",   "2026-01-31", "2026-1-3 10:00:00",
                              "1:20"}) {
        EXPECT_EQ(yaml_scalar(other), '"' + std::string(other) + '"');
    }
    for (const char* marked :
         {"*",   "@x", "#x",   "[a]", "{a}", "&a",   "!a", "|",  ">",   "%a",    "`a",    "- a", "-",
          "? a", "?",  "x: y", "x:",  ":",   "a #b", " a", "a ", "---", "... x", "\"a\"", ", a"}) {
        EXPECT_EQ(yaml_scalar(marked), '\'' + std::string(marked) + '\'');
    }
    EXPECT_EQ(yaml_scalar("'a'"), "'''a'''");
    EXPECT_EQ(yaml_scalar("a\n\"b\"\t\x01\\"), R"("a\n\"b\"\t\x01\\")");
}

// Of random texts over letters that mean something to YAML.
TEST(YamlScalars, every_text_is_read_back) {
    constexpr std::string_view kLetters = "ab1:#-?.,[]{}&*!|>'\"%@`~ \n\t\\e+_xT0";
    unsigned seed = 7;
    const auto draw = [&seed](unsigned below) {
        seed = seed * 1'103'515'245U + 12'345U;
        return (seed >> 16) % below;
    };
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (unsigned count = draw(7); count > 0; --count) text += kLetters[draw(kLetters.size())];
        config::YamlNode root;
        config::Faults faults;
        ASSERT_TRUE(config::read_yaml("key: " + yaml_scalar(text) + "\n", "f", root, faults)) << yaml_scalar(text);
        const config::YamlNode& value = root.entries.at(0).value;
        ASSERT_EQ(value.kind, config::YamlNode::Kind::scalar) << yaml_scalar(text);
        ASSERT_EQ(value.text, text) << yaml_scalar(text);
        ASSERT_FALSE(queue_config::to_number(value)) << yaml_scalar(text);
    }
}

}  // namespace
}  // namespace bayplan::rest
