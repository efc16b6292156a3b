// The forms of a timeline's answer, byte by byte.
#include "sim/timeline_report.h"

#include <gtest/gtest.h>

#include "written.h"

namespace bayplan::sim {
namespace {

std::string report(Format format) {
    Written written;
    ReportLook look;
    look.pod_width = 6;
    const auto made = make_timeline_report(format, written.out(), look);
    using Outcome = TimelineOutcome;
    made->add({0, "ns/a", "", Outcome::scheduled, "n1", "", {}, "", ""});
    made->add({1'500, "ns/b", "", Outcome::nominated, "", "n1", {"ns/x", "ns/y"}, "", "0/1 nodes are available: 1 z."});
    made->add({2'000, "ns/b", "", Outcome::unschedulable, "", "n1", {}, "", "later"});
    made->add({2'000, "ns/c", "", Outcome::nomination_cleared, "", "", {}, "", "ns/b was nominated"});
    TimelineSummary summary;
    summary.until_ms = 600'000;
    summary.placed = 1;
    summary.pending = {{"ns/b", "", "later", "n1", ""}, {"ns/c", "", "", "", ""}};
    summary.gone = 2;
    summary.preemptions = 1;
    summary.victims = 2;
    summary.utilisation = {{"cpu", 0.93}, {"pods", 1.0 / 3}};
    made->finish(summary);
    return written.text();
}

TEST(TimelineReport, JsonIsOneObjectALine) {
    EXPECT_EQ(
        report(Format::json),
        R"({"at":"0s","pod":"ns/a","outcome":"scheduled","node":"n1"})"
        "\n"
        R"({"at":"1.5s","pod":"ns/b","outcome":"nominated","nominatedNode":"n1","victims":["ns/x","ns/y"],)"
        R"("message":"0/1 nodes are available: 1 z."})"
        "\n"
        R"({"at":"2s","pod":"ns/b","outcome":"unschedulable","nominatedNode":"n1","message":"later"})"
        "\n"
        R"({"at":"2s","pod":"ns/c","outcome":"nomination-cleared","message":"ns/b was nominated"})"
        "\n"
        R"({"summary":{"until":"600s","placed":1,"pending":[{"pod":"ns/b","message":"later","nominatedNode":"n1"},)"
        R"({"pod":"ns/c"}],"gone":2,"preemptions":1,"victims":2,"utilisation":{"cpu":0.93,"pods":0.3333}}})"
        "\n");
}

TEST(TimelineReport, Yaml) {
    EXPECT_EQ(report(Format::yaml), R"(decisions:
  - at: "0s"
    pod: "ns/a"
    outcome: "scheduled"
    node: "n1"
  - at: "1.5s"
    pod: "ns/b"
    outcome: "nominated"
    nominatedNode: "n1"
    victims:
      - "ns/x"
      - "ns/y"
    message: "0/1 nodes are available: 1 z."
  - at: "2s"
    pod: "ns/b"
    outcome: "unschedulable"
    nominatedNode: "n1"
    message: "later"
  - at: "2s"
    pod: "ns/c"
    outcome: "nomination-cleared"
    message: "ns/b was nominated"
summary:
  until: "600s"
  placed: 1
  pending:
    - pod: "ns/b"
      message: "later"
      nominatedNode: "n1"
    - pod: "ns/c"
  gone: 2
  preemptions: 1
  victims: 2
  utilisation:
    cpu: 0.93
    pods: 0.3333
)");
}

// A member that waits, with its group, and a pod that no node takes.
TimelineDecision member_that_waits() {
    TimelineDecision decision{0, "ns/g1", "ns/g", TimelineOutcome::waiting, "n1", "", {}, "", "1 of 2"};
    GroupExplanation group;
    group.name = "ns/g";
    group.minimum = group.counted = 2;
    group.found = 1;
    GroupMember& member = group.members.emplace_back();
    member.pod = "ns/g1";
    member.node = "n1";
    member.stands = MemberStands::found;
    group.deadline_ns = 10'019'000'001;
    group.nominations = {{"ns/g1", "n1", {"ns/v", "ns/w"}, "root.a"}, {"ns/g2", "n2", {}, ""}};
    group.guarantee = "for the guarantee of root.a";
    decision.explained.explanation.emplace().group = group;
    decision.explained.group = std::make_shared<const GroupExplanation>(group);
    return decision;
}
TimelineDecision pod_without_node() {
    TimelineDecision decision{500, "ns/a", "", TimelineOutcome::unschedulable, "", "", {}, "", "0/1 nodes"};
    Explanation& explanation = decision.explained.explanation.emplace();
    explanation.nodes.push_back(
        {"n1", Verdict::unschedulable, {{"NodeResourcesFit", Verdict::unschedulable, {"Insufficient cpu"}}}, {}, 0});
    explanation.woken_by = {"a pod gone"};
    return decision;
}

std::string explained_timeline(Format format) {
    Written written;
    ReportLook look;
    look.pod_width = 6;
    const auto made = make_timeline_report(format, written.out(), look);
    made->add(member_that_waits());
    made->add(pod_without_node());
    return written.text();
}

TEST(TimelineReport, ExplanationsAreThoseOfDecisionsWithoutTimelineAndAWaitingMemberHasItsDeadline) {
    EXPECT_EQ(
        explained_timeline(Format::json),
        R"({"at":"0s","pod":"ns/g1","group":"ns/g","outcome":"waiting","node":"n1","message":"1 of 2","nodes":{},)"
        R"("podGroup":{"name":"ns/g","minAvailable":2,"priority":0,"counted":2,"assigned":0,"waiting":0,"pending":2,)"
        R"("gated":[],"refused":[],"missing":0,"found":1,"failed":[],"deadline":"10.02s",)"
        R"("nominations":[{"pod":"ns/g1","node":"n1","victims":["ns/v","ns/w"],"guarantor":"root.a"},{"pod":"ns/g2",)"
        R"("node":"n2","victims":[]}],"guarantee":"for the guarantee of root.a"}})"
        "\n"
        R"({"at":"0.5s","pod":"ns/a","outcome":"unschedulable","message":"0/1 nodes","nodes":{"n1":{"verdict":)"
        R"("unschedulable","predicate":"NodeResourcesFit","reasons":["Insufficient cpu"]}},"wokenBy":["a pod gone"]})"
        "\n");
}

TEST(TimelineReport, ExplanationsStandBelowTheLinesOfTheTable) {
    EXPECT_EQ(explained_timeline(Format::table),
              "     TIME  POD     OUTCOME             WHERE OR WHY\n"
              "       0s  ns/g1   waiting             n1: 1 of 2\n"
              "  pod group ns/g: 1 of its minimum 2 would have nodes: 0 have, 1 would find one; so nobody is placed\n"
              "      nodes are held until 10.02s\n"
              "      would be placed: ns/g1 on n1\n"
              "      would be nominated: ns/g1 on n1 instead of ns/v and ns/w, ns/g2 on n2\n"
              "      guarantee: for the guarantee of root.a\n"
              "\n"
              "     0.5s  ns/a    unschedulable       0/1 nodes\n"
              "  1 of 1 nodes cannot:\n"
              "       1  NodeResourcesFit: Insufficient cpu (room could be made)\n"
              "          n1\n"
              "  woken by: a pod gone\n"
              "\n");
}

TEST(TimelineReport, Table) {
    EXPECT_EQ(report(Format::table),
              "     TIME  POD     OUTCOME             WHERE OR WHY\n"
              "       0s  ns/a    scheduled           n1\n"
              "     1.5s  ns/b    nominated           n1\n"
              "                                       takes the place of ns/x, ns/y\n"
              "       2s  ns/b    unschedulable       (waits for n1) later\n"
              "       2s  ns/c    nomination-cleared  ns/b was nominated\n"
              "\nat 600s: 1 placed, 2 pending, 2 gone; 1 preemptions with 2 victims\n"
              "  cpu 93.0% in use\n"
              "  pods 33.3% in use\n"
              "    PODS  WHY THEY WAIT\n"
              "       1  later\n"
              "          ns/b (nominated to n1)\n"
              "       1  not tried yet\n"
              "          ns/c\n");
}

}  // namespace
}  // namespace bayplan::sim
