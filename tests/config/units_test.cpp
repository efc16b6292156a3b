// Sizes and durations: what is read, what is refused, and that printing reads back.
#include "config/units.h"

#include <gtest/gtest.h>

namespace bayplan::config {
namespace {

TEST(Units, sizes_are_read) {
    EXPECT_EQ(parse_size("0"), 0);
    EXPECT_EQ(parse_size("4096"), 4096);
    EXPECT_EQ(parse_size("64Ki"), 65536);
    EXPECT_EQ(parse_size("3M"), 3'000'000);
    EXPECT_EQ(parse_size("2Gi"), std::int64_t{2} << 30);
    EXPECT_EQ(parse_size("-5"), -5);
    for (const char* text :
         {"", "Ki", "64 Ki", "64ki", "1.5M", "64KiB", "9223372036854775807Ki", "99999999999999999999"}) {
        EXPECT_EQ(parse_size(text), std::nullopt) << text;
    }
}

TEST(Units, durations_are_read_and_need_a_unit) {
    EXPECT_EQ(parse_duration("0"), 0);
    EXPECT_EQ(parse_duration("250ms"), 250'000'000);
    EXPECT_EQ(parse_duration("10s"), 10'000'000'000);
    EXPECT_EQ(parse_duration("2h"), 7'200'000'000'000);
    for (const char* text : {"", "10", "s", "10 s", "10S", "1.5s", "200000d"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    }
}

TEST(Units, what_is_printed_reads_back_as_the_same) {
    for (const std::int64_t value :
         {0LL, 1LL, 7LL, 1000LL, 1024LL, 65'536LL, 200'000LL, 1LL << 40, 123'456'789LL, 4433LL}) {
        EXPECT_EQ(parse_size(print_size(value)), value) << print_size(value);
        EXPECT_EQ(parse_duration(print_duration(value)), value) << print_duration(value);
    }
    EXPECT_EQ(print_size(65'536), "64Ki");
    EXPECT_EQ(print_size(10'000'000), "10M");
    EXPECT_EQ(print_duration(10'000'000'000), "10s");
    EXPECT_EQ(print_duration(1'500'000'000), "1500ms");
}

}  // namespace
}  // namespace bayplan::config
