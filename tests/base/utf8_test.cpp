// Texts are cut between characters.
#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace bayplan {
namespace {

TEST(Utf8Prefix, ends_between_characters) {
    const std::string text = "a\u00E9\u20AC\U0001F600z";  // of 1, 2, 3, 4 and 1 bytes
    const std::size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (std::size_t most = 0; most < std::size(ends); ++most) {
        EXPECT_EQ(utf8_prefix(text, most), text.substr(0, ends[most])) << most;
    }
}

TEST(Utf8Prefix, of_bytes_that_are_no_characters_is_empty) {
    EXPECT_EQ(utf8_prefix("\x80\x80\x80", 2), "");
    EXPECT_EQ(utf8_prefix("", 0), "");
}

}  // namespace
}  // namespace bayplan
