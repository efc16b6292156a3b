// The tables of checks of src/engine/rules: every fault of every item, with its exact text, and the order of the
// faults.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace bayplan::oracle {
namespace {

constexpr std::int64_t kTooMuch = (std::int64_t{1} << 53) + 1;

struct Rejects : testing::Test {
    void SetUp() override { cluster.ready(); }
    // The last decision without its number.
    std::string last() const { return cluster.last().substr(cluster.last().find(' ') + 1); }
    SmallCluster cluster;
};

// R-SESSION-24 to R-SESSION-27, R-SESSION-29, R-SESSION-30.
TEST_F(Rejects, Dictionary) {
    cluster.send(OwnedDefine{{{0, "x"}}});
    EXPECT_EQ(last(), "message_rejected #0//dictionary id 0 is reserved");
    cluster.send(OwnedDefine{{{kUnknown, ""}}});
    EXPECT_EQ(last(), "message_rejected #999//empty text");
    cluster.send(OwnedDefine{{{kUnknown, std::string(513, 'x')}}});
    EXPECT_EQ(last(), "message_rejected #999//text is longer than 512 bytes");
    cluster.send(OwnedDefine{{{kCpu, "other"}}});
    EXPECT_EQ(last(), "message_rejected #1//dictionary id 1 is defined already");
    const std::uint64_t before = cluster.oracle.shims().at("s").last_number;
    cluster.send(OwnedDefine{{{kCpu, "cpu"}}});
    EXPECT_EQ(cluster.oracle.shims().at("s").last_number, before);
    cluster.send(OwnedForget{{kUnknown}});
    EXPECT_EQ(last(), "message_rejected #999//unknown dictionary id");
    cluster.send(OwnedForget{{kCpu}});
    cluster.send(OwnedDefine{{{kCpu, "other"}}});
    EXPECT_EQ(cluster.oracle.shims().at("s").dictionary.at(kCpu), "other");
}

// R-NODE-1, R-NODE-2, R-NODE-6, R-NODE-8, R-NODE-9.
TEST_F(Rejects, Nodes) {
    cluster.node(kUnknown, {});
    EXPECT_EQ(last(), "node_rejected #999//unknown dictionary id");
    cluster.node(kNode1, {{kCpu, 5}});
    EXPECT_EQ(last(), "node_accepted n1//");
    cluster.node(kNode1, {{kCpu, -5}});
    EXPECT_EQ(last(), "node_rejected n1//negative amount of cpu");
    cluster.node(kNode1, {{kCpu, 5}});
    EXPECT_EQ(last(), "node_rejected n1//node exists already");
    cluster.node_action(kNode2, NodeAction::update, {{kUnknown, 5}});
    EXPECT_EQ(last(), "node_rejected n2//unknown dictionary id #999");
    for (const NodeAction action :
         {NodeAction::update, NodeAction::drain, NodeAction::undrain, NodeAction::decommission}) {
        cluster.node_action(kNode2, action);
        EXPECT_EQ(last(), "node_rejected n2//no such node");
    }
    cluster.ready("t");
    cluster.node_action(kNode1, NodeAction::drain, {}, "t");
    EXPECT_EQ(cluster.last("t"), "3 node_rejected n1//no such node");
    cluster.node(kNode1, {}, "t");
    EXPECT_EQ(cluster.last("t"), "4 node_rejected n1//node exists already");
}

// R-AMOUNT-1 to R-AMOUNT-4.
TEST_F(Rejects, Amounts) {
    cluster.node(kNode2, {{kCpu, kTooMuch - 1}, {kMemory, kTooMuch}});
    EXPECT_EQ(last(), "node_rejected n2//amount of memory is too large");
    cluster.node(kNode2, {{kCpu, 1}, {kCpu, -1}});
    EXPECT_EQ(last(), "node_rejected n2//negative amount of cpu");
    cluster.node(kNode2, {{kCpu, 1}, {kCpu, 1}});
    EXPECT_EQ(last(), "node_rejected n2//cpu is given twice");
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kGpu, 0}, {kGpu, 0}}});
    EXPECT_EQ(last(), "ask_rejected x//gpu is given twice");
}

// R-APP-1, R-APP-2, R-APP-4 to R-APP-7, R-APP-9, R-APP-10.
TEST_F(Rejects, Applications) {
    cluster.send(OwnedApplications{{{kUnknown, 0, 0}}, {}});
    EXPECT_EQ(last(), "application_rejected #999//unknown dictionary id");
    cluster.send(OwnedApplications{{{kAppA, 0, 0}}, {}});
    EXPECT_EQ(last(), "application_rejected a//application exists already");
    cluster.send(OwnedApplications{{{kGroupG, kUnknown, 0}}, {}});
    EXPECT_EQ(last(), "application_rejected g//unknown queue #999");
    cluster.send(OwnedApplications{{{kGroupG, 0, 0, {kBig, kUnknown}}}, {}});
    EXPECT_EQ(last(), "application_rejected g//unknown group #999");
    cluster.send(OwnedApplications{{{kGroupG, 0, 0, std::vector<DictId>(65, kBig)}}, {}});
    EXPECT_EQ(last(), "application_rejected g//a list of more than 64 entries");
    // Where there is one leaf, tags are not looked at.
    cluster.send(OwnedApplications{{{.application = kGroupG,
                                     .queue = kBig,
                                     .user_groups = std::vector<DictId>(64, kBig),
                                     .tags = {{kUnknown, kUnknown}}}},
                                   {}});
    EXPECT_EQ(last(), "application_accepted g//");
    cluster.send(OwnedApplications{{}, {kUnknown}});
    EXPECT_EQ(last(), "application_rejected #999//unknown dictionary id");
    cluster.send(OwnedApplications{{}, {kGroupH}});
    EXPECT_EQ(last(), "application_rejected h//no such application");
    // Adds come first: adding and removing in one message leaves nothing.
    cluster.send(OwnedApplications{{{kGroupH, 0, 0}}, {kGroupH}});
    EXPECT_EQ(last(), "application_accepted h//");
    EXPECT_FALSE(cluster.oracle.shims().at("s").applications.contains("h"));
}

// R-ASK-1 to R-ASK-4, R-ASK-6, R-ASK-9, R-ASK-13, R-ASK-45, R-ASK-46.
TEST_F(Rejects, Asks) {
    cluster.node(kNode1, {{kCpu, 5}});
    cluster.ask({});
    EXPECT_EQ(last(), "ask_rejected //empty key");
    cluster.ask({.key = std::string(513, 'k')});
    EXPECT_EQ(last(), "ask_rejected " + std::string(513, 'k') + "//key is longer than 512 bytes");
    cluster.ask({.key = "x", .application = kUnknown, .node = kNode2});
    EXPECT_EQ(last(), "ask_rejected x//unknown application #999");
    cluster.ask({.key = "x", .application = kGroupG});
    EXPECT_EQ(last(), "ask_rejected x//unknown application #12");
    cluster.ask({.key = "x"});
    EXPECT_EQ(last(), "ask_rejected x//unknown application #0");
    cluster.ask({.key = "x", .application = kUnknown, .node = kNode1, .foreign = true});
    EXPECT_EQ(last(), "ask_rejected x//unknown application #999");
    cluster.ask({.key = "x", .application = kAppA, .node = kUnknown});
    EXPECT_EQ(last(), "ask_rejected x//unknown dictionary id");
    cluster.ask({.key = "x", .application = kAppA, .required_node = kUnknown});
    EXPECT_EQ(last(), "ask_rejected x//unknown dictionary id");
    cluster.ask({.key = "x", .application = kAppA, .group = kUnknown, .requests = {{kCpu, -1}}});
    EXPECT_EQ(last(), "ask_rejected x//unknown dictionary id");
    cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, -1}}});
    EXPECT_EQ(last(), "ask_rejected x//negative amount of cpu");
    cluster.ask({.key = "x", .application = kAppA, .tags = {{kBig, kBig}, {0, kBig}}});
    EXPECT_EQ(last(), "ask_rejected x//unknown dictionary id");
    cluster.ask({.key = "x", .application = kAppA, .tags = {{kBig, kUnknown}}});
    EXPECT_EQ(last(), "ask_rejected x//unknown dictionary id");
    cluster.ask({.key = "x", .application = kAppA, .tags = std::vector<Attribute>(257, {kBig, 0})});
    EXPECT_EQ(last(), "ask_rejected x//a list of more than 256 entries");
    cluster.ask({.key = "x", .foreign = true});
    EXPECT_EQ(last(), "ask_rejected x//foreign pod without a node");
    cluster.ask({.key = "x", .application = kAppA, .required_node = kNowhere});
    EXPECT_EQ(cluster.state("x"), "pending");
    cluster.ask({.key = "x", .application = kAppB});
    EXPECT_EQ(last(), "ask_rejected x//key is in use by application a");
}

// R-ASK-11.
TEST(RejectsOf, ResizesWhereTheyAreOff) {
    for (const bool resize : {true, false}) {
        EngineOptions options = without_preemption();
        options.resize_in_place = resize;
        SmallCluster cluster(options);
        cluster.ready();
        cluster.node(kNode1, {{kCpu, 5}});
        cluster.ask({.key = "x", .application = kAppA, .node = kNode1, .requests = {{kCpu, 3}}});
        cluster.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 9}}});
        EXPECT_EQ(cluster.last().ends_with("ask_rejected x//is placed already"), !resize) << cluster.last();
        EXPECT_EQ(cluster.oracle.nodes().at("n1").used.at("cpu"), resize ? 9 : 3);
    }
}

// R-ASK-10.
TEST_F(Rejects, AsksThatArePlaced) {
    cluster.node(kNode1, {{kCpu, 5}});
    cluster.node(kNode2, {{kCpu, 5}});
    cluster.ask({.key = "x", .application = kAppA, .node = kNode1, .requests = {{kCpu, 9}}});
    EXPECT_EQ(cluster.state("x"), "allocated");  // by force: more than there is
    cluster.ask({.key = "x", .application = kAppA, .node = kNode2, .requests = {{kCpu, 8}}});
    EXPECT_EQ(last(), "ask_rejected x//is placed on n1");
    const std::uint64_t before = cluster.oracle.shims().at("s").last_number;
    cluster.ask({.key = "x", .application = kAppA, .priority = 3, .requests = {{kCpu, 9}, {kGpu, 0}}});
    EXPECT_EQ(cluster.oracle.find_ask("s", "x")->priority, 3);
    EXPECT_EQ(cluster.oracle.shims().at("s").last_number, before);
}

// R-RELEASE-1 to R-RELEASE-4, R-NACK-1.
TEST_F(Rejects, ReleasesAndNacks) {
    cluster.node(kNode1, {{kCpu, 5}});
    cluster.ask({.key = "x", .application = kAppA});
    cluster.ask({.key = "f", .node = kNode1, .foreign = true});
    cluster.release("x", kUnknown);
    EXPECT_EQ(last(), "ask_rejected x//unknown application #999");
    cluster.release("");
    EXPECT_EQ(last(), "ask_rejected //unknown application #0");
    cluster.release("y");
    EXPECT_EQ(last(), "ask_rejected y//no such ask");
    cluster.release("x", kAppB);
    EXPECT_EQ(last(), "ask_rejected x//no such ask");
    for (const std::string key : {"y", "x", "f"}) {
        cluster.nack(key);
        EXPECT_EQ(last(), "message_rejected " + key + "//no such allocation");
    }
    cluster.ask({.key = "f", .application = kAppA, .node = kNode1});
    EXPECT_EQ(last(), "ask_rejected f//key is in use by application -");
    cluster.release("f");
    cluster.release("", kAppA);
    EXPECT_TRUE(cluster.oracle.asks().empty());
}

// R-SESSION-28, R-NODE-7, R-APP-3, R-ASK-12.
TEST(RejectLimits, EveryTableOfAShimHasALimit) {
    EngineOptions options;
    options.dictionary_max = 18;  // what define() needs
    options.nodes_max = 1;
    options.applications_max = 2;
    options.asks_max = 1;
    SmallCluster cluster(options);
    cluster.ready();
    cluster.send(OwnedDefine{{{kCpu, "cpu"}, {kUnknown, "x"}}});
    EXPECT_EQ(cluster.last(), "3 message_rejected #999//dictionary is full");
    cluster.send(OwnedApplications{{{kGroupG, kUnknown, 0}}, {}});
    EXPECT_EQ(cluster.last(), "4 application_rejected g//more than 2 applications");
    cluster.node(kNode1, {});
    cluster.node(kNode1, {});
    EXPECT_EQ(cluster.last(), "6 node_rejected n1//node exists already");
    cluster.node(kNode2, {});
    EXPECT_EQ(cluster.last(), "7 node_rejected n2//more than 1 nodes");
    cluster.ask({.key = "x", .application = kAppA});
    cluster.ask({.key = "y", .foreign = true});
    EXPECT_EQ(cluster.last(), "8 ask_rejected y//more than 1 asks");
}

}  // namespace
}  // namespace bayplan::oracle
