// The file of a timeline: what a line may say, and what is said of a bad one.
#include "sim/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"

namespace bayplan::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Read {
    explicit Read(const std::string& text) {
        good = read_events(text, "f", converter, events, faults);
        for (const kube::ObjectFault& fault : faults) {
            texts.push_back(fault.to_string());
        }
    }
    kube::ObjectConverter converter{false};
    std::vector<Event> events;
    std::vector<kube::ObjectFault> faults;
    std::vector<std::string> texts;
    bool good;
};

const std::string kNode = R"("apply":{"kind":"Node","metadata":{"name":"n1"}}})";

TEST(Events, AreReadInOrderWithTheirTimes) {
    const Read read(R"({"at":"1.5s",)" + kNode + "\n\n" +
                    R"({"at":"12s","delete":{"kind":"Pod","namespace":"ns","name":"a"},"now":true})" + "\r\n" +
                    R"({"at":"12s","delete":{"kind":"Pod","name":"b"}})" + "\n" +
                    R"({"at":"1m","delete":{"kind":"Node","name":"n1","namespace":"x"}})");
    EXPECT_TRUE(read.good);
    EXPECT_THAT(read.faults, IsEmpty());
    ASSERT_THAT(read.events, SizeIs(4));
    EXPECT_EQ(read.events[0].at_ms, 1'500);
    EXPECT_EQ(read.events[3].at_ms, 60'000);
    const auto& object = std::get<kube::ConvertedObject>(read.events[0].what);
    EXPECT_TRUE(std::holds_alternative<kube::ConvertedNode>(object));
    const auto& first = std::get<Removal>(read.events[1].what);
    EXPECT_EQ(first.name_space + "/" + first.name, "ns/a");
    EXPECT_TRUE(first.now);
    EXPECT_EQ(std::get<Removal>(read.events[2].what).name_space, "default");
    EXPECT_FALSE(std::get<Removal>(read.events[2].what).now);
    EXPECT_EQ(std::get<Removal>(read.events[3].what).name_space, "");
}

TEST(Events, ABadLineIsNamedWithItsNumber) {
    const std::pair<std::string, std::string> kBad[] = {
        {R"({"at":"1s",)", "f:2: is not valid JSON"},
        {R"([])", "f:2: is not one object"},
        {R"("text")", "f:2: "},
        {R"({"at":"1s",)" + kNode + "}", "f:2: "},
        {R"({"at":"1s",)" + kNode + R"({"at":"1s",)" + kNode, "f:2: is not one object"},
        {"{" + kNode, "f:2: at: is missing"},
        {R"({"at":5,)" + kNode, "f:2: at: is no text"},
        {R"({"at":"5",)" + kNode, "f:2: at: '5' is no time"},
        {R"({"at":"-5s",)" + kNode, "f:2: at: '-5s' is no time"},
        {R"({"at":"0.0005s",)" + kNode, "f:2: at: '0.0005s' is no time"},
        {R"({"at":"0.5s",)" + kNode, "f:2: at: 0.5s is before the line above (1s)"},
        {R"({"at":"1s"})", "f:2: has to have either apply or delete"},
        {R"({"at":"1s","delete":{"kind":"Pod","name":"a"},)" + kNode, "f:2: has to have either apply or delete"},
        {R"({"at":"1s","delete":{"kind":"Pod"}})", "f:2: delete: has to be an object with kind and name"},
        {R"({"at":"1s","delete":"a"})", "f:2: delete: has to be an object with kind and name"},
        {R"({"at":"1s","delete":{"kind":"Pod","name":"a"},"now":"yes"})", "f:2: now: is a text, not true or false"},
        {R"({"at":"1s","now":true,)" + kNode, "f:2: now: goes with delete"},
        {R"({"at":"1s","then":1,)" + kNode, "f:2: then: is no part of an event"},
        {R"({"at":"1s","apply":[]})", "f:2: apply: is a list, not an object"},
        {R"({"at":"1s","apply":{"kind":"List","items":[]}})", "f:2: apply: is a list"},
        {R"({"at":"1s","apply":{"metadata":{}}})", "f:2: kind: is missing"},
        {R"({"at":"1s","apply":{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"x"}}}})",
         "f:2: Node n: status.allocatable.cpu: 'x' is no quantity"}};
    for (const auto& [line, fault] : kBad) {
        const Read read(R"({"at":"1s",)" + kNode + "\n" + line + "\n" + R"({"at":"1s",)" + kNode);
        EXPECT_FALSE(read.good) << line;
        EXPECT_THAT(read.texts, ::testing::Contains(HasSubstr(fault))) << line;
        EXPECT_THAT(read.events, SizeIs(2)) << line;
    }
}

TEST(Events, EveryBadLineIsNamed) {
    const Read read("x\n" + (R"({"at":"1s",)" + kNode) + "\ny\n");
    EXPECT_FALSE(read.good);
    EXPECT_THAT(read.texts, ElementsAre(HasSubstr("f:1: "), HasSubstr("f:3: ")));
    EXPECT_THAT(read.events, SizeIs(1));
}

TEST(VirtualTime, Texts) {
    EXPECT_EQ(parse_ms("1m30s"), 90'000);
    EXPECT_EQ(parse_ms("250ms"), 250);
    EXPECT_EQ(parse_ms("0.25s"), 250);
    EXPECT_EQ(parse_ms("1.000s"), 1'000);
    EXPECT_EQ(parse_ms("0"), 0);
    for (const std::string_view bad :
         {"", "s", "1", "1.s.", "1x", "1s ", "0.1ms", "99999h", "9999999999999999s", "1s1"}) {
        EXPECT_EQ(parse_ms(bad), std::nullopt) << bad;
    }
    EXPECT_EQ(seconds_text(0), "0s");
    EXPECT_EQ(seconds_text(1'500), "1.5s");
    EXPECT_EQ(seconds_text(31'000), "31s");
    EXPECT_EQ(seconds_text(1'001), "1.001s");
    EXPECT_EQ(seconds_text(600'000), "600s");
}

}  // namespace
}  // namespace bayplan::sim
