// Percent-encoding, there and back, and its faults in the words that clients know.
#include <gtest/gtest.h>

#include "http/escapes.h"
#include "http/message.h"

namespace bayplan::http {
namespace {

TEST(Escapes, a_path_keeps_its_plus_and_a_query_does_not) {
    EXPECT_EQ(unescape_path("/a+b%20c%2Fd").text, "/a+b c/d");
    EXPECT_EQ(unescape_query("a+b%20c%2fd").text, "a b c/d");
    EXPECT_EQ(unescape_path("%C3%A9").text, "\u00e9");
}

TEST(Escapes, a_fault_names_the_escape) {
    EXPECT_EQ(unescape_path("/root.%zz").fault, "invalid URL escape \"%zz\"");
    EXPECT_EQ(unescape_query("x%4").fault, "invalid URL escape \"%4\"");
    EXPECT_EQ(unescape_query("x%").fault, "invalid URL escape \"%\"");
    EXPECT_EQ(unescape_query("%%41").fault, "invalid URL escape \"%%4\"");
    EXPECT_EQ(unescape_query("%41").fault, "");
}

TEST(Escapes, every_byte_survives_a_path) {
    std::string all;
    for (int letter = 0; letter < 256; ++letter) all += static_cast<char>(letter);
    EXPECT_EQ(unescape_path(escape_path(all)).text, all);
    EXPECT_EQ(escape_path("/a b?c\"<>%"), "/a%20b%3Fc%22%3C%3E%25");
}

TEST(Escapes, nothing_of_html_is_left_in_an_attribute) {
    EXPECT_EQ(escape_html("<a href=\"x\" id='y'>&"), "&lt;a href=&#34;x&#34; id=&#39;y&#39;&gt;&amp;");
}

TEST(Escapes, a_query_has_values_by_name) {
    Request request;
    request.query = "count=6&start=0&subtree&name=a+b%21&count=7&bad=%zz&semi;colon=1&=x";
    EXPECT_EQ(request.query_value("count"), "6");
    EXPECT_EQ(request.query_value("start"), "0");
    EXPECT_EQ(request.query_value("subtree"), "");
    EXPECT_EQ(request.query_value("name"), "a b!");
    EXPECT_EQ(request.query_value("bad"), std::nullopt);
    EXPECT_EQ(request.query_value("semi"), std::nullopt);
    EXPECT_EQ(request.query_value(""), "x");
    EXPECT_EQ(request.query_value("none"), std::nullopt);
}

}  // namespace
}  // namespace bayplan::http
