// The forms of the answer, byte by byte.
#include "sim/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sim/markup.h"
#include "sim/reason_groups.h"
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
SimulatedDecision nominated_plain() {
    SimulatedDecision decision = made("ns/d", Outcome::nominated, "", "0/2 \"nodes\", full", 1);
    decision.nominated_node = "n1";
    decision.victims = {"ns/a", "ns/b"};
    decision.budget_violations = 1;
    return decision;
}
SimulatedDecision failed() { return made("ns/b", Outcome::unschedulable, "", "0/1 nodes are available: 1 x.", 2); }
SimulatedDecision gated() { return made("ns/c", Outcome::gated, "", "waiting", 0); }

std::string report(Format format, const std::vector<SimulatedDecision>& decisions, const Ending& ending = {},
                   std::size_t columns = 0, bool colours = false) {
    Written written;
    const auto made = make_report(format, written.out(), {6, columns, terminal::Colours(colours)});
    for (const SimulatedDecision& decision : decisions) {
        made->add(decision);
    }
    made->finish(ending);
    return written.text();
}

Ending with_use(UseReport use) {
    Ending ending;
    ending.use = std::move(use);
    return ending;
}

// Two nodes of one zone and type; a resource that only one of them has.
UseReport use() {
    UseReport report;
    report.resources = {"cpu", "memory", "x.io/gpu"};
    report.nodes = {{"n1", 1, {{4'000, 1'000, 3'000}, {8, 2, 2}, {2, 0, 2}}},
                    {"n2", 1, {{4'000, 0, 0}, {8, 0, 2}, {0, 0, 0}}}};
    report.all = {"all", 2, {{8'000, 1'000, 3'000}, {16, 2, 4}, {2, 0, 2}}};
    report.zones = {{"eu-1a", 2, report.all.uses}};
    report.types = {{"-", 2, report.all.uses}};
    return report;
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

TEST(Report, TheTableHasPlacesAndReasonsOnceWithTheirPods) {
    SimulatedDecision plain = placed();
    plain.explanation.reset();
    const auto why = [](const char* pod, const char* message) {
        return made(pod, Outcome::unschedulable, "", message, 1);
    };
    EXPECT_EQ(report(Format::table, {why("ns/late", "0/9 nodes are available: 9 Insufficient cpu."), plain,
                                     why("ns/b", "0/9 nodes are available: 8 Insufficient cpu, 1 Too many pods."),
                                     why("ns/f", "0/9 nodes are available: 7 Insufficient cpu, 2 Too many pods."),
                                     why("ns/d", "0/9 nodes are available: 6 Insufficient cpu, 3 Too many pods."),
                                     why("ns/e", "0/9 nodes are available: 5 Insufficient cpu, 4 Too many pods."),
                                     made("ns/late", Outcome::scheduled, "n2", "", 2), gated()}),
              "POD     OUTCOME        NODE\n"
              "ns/a    scheduled      n1\n"
              "ns/late  scheduled      n2\n"
              "\n    PODS  WHY THEY WAIT\n"
              "       4  unschedulable: 0/9 nodes are available: 5 Insufficient cpu, 4 Too many pods. (counts: of the "
              "last of "
              "them)\n"
              "          ns/b, ns/f, ns/d and 1 more\n"
              "       1  gated: waiting\n"
              "          ns/c\n"
              "\n7 pods: 2 scheduled, 4 unschedulable, 1 gated\n");
    EXPECT_EQ(report(Format::table, {}), "No pod is pending.\n");
}

TEST(Report, ATerminalGetsWrappedReasonsAndColours) {
    const std::string text = report(
        Format::table, {made("ns/b", Outcome::unschedulable, "", "0/9 nodes are available: 9 Insufficient cpu.", 1)},
        {}, 40, true);
    EXPECT_EQ(text,
              "    PODS  WHY THEY WAIT\n"
              "       1  unschedulable: 0/9 nodes are\n"
              "          available: 9 Insufficient cpu.\n"
              "          \x1b[2mns/b\x1b[0m\n"
              "\n1 pod: 0 scheduled, 1 unschedulable, 0 gated\n");
}

TEST(Report, HowFullEverythingIs) {
    EXPECT_EQ(report(Format::table, {made("ns/a", Outcome::scheduled, "n1", "", 1)}, with_use(use())),
              "POD     OUTCOME        NODE\n"
              "ns/a    scheduled      n1\n"
              "\nUSE, BEFORE > AFTER  NODES        cpu     memory   x.io/gpu\n"
              "all                      2  12% > 38%  12% > 25%  0% > 100%\n"
              "by zone\n"
              "  eu-1a                  2  12% > 38%  12% > 25%  0% > 100%\n"
              "by node\n"
              "  n1                     1  25% > 75%        25%  0% > 100%\n"
              "  n2                     1         0%   0% > 25%          -\n"
              "\n1 pod: 1 scheduled, 0 unschedulable, 0 gated\n");
}

TEST(Report, ManyNodesAreCountedByHowFullTheyAre) {
    UseReport many = use();
    for (int index = 0; index < 30; ++index) {
        many.nodes.push_back({"m", 1, {{100, 0, 96}, {100, 60, 60}, {0, 0, 0}}});
    }
    const std::string text = report(Format::table, {}, with_use(many));
    EXPECT_THAT(text,
                ::testing::HasSubstr("  nodes that are 0% to 50% full               32 > 1          2      1 > 0\n"
                                     "  nodes that are 50% to 80% full               0 > 1         30          0\n"
                                     "  nodes that are 80% to 95% full                   0          0          0\n"
                                     "  nodes that are 95% and more full            0 > 30          0      0 > 1\n"));
}

TEST(Report, UseInADocument) {
    EXPECT_THAT(report(Format::json, {}, with_use(use())), ::testing::HasSubstr(R"(  "use":{
    "all":{
      "nodes":2,
      "cpu":{
        "capacity":8000,
        "before":1000,
        "after":3000
      },)"));
}

TEST(Report, WideAndCsvHaveEveryDecisionInColumnsThatStay) {
    const std::vector<SimulatedDecision> all = {failed(), nominated_plain(),
                                                made("ns/b", Outcome::scheduled, "n1", "", 3)};
    EXPECT_EQ(report(Format::wide, all),
              "POD   OUTCOME        NODE  ATTEMPT  BUDGETS  DEVICES  VICTIMS    MESSAGE\n"
              "ns/b  unschedulable  -           2        0  -        -          0/1 nodes are available: 1 x.\n"
              "ns/d  nominated      n1          1        1  -        ns/a,ns/b  0/2 \"nodes\", full\n"
              "ns/b  scheduled      n1          3        0  -        -          -\n"
              "\n2 pods: 1 scheduled, 1 nominated, 0 unschedulable, 0 gated\n");
    EXPECT_EQ(report(Format::csv, all),
              "pod,outcome,node,attempt,pdb_violations,devices,victims,message\n"
              "ns/b,unschedulable,,2,0,,,0/1 nodes are available: 1 x.\n"
              "ns/d,nominated,n1,1,1,,ns/a ns/b,\"0/2 \"\"nodes\"\", full\"\n"
              "ns/b,scheduled,n1,3,0,,,\n");
}

TEST(Report, AnInterruptedRunSaysSoInEveryForm) {
    Ending cut;
    cut.interrupted = "interrupted after 1 of 9 pods and 2.0 s";
    for (const Format format : {Format::table, Format::wide, Format::json, Format::yaml}) {
        EXPECT_THAT(report(format, {failed()}, cut), ::testing::HasSubstr("interrupted after 1 of 9 pods and 2.0 s"));
    }
}

TEST(ReasonGroups, CountsOfNodesAreNoPartOfAReason) {
    EXPECT_EQ(without_counts("0/12 nodes are available: 3 Insufficient cpu, 9 node(s) had untolerated taint {a: 1}. "
                             "preemption: 0/12 nodes are available: 12 x."),
              "#/# nodes are available: # Insufficient cpu, # node(s) had untolerated taint {a: 1}. "
              "preemption: #/# nodes are available: # x.");
    EXPECT_EQ(without_counts("pod 12 waits for gpu-7, 8x"), "pod 12 waits for gpu-7, 8x");
}

TEST(Report, TableOfAnExplanation) {
    EXPECT_EQ(report(Format::table, {placed()}),
              "ns/a: scheduled on n1\n"
              "  1 of 3 nodes can take it; the best by score:\n"
              "      NODE  TOTAL  Taints\n"
              "    > n1      300     300\n"
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
              "      NODE  BUDGETS  HIGHEST  PRIORITIES  COUNT  VICTIMS\n"
              "    > n1          1        5          10      2  ns/a, ns/b\n"
              "      n2          1        7           7      1  ns/e\n\n");
    SimulatedDecision plain = nominated();
    plain.explanation.reset();
    EXPECT_EQ(report(Format::table, {plain, gated()}),
              "POD     OUTCOME        NODE\n"
              "ns/d    nominated      n1, in place of ns/a, ns/b\n"
              "\n    PODS  WHY THEY WAIT\n"
              "       1  gated: waiting\n"
              "          ns/c\n"
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
