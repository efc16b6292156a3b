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
