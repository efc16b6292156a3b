// The laws of preemption can be broken: an attempt is judged against a cluster that was changed behind its back.
#include <gtest/gtest.h>

#include "crowd_texts.h"
#include "feed.h"
#include "preemption_laws.h"

namespace bayplan::property {
namespace {

class Story {
public:
    Story() : oracle_(options_) {
        feed_one(ConnectEvent{"s", 1, true, Received::last, 0});
        send(oracle::OwnedDefine{crowd_dictionary()});
        send(oracle::OwnedResyncBegin{});
        send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
        send(oracle::OwnedSpecs{crowd_specs(), {}});
        send(oracle::OwnedResyncEnd{});
    }
    void node(NodeAction action, std::int64_t cpu) {
        send(oracle::OwnedNodes{{{.node = kNode, .action = action, .capacity = {{kCpu, cpu}}}}});
    }
    void pod(const std::string& key, std::int32_t priority, std::int64_t cpu, DictId runs_on, DictId waits_for = 0) {
        send(oracle::OwnedAsks{{{.key = key,
                                 .application = kApplication,
                                 .node = runs_on,
                                 .priority = priority,
                                 .requests = {{kCpu, cpu}},
                                 .nominated_node = waits_for}}});
    }
    void run() { oracle_.run(1); }
    std::string broken() const { return broken_law(oracle_, 0); }

private:
    void send(oracle::OwnedBody body) { feed_one(StateEvent{"s", 0, false, std::move(body)}); }
    void feed_one(const Event& event) { feed(oracle_, event, resolve(event, oracle_, connections_), options_); }

    EngineOptions options_;
    oracle::Oracle oracle_;
    Connections connections_;
};

TEST(PreemptionLaws, AVictimThatCouldStay) {
    Story story;
    story.node(NodeAction::create, 4);
    story.pod("low", 0, 3, kNode);
    story.pod("high", 10, 2, 0);
    story.run();
    ASSERT_EQ(story.broken(), "");
    story.node(NodeAction::update, 8);
    EXPECT_NE(story.broken().find("could have stayed"), std::string::npos);
    story.node(NodeAction::update, 1);
    EXPECT_NE(story.broken().find("does not fit without its victims"), std::string::npos);
}

TEST(PreemptionLaws, AHeldPlaceThatIsTaken) {
    Story story;
    story.node(NodeAction::create, 4);
    story.pod("low", 0, 2, 0);
    story.run();
    ASSERT_EQ(story.broken(), "");
    story.pod("high", 10, 3, 0, kNode);
    EXPECT_NE(story.broken().find("took a held place"), std::string::npos);
}

TEST(PreemptionLaws, ANodeThatCouldHelp) {
    Story story;
    story.node(NodeAction::create, 4);
    story.pod("low", 0, 2, kNode);
    story.pod("high", 10, 6, 0);
    story.run();
    ASSERT_EQ(story.broken(), "");
    story.node(NodeAction::update, 6);
    EXPECT_NE(story.broken().find("would fit on n0"), std::string::npos);
}

}  // namespace
}  // namespace bayplan::property
