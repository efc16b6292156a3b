// Which bytes pass for text, and where a frame names the item that does not.
#include <string>

#include <gtest/gtest.h>

#include "wire/codec.h"
#include "wire/text.h"
#include "with.h"

namespace bayplan::wire {
namespace {

using namespace std::string_view_literals;

std::string fault(std::string_view text, TextRule rule) {
    const char* what = text_fault(text, rule);
    return what == nullptr ? "" : what;
}

constexpr const char* kControl = "has a control character";
constexpr const char* kNotUtf8 = "is not UTF-8";

TEST(Text, plain_names_of_any_length_and_other_alphabets_pass) {
    std::string text;
    for (int length = 0; length < 40; ++length) {
        EXPECT_EQ(fault(text, TextRule::name), "");
        text += "~ "[length % 2];
    }
    EXPECT_EQ(fault("Knoten-Süd 語 𝄞 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf", TextRule::name), "");
}

TEST(Text, a_control_character_is_found_wherever_it_stands) {
    for (std::size_t length = 1; length < 40; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            for (const char control : {'\0', '\t', '\n', '\x1f', '\x7f'}) {
                std::string text(length, 'a');
                text[at] = control;
                EXPECT_EQ(fault(text, TextRule::name), kControl) << length << " " << at;
            }
        }
    }
    EXPECT_EQ(fault("\xc2\x80"sv, TextRule::name), kControl);
    EXPECT_EQ(fault("\xc2\x9f"sv, TextRule::name), kControl);
    EXPECT_EQ(fault("\xc2\xa0"sv, TextRule::name), "");
}

TEST(Text, prose_may_have_lines_and_tabs_but_nothing_else) {
    EXPECT_EQ(fault("one\ttwo\r\nthree and a long enough line\n", TextRule::prose), "");
    EXPECT_EQ(fault("one\x1b[31m", TextRule::prose), kControl);
    EXPECT_EQ(fault("a\0b"sv, TextRule::prose), kControl);
}

TEST(Text, broken_utf8_is_found) {
    for (const std::string_view bad :
         {"\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc3"sv, "\xc3\x28"sv, "\xe0\x80\x80"sv, "\xe0\x9f\xbf"sv,
          "\xe2\x82"sv, "\xe2\x28\xa1"sv, "\xed\xa0\x80"sv, "\xed\xbf\xbf"sv, "\xf0\x80\x80\x80"sv,
          "\xf0\x8f\xbf\xbf"sv, "\xf0\x9f\x98"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv}) {
        EXPECT_EQ(fault(bad, TextRule::name), kNotUtf8);
        EXPECT_EQ(fault("some text before it " + std::string(bad), TextRule::prose), kNotUtf8);
    }
}

std::string fault_of(const Message& message) {
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    return frame.decode(encoder.encode(message), Limits{}, error) ? "" : error;
}

TEST(Text, names_keys_and_dictionary_texts_are_held_to_the_rule_for_names) {
    const AskItem asks[] = {with(&AskItem::key, "a"), with(&AskItem::key, "a\nb")};
    EXPECT_EQ(fault_of(StateFrame{1, AsksMessage{asks}}), "asks[1].key has a control character");
    const DictEntry entries[] = {{1, "cpu\xff"}};
    EXPECT_EQ(fault_of(StateFrame{1, DefineMessage{entries}}), "entries[0].text is not UTF-8");
    const ReleaseItem releases[] = {with(&ReleaseItem::key, "\x7f")};
    EXPECT_EQ(fault_of(StateFrame{1, ReleasesMessage{releases}}), "releases[0].key has a control character");
    const NackItem nacks[] = {{"\t", ""}};
    EXPECT_EQ(fault_of(StateFrame{1, NacksMessage{nacks}}), "nacks[0].key has a control character");
    EXPECT_EQ(fault_of(with(&Hello::partition, "a\rb")), "partition has a control character");
    EXPECT_EQ(fault_of(with(&Hello::version, "\x01")), "version has a control character");
    const Decision decisions[] = {with(&Decision::name, "\n"), with(&Decision::node, "\n")};
    EXPECT_EQ(fault_of(DecisionsFrame{1, 0, decisions}), "decisions[0].name has a control character");
    EXPECT_EQ(fault_of(DecisionsFrame{1, 0, std::span(decisions).subspan(1)}),
              "decisions[0].node has a control character");
}

TEST(Text, messages_and_reasons_are_held_to_the_rule_for_prose) {
    const NackItem nacks[] = {{"a", "line\nline"}, {"b", "\x1b"}};
    EXPECT_EQ(fault_of(StateFrame{1, NacksMessage{nacks}}), "nacks[1].reason has a control character");
    const ReleaseItem releases[] = {with(&ReleaseItem::message, "line\nline"), with(&ReleaseItem::message, "\xff")};
    EXPECT_EQ(fault_of(StateFrame{1, ReleasesMessage{releases}}), "releases[1].message is not UTF-8");
    EXPECT_EQ(fault_of(StateFrame{1, ConfigurationMessage{"partitions:\n\t\x02"}}), "text has a control character");
    EXPECT_EQ(fault_of(with(&HelloReply::reason, "\xff")), "reason is not UTF-8");
    const Decision decisions[] = {with(&Decision::text, "a\nb"), with(&Decision::text, "\x02")};
    EXPECT_EQ(fault_of(DecisionsFrame{1, 0, decisions}), "decisions[1].text has a control character");
}

}  // namespace
}  // namespace bayplan::wire
