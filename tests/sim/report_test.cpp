// The forms of the answer, byte by byte.
#include "sim/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "sim/markup.h"

namespace bayplan::sim {
namespace {

// What is written to a stream.
class Written {
public:
    Written() : out_(open_memstream(&data_, &size_)) {}
    ~Written() {
        std::fclose(out_);
        std::free(data_);
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    std::FILE* out() { return out_; }
    std::string text() {
        std::fflush(out_);
        return {data_, size_};
    }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::FILE* out_;
};

Decision placed() {
    Decision decision{"ns/a", Outcome::scheduled, "n1", "", 1, {}};
    Explanation& explanation = decision.explanation.emplace();
    explanation.nodes.push_back({"n1", Verdict::feasible, {}, {{"TaintToleration", 0, 100, 300}}, 300});
    explanation.nodes.push_back(
        {"n2", Verdict::unschedulable, {{"NodeResourcesFit", Verdict::unschedulable, {"Insufficient cpu"}}}, {}, 0});
    explanation.nodes.push_back({"n3",
                                 Verdict::unresolvable,
                                 {{"NodeName", Verdict::unresolvable, {"a \"b\""}}, {"NodePorts", Verdict::unschedulable, {}}},
                                 {},
                                 0});
    return decision;
}
Decision failed() {
    return {"ns/b", Outcome::unschedulable, "", "0/1 nodes are available: 1 x.", 2, {}};
}
Decision gated() {
    return {"ns/c", Outcome::gated, "", "waiting", 0, {}};
}

std::string report(Format format, const std::vector<Decision>& decisions) {
    Written written;
    const auto made = make_report(format, written.out(), 6);
    for (const Decision& decision : decisions) {
        made->add(decision);
    }
    made->finish();
    return written.text();
}

TEST(Report, Json) {
    EXPECT_EQ(report(Format::json, {placed(), gated()}), R"({
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
    "unschedulable":0,
    "gated":1
  }
}
)");
    EXPECT_EQ(report(Format::json, {}),
              "{\n  \"decisions\":[],\n  \"totals\":{\n"
              "    \"scheduled\":0,\n    \"unschedulable\":0,\n    \"gated\":0\n  }\n}\n");
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
  unschedulable: 0
  gated: 1
)");
    EXPECT_EQ(report(Format::yaml, {}), "decisions: []\ntotals:\n  scheduled: 0\n  unschedulable: 0\n  gated: 0\n");
}

TEST(Report, TableOfDecisions) {
    Decision plain = placed();
    plain.explanation.reset();
    EXPECT_EQ(report(Format::table, {plain, {"ns/b", Outcome::unschedulable, "", "why", 1, {}}, gated()}),
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

TEST(Report, APodThatIsDecidedAgainIsOnePod) {
    Totals totals;
    totals.add({"ns/b", Outcome::unschedulable, "", "x", 1, {}});
    totals.add(failed());
    EXPECT_EQ(totals.unschedulable(), 1u);
    totals.add({"ns/b", Outcome::scheduled, "n", "", 3, {}});
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

TEST(Markup, TextsAreEscaped) {
    EXPECT_EQ(quoted("a\"b\\c\n\x01é"), "\"a\\\"b\\\\c\\u000a\\u0001é\"");
}

}  // namespace
}  // namespace bayplan::sim
