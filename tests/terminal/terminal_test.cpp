// Output for people, byte by byte.
#include <gtest/gtest.h>

#include <string>

#include "base/closest_name.h"
#include "terminal/progress.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace bayplan::terminal {
namespace {

TEST(Text, IsCutByCharacters) {
    EXPECT_EQ(cut("abc", 3), "abc");
    EXPECT_EQ(cut("abcd", 3), "ab…");
    EXPECT_EQ(cut("äöüß", 3), "äö…");
    EXPECT_EQ(cut("abc", 0), "");
}

TEST(Text, IsWrappedAtSpaces) {
    EXPECT_EQ(wrapped("one two three four", 16, 4), "one two\n    three four");
    EXPECT_EQ(wrapped("one two three four", 0, 4), "one two three four");
    EXPECT_EQ(wrapped("aaaaaaaaaaaaaaaaaaaaaaaaa", 16, 2), "aaaaaaaaaaaaaa\n  aaaaaaaaaaa");
    EXPECT_EQ(wrapped("nodes,pods,namespaces,events", 18, 2), "nodes,pods,\n  namespaces,\n  events");
    EXPECT_EQ(wrapped("a terminal of no width", 10, 8), "a terminal of no width");
}

TEST(Text, LinesAreWrappedBelowTheirLastColumn) {
    EXPECT_EQ(fitted_lines("waits  for  more cpu than there is\nshort\n", 24),
              "waits  for  more cpu\n            than there\n            is\nshort\n");
    EXPECT_EQ(fitted_lines("a line without any columns", 16), "a line without\n  any columns");
    EXPECT_EQ(fitted_lines("waits  for  more cpu than there is", 0), "waits  for  more cpu than there is");
}

TEST(Text, ColoursAreOffUnlessAskedFor) {
    EXPECT_EQ(Colours(false)(Colour::bad, "x"), "x");
    EXPECT_EQ(Colours(true)(Colour::bad, "x"), "\x1b[31mx\x1b[0m");
    EXPECT_EQ(Colours(true)(Colour::plain, "x"), "x");
}

TEST(Text, NoNameMovesTheCursor) { EXPECT_EQ(printable("a\x1b[2Jb\n"), "a?[2Jb?"); }

TEST(Table, TheWidestColumnIsCutLast) {
    Table table({{"NAME"}, {"N", true}, {"NOTE", false, true}});
    table.row({"a-long-name", "7", "optional"});
    EXPECT_EQ(table.text(0), "NAME         N  NOTE\na-long-name  7  optional\n");
    EXPECT_EQ(table.text(15), "NAME         N\na-long-name  7\n");
    EXPECT_EQ(table.text(10), "NAME     N\na-long…  7\n");
    EXPECT_EQ(table.without_room(0), std::vector<std::string>());
    EXPECT_EQ(table.without_room(15), std::vector<std::string>({"NOTE"}));
}

TEST(Table, ALastColumnThatWrapsGoesOnBelowItself) {
    Table table({{"NAME"}, {"N", true, true}, {"WHY", false, false, true}});
    table.row({"a-long-name", "7", "there is more to say than fits behind it"});
    EXPECT_EQ(table.text(0), "NAME         N  WHY\na-long-name  7  there is more to say than fits behind it\n");
    EXPECT_EQ(table.text(44),
              "NAME         N  WHY\na-long-name  7  there is more to say than\n                fits behind it\n");
    EXPECT_EQ(table.fitted(38),
              "NAME         WHY\na-long-name  there is more to say than\n             fits behind it\n"
              "no room for N: a wider terminal or\n  -o json has them\n");
}

TEST(Bar, IsOneLineAtAnyWidth) {
    EXPECT_EQ(bar_line(1, 4, "x", "", 79), "[#####...............]  25% x");
    for (const std::size_t columns : {20u, 39u, 79u, 159u}) {
        EXPECT_LE(columns_of(bar_line(3, 4, std::string(200, 'n') + "\n", "3 pods/s, 5 s left", columns)), columns);
        EXPECT_EQ(bar_line(3, 4, "a\nb", "", columns).find('\n'), std::string::npos);
    }
    EXPECT_EQ(bar_line(1, 100, "x", "", 79), "[....................]   1% x");
    EXPECT_EQ(bar_line(3, 4, "narrow", "", 59), " 75% narrow");
}

TEST(Bar, SaysRateAndTimeLeft) {
    EXPECT_EQ(rate_and_time_left(10, 100, 500'000'000, "pods"), "");  // too early
    EXPECT_EQ(rate_and_time_left(0, 100, 5'000'000'000, "pods"), "");
    EXPECT_EQ(rate_and_time_left(20, 100, 2'000'000'000, "pods"), "10 pods/s, 8 s left");
    EXPECT_EQ(rate_and_time_left(50'000'000, 200'000'000, 2'000'000'000, "B"), "25 MB/s, 6 s left");
    EXPECT_EQ(rate_and_time_left(1, 1'000, 10'000'000'000, "rows"), "0 rows/s, 2 h left");
}

TEST(Meant, NamesThatAreClose) {
    EXPECT_EQ(edit_distance("request", "requests", 3), 1u);
    EXPECT_EQ(edit_distance("wbe-1", "web-1", 3), 1u);  // two neighbours swapped
    EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3u);
    EXPECT_EQ(closest_name("simulat", {"simulate", "status"}), "simulate");
    EXPECT_EQ(closest_name("Nodename", {"nodeName", "hostname"}), "nodeName");
    EXPECT_EQ(closest_name("colour", {"image", "ports"}), "");
    EXPECT_EQ(did_you_mean("plan", {"plane"}), "; did you mean `plane`?");
    EXPECT_EQ(did_you_mean("x", {"wide"}), "");
}

}  // namespace
}  // namespace bayplan::terminal
