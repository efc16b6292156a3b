// The forms of the answer, byte by byte.
#include "sim/report.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sim/markup.h"
#include "written.h"

namespace bayplan::sim {
namespace {

SimulatedDecision made(const std::string& pod, Outcome outcome, const std::string& node, const std::string& message,
                       std::uint32_t attempt) {
    SimulatedDecision decision;
    decision.pod = pod;
    decision.outcome = outcome;
    decision.node = node;
    decision.message = message;
    decision.attempt = attempt;
    return decision;
}

SimulatedDecision placed() {
    SimulatedDecision decision = made("ns/a", Outcome::scheduled, "n1", "", 1);
    Explanation& explanation = decision.explanation.emplace();
    explanation.nodes.push_back({"n1", Verdict::feasible, {}, {{"TaintToleration", 0, 100, 300}}, 300});
    explanation.nodes.push_back(
        {"n2", Verdict::unschedulable, {{"NodeResourcesFit", Verdict::unschedulable, {"Insufficient cpu"}}}, {}, 0});
    explanation.nodes.push_back(
        {"n3",
         Verdict::unresolvable,
         {{"NodeName", Verdict::unresolvable, {"a \"b\""}}, {"NodePorts", Verdict::unschedulable, {}}},
         {},
         0});
    return decision;
}
SimulatedDecision failed() { return made("ns/b", Outcome::unschedulable, "", "0/1 nodes are available: 1 x.", 2); }
SimulatedDecision gated() { return made("ns/c", Outcome::gated, "", "waiting", 0); }

std::string report(Format format, const std::vector<SimulatedDecision>& decisions) {
    Written written;
    const auto made = make_report(format, written.out(), 6);
    for (const SimulatedDecision& decision : decisions) {
        made->add(decision);
    }
    made->finish({});
    return written.text();
}

TEST(Report, Json) {
    EXPECT_EQ(report(Format::json, {placed(), gated()}),
              R"({
  "decisions":[
    {
      "pod":"ns/a",
      "outcome":"scheduled",
      "attempt":1,
      "node":"n1",
      "nodes":{
        "n1":{"verdict":"feasible","scores":{"TaintToleration":300},"total":300,)"
              R"("normalisedScores":{"TaintToleration":100},"rawScores":{"TaintToleration":0}},
        "n2":{"verdict":"unschedulable","predicate":"NodeResourcesFit","reasons":["Insufficient cpu"]},
        "n3":{"verdict":"unresolvable","predicate":"NodeName","reasons":["a \"b\""],)"
              R"("failures":[{"verdict":"unresolvable","predicate":"NodeName","reasons":["a \"b\""]},)"
              R"({"verdict":"unschedulable","predicate":"NodePorts","reasons":[]}]}
      }
    },
    {
      "pod":"ns/c",
      "outcome":"gated",
      "message":"waiting"
    }
  ],
  "totals":{
    "scheduled":1,
    "nominated":0,
    "unschedulable":0,
    "gated":1
  }
}
)");
    EXPECT_EQ(report(Format::json, {}),
              "{\n  \"decisions\":[],\n  \"totals\":{\n"
              "    \"scheduled\":0,\n    \"nominated\":0,\n    \"unschedulable\":0,\n    \"gated\":0\n  }\n}\n");
}

TEST(Report, Yaml) {
    EXPECT_EQ(report(Format::yaml, {placed(), gated()}), R"(decisions:
  - pod: "ns/a"
    outcome: "scheduled"
    attempt: 1
    node: "n1"
    nodes:
      "n1":
        verdict: "feasible"
        scores:
          TaintToleration: 300
        total: 300
        normalisedScores:
          TaintToleration: 100
        rawScores:
          TaintToleration: 0
      "n2":
        verdict: "unschedulable"
        predicate: "NodeResourcesFit"
        reasons:
          - "Insufficient cpu"
      "n3":
        verdict: "unresolvable"
        predicate: "NodeName"
        reasons:
          - "a \"b\""
        failures:
          - verdict: "unresolvable"
            predicate: "NodeName"
            reasons:
              - "a \"b\""
          - verdict: "unschedulable"
            predicate: "NodePorts"
            reasons: []
  - pod: "ns/c"
    outcome: "gated"
    message: "waiting"
totals:
  scheduled: 1
  nominated: 0
  unschedulable: 0
  gated: 1
)");
    EXPECT_EQ(report(Format::yaml, {}),
              "decisions: []\ntotals:\n  scheduled: 0\n  nominated: 0\n  unschedulable: 0\n  gated: 0\n");
}

TEST(Report, TableOfDecisions) {
    SimulatedDecision plain = placed();
    plain.explanation.reset();
    EXPECT_EQ(report(Format::table, {plain, made("ns/b", Outcome::unschedulable, "", "why", 1), gated()}),
              "POD     OUTCOME        NODE OR REASON\n"
              "ns/a    scheduled      n1\n"
              "ns/b    unschedulable  why\n"
              "ns/c    gated          waiting\n"
              "\n3 pods: 1 scheduled, 1 unschedulable, 1 gated\n");
    EXPECT_EQ(report(Format::table, {}), "No pod is pending.\n");
}

TEST(Report, TableOfAnExplanation) {
    EXPECT_EQ(report(Format::table, {placed()}),
              "ns/a: scheduled on n1\n"
              "  1 of 3 nodes can take it; the best by score:\n"
              "      NODE   TOTAL   Taints\n"
              "    > n1       300      300\n"
              "  2 of 3 nodes cannot:\n"
              "       1  NodeName: a \"b\"\n"
              "          NodePorts:  (room could be made)\n"
              "          n3\n"
              "       1  NodeResourcesFit: Insufficient cpu (room could be made)\n"
              "          n2\n\n");
}

SimulatedDecision nominated() {
    SimulatedDecision decision = made("ns/d", Outcome::nominated, "", "0/2 nodes are available: 2 x.", 1);
    decision.nominated_node = "n1";
    decision.victims = {"ns/a", "ns/b"};
    decision.budget_violations = 1;
    decision.explanation.emplace().woken_by = {"a node added", "a pod gone"};
    PreemptionExplanation& preemption = decision.explanation->preemption.emplace();
    preemption.nominated_node = "n1";
    preemption.candidates.push_back({"n2", {"ns/e"}, 1, 7, 2'147'483'655, 1'000});
    preemption.candidates.push_back(
        {"n1", {"ns/a", "ns/b"}, 1, 5, 4'294'967'306, std::numeric_limits<std::int64_t>::max()});
    return decision;
}

TEST(Report, JsonOfANomination) {
    EXPECT_EQ(report(Format::json, {nominated()}),
              R"({
  "decisions":[
    {
      "pod":"ns/d",
      "outcome":"nominated",
      "attempt":1,
      "message":"0/2 nodes are available: 2 x.",
      "nominatedNode":"n1",
      "victims":[
        "ns/a",
        "ns/b"
      ],
      "pdbViolations":1,
      "nodes":{},
      "wokenBy":[
        "a node added",
        "a pod gone"
      ],
      "preemption":{
        "candidates":{"n2":{"victims":["ns/e"],"pdbViolations":1,"highestPriority":7,"prioritySum":2147483655,)"
              R"("earliestStartMs":1000},"n1":{"victims":["ns/a","ns/b"],"pdbViolations":1,)"
              R"("highestPriority":5,"prioritySum":4294967306}}
      }
    }
  ],
  "totals":{
    "scheduled":0,
    "nominated":1,
    "unschedulable":0,
    "gated":0
  }
}
)");
}

TEST(Report, TableOfANomination) {
    EXPECT_EQ(report(Format::table, {nominated()}),
              "ns/d: nominated on n1, in place of ns/a, ns/b\n"
              "  0/2 nodes are available: 2 x.\n"
              "  woken by: a node added, a pod gone\n"
              "  on 2 of them preemption makes room; fewest budgets broken, then the least important victims:\n"
              "      NODE  BUDGETS      HIGHEST      PRIORITIES   COUNT  VICTIMS\n"
              "    > n1          1            5      4294967306       2  ns/a, ns/b\n"
              "      n2          1            7      2147483655       1  ns/e\n\n");
    SimulatedDecision plain = nominated();
    plain.explanation.reset();
    EXPECT_EQ(report(Format::table, {plain, gated()}),
              "POD     OUTCOME        NODE OR REASON\n"
              "ns/d    nominated      n1, in place of ns/a, ns/b\n"
              "ns/c    gated          waiting\n"
              "\n2 pods: 0 scheduled, 1 nominated, 0 unschedulable, 1 gated\n");
}

TEST(Report, APodThatIsDecidedAgainIsOnePod) {
    Totals totals;
    totals.add(made("ns/b", Outcome::unschedulable, "", "x", 1));
    totals.add(failed());
    EXPECT_EQ(totals.unschedulable(), 1u);
    totals.add(made("ns/b", Outcome::scheduled, "n", "", 3));
    EXPECT_EQ(totals.unschedulable(), 0u);
    EXPECT_EQ(totals.scheduled(), 1u);
}

TEST(Markup, NamesThatYamlKnowsAreQuoted) {
    Written written;
    const auto out = make_yaml(written.out());
    out->begin_object();
    for (const std::string_view name : {"node", "No", "null", "n1", "1", "pod", "a-b"}) {
        out->number(name, 1);
    }
    out->end();
    EXPECT_EQ(written.text(), "node: 1\n\"No\": 1\n\"null\": 1\n\"n1\": 1\n\"1\": 1\npod: 1\n\"a-b\": 1\n");
}

TEST(Markup, TextsAreEscaped) { EXPECT_EQ(quoted("a\"b\\c\n\x01é"), "\"a\\\"b\\\\c\\u000a\\u0001é\""); }

}  // namespace
}  // namespace bayplan::sim
