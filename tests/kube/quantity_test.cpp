// Every spelling of a quantity, exact, and its rounding.
#include "base/quantity.h"

#include <gtest/gtest.h>

#include <vector>

namespace bayplan::kube {
namespace {

// The number of nanos as text: gtest cannot print 128 bits.
std::string nanos(std::string_view text) {
    std::string why;
    const auto quantity = parse_quantity(text, why);
    return quantity ? to_text(*quantity) : "refused";
}

TEST(Quantity, EverySpellingIsRead) {
    const std::vector<std::pair<std::string_view, std::string_view>> cases{
        {"0", "0n"},
        {"1", "1000000000n"},
        {"0.50", "500000000n"},
        {"500m", "500000000n"},
        {"500000u", "500000000n"},
        {"500000000n", "500000000n"},
        {"5e-1", "500000000n"},
        {"5E-1", "500000000n"},
        {"+.5", "500000000n"},
        {"+3", "3000000000n"},
        {"-3", "-3000000000n"},
        {"-0.1m", "-100000n"},
        {"3.", "3000000000n"},
        {"00012", "12000000000n"},
        {"1e3", "1000000000000n"},
        {"1E3", "1000000000000n"},
        {"1e+3", "1000000000000n"},
        {"1k", "1000000000000n"},
        {"1M", "1000000000000000n"},
        {"1G", "1000000000000000000n"},
        {"1T", "1000000000000000000000n"},
        {"1P", "1000000000000000000000000n"},
        {"1E", "1000000000000000000000000000n"},
        {"1Ki", "1024000000000n"},
        {"1Mi", "1048576000000000n"},
        {"1.5Gi", "1610612736000000000n"},
        {"1Ti", "1099511627776000000000n"},
        {"1Pi", "1125899906842624000000000n"},
        {"1Ei", "1152921504606846976000000000n"},
        {"0.001Ki", "1024000000n"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(nanos(text), expected) << text;
    }
}

TEST(Quantity, WhatIsFinerThanANanoIsRoundedAwayFromZero) {
    EXPECT_EQ(nanos("0.1n"), "1n");
    EXPECT_EQ(nanos("1.0000000001"), "1000000001n");
    EXPECT_EQ(nanos("-0.1n"), "-1n");
    EXPECT_EQ(nanos("1e-100"), "1n");
    EXPECT_EQ(nanos("0e-100"), "0n");
    EXPECT_EQ(nanos("0.0000000001Ki"), "103n");
    EXPECT_EQ(nanos("1.000000000000000000000000000000000001"), "1000000001n");  // more digits than 64 bits hold
    EXPECT_EQ(nanos("1.000000000000000000000000000000000000"), "1000000000n");
    EXPECT_EQ(nanos("0.00000000000000000097656250Ei"), "1125899907n");  // 1.125899906842624 and 20 digits
}

TEST(Quantity, MoreThanTwoToThe63IsCut) {
    const std::string cut = "9223372036854775807000000000n";
    EXPECT_EQ(nanos("9223372036854775807"), cut);
    EXPECT_EQ(nanos("9223372036854775806.5"), "9223372036854775806500000000n");
    EXPECT_EQ(nanos("9223372036854775808"), cut);
    EXPECT_EQ(nanos("1e1000"), cut);
    EXPECT_EQ(nanos("1e99999999999"), cut);
    EXPECT_EQ(nanos("9Ei"), cut);
    EXPECT_EQ(nanos("123456789012345678901234567890Ei"), cut);
    EXPECT_EQ(nanos("-1e1000"), "-" + cut);
}

TEST(Quantity, WhatIsNoneIsRefusedWithAReason) {
    for (const std::string_view text : {"",    " 1", "1 ",    "1x",    "1K",   "1ki", "1mi",
                                        "1Zi", "1e", "1E+",   "1e+-3", "1e3m", "m",   ".",
                                        "+",   "-",  "1.2.3", "--1",   "0x10", "1,5", "1e99999999999999999999"}) {
        std::string why;
        EXPECT_FALSE(parse_quantity(text, why)) << text;
        EXPECT_FALSE(why.empty()) << text;
    }
    std::string why;
    EXPECT_FALSE(parse_quantity("1Gib", why));
    EXPECT_EQ(why, "'1Gib' is no quantity: 'Gib' is no suffix");
    EXPECT_FALSE(parse_quantity(std::string(300, '1'), why));
    EXPECT_EQ(why, "is too long for a quantity");
}

TEST(Quantity, RoundingIsUpAndCutAtTheLargestAmount) {
    const auto whole = [](std::string_view text) {
        std::string why;
        return whole_items(parse_quantity(text, why).value());
    };
    const auto milli = [](std::string_view text) {
        std::string why;
        return thousandths(parse_quantity(text, why).value());
    };
    EXPECT_EQ(whole("1500m").value, 2);
    EXPECT_EQ(whole("1n").value, 1);
    EXPECT_EQ(whole("-1500m").value, -1);
    EXPECT_EQ(milli("0.0001").value, 1);
    EXPECT_EQ(milli("100u").value, 1);
    EXPECT_EQ(milli("1.5").value, 1'500);
    EXPECT_EQ(whole("9007199254740992").value, kAmountMax);
    EXPECT_FALSE(whole("9007199254740992").cut);
    EXPECT_TRUE(whole("9007199254740993").cut);
    EXPECT_EQ(whole("9007199254740993").value, kAmountMax);
    EXPECT_TRUE(milli("10T").cut);
    EXPECT_TRUE(whole("-1E").cut);
}

TEST(Quantity, SumsAreExactBeforeTheyAreRounded) {
    std::string why;
    Quantity sum;
    for (int index = 0; index < 1'000; ++index) {
        sum += parse_quantity("1n", why).value();
    }
    EXPECT_EQ(whole_items(sum).value, 1);
    EXPECT_EQ(to_text(sum), "1000n");
}

}  // namespace
}  // namespace bayplan::kube
