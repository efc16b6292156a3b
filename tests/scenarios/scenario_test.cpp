// Every scenario of the folder that BAYPLAN_SCENARIOS names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenario.h"

namespace bayplan::scenarios {
namespace {

TEST(Scenarios, GoAsTheyAreWritten) {
    const char* folder = std::getenv("BAYPLAN_SCENARIOS");
    ASSERT_NE(folder, nullptr);
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".txt") {
            std::ifstream in(entry.path());
            std::stringstream text;
            text << in.rdbuf();
            EXPECT_EQ(played(text.str()), "") << entry.path().filename();
            ++count;
        }
    }
    EXPECT_GE(count, 8);
}

TEST(Scenarios, AWrongTextIsNoticed) {
    const std::string begin = "node n1 cpu=10\nask c cpu=10\ntick 0s\n";
    EXPECT_EQ(played(begin + "then place c n1\n"), "");
    EXPECT_NE(played(begin), "");
    EXPECT_NE(played(begin + "then nothing\n"), "");
    EXPECT_NE(played(begin + "then place c n2\n"), "");
    EXPECT_NE(played(begin + "then place c n1\nthen fail c\n"), "");
    EXPECT_THROW(played("nonsense\n"), std::invalid_argument);
}

}  // namespace
}  // namespace bayplan::scenarios
