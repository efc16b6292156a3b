// The literal implementation of predicates, scores and preemption against answers of the real kube-scheduler:
// every case of the conformance suites, when they are there (BAYPLAN_CONFORMANCE names the folder).
//
// Thread: one. Errors: a difference names its case and node.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "kube_json.h"
#include "kube_json_fields.h"
#include "kube_judge.h"
#include "kube_preemption.h"

namespace bayplan::oracle {
namespace {

using json::Element;

std::string name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::feasible: return "feasible";
        case Verdict::unschedulable: return "unschedulable";
        case Verdict::unresolvable: break;
    }
    return "unresolvable";
}

std::string joined(std::vector<std::string> parts) {
    std::sort(parts.begin(), parts.end());
    std::string text;
    for (const std::string& part : parts) {
        text += part + "; ";
    }
    return text;
}

// One node as a line: verdict, predicate and reasons, or its scores and total.
std::string expected_line(Element node) {
    std::string text =
        json::text(node, "verdict") + " " + json::text(node, "predicate") + " " + joined(json::texts(node, "reasons"));
    std::vector<std::string> scores;
    if (const auto found = json::child(node, "scores")) {
        for (const auto& [plugin, weighted] : simdjson::dom::object(*found)) {
            if (plugin != "DynamicResources") {  // always 0 for pods without claims
                scores.push_back(std::string(plugin) + " " + std::to_string(std::int64_t(weighted)));
            }
        }
        scores.push_back("total " + std::to_string(json::number(node, "total", -1)));
    }
    return text + joined(scores);
}

std::string answered_line(const NodeExplanation& node) {
    std::string text = name_of(node.verdict) + " ";
    if (!node.failures.empty()) {
        return text + node.failures[0].predicate + " " + joined(node.failures[0].reasons);
    }
    std::vector<std::string> scores;
    for (const ScoreShare& share : node.scores) {
        scores.push_back(share.plugin + " " + std::to_string(share.weighted));
    }
    scores.push_back("total " + std::to_string(node.total));
    return text + " " + joined(scores);
}

// What comes after the filters' part of a message belongs to preemption. Only messages that end in
// `not found` are compared without it: there preemption itself fails in the real scheduler.
std::string filter_part(const std::string& message) {
    static const std::regex rest(" (no new claims to deallocate|preemption: |not found$).*$");
    return std::regex_replace(message, rest, "");
}

std::string message_difference(const std::string& wanted, const std::string& answered) {
    const bool cut = wanted.ends_with("not found");
    const std::string first = cut ? filter_part(wanted) : wanted;
    const std::string second = cut ? filter_part(answered) : answered;
    return first == second ? "" : "  message: " + first + "\n         / " + second + "\n";
}

std::string line_of(std::int64_t violations, const std::vector<std::string>& victims) {
    return std::to_string(violations) + " violations; " + joined(victims);
}

std::string nodes_difference(Element expect, const KubeAnswer& answer) {
    const auto nodes = json::child(expect, "nodes");
    if (!nodes) {
        return "";
    }
    std::string out;
    std::size_t compared = 0;
    for (const NodeExplanation& node : answer.explanation.nodes) {
        const auto found = json::child(*nodes, node.node);
        compared += found.has_value();
        if (json::flag(expect, "nominatedTaken")) {
            continue;  // nothing but its name counts
        }
        const std::string line = found ? expected_line(*found) : "not there";
        if (line != answered_line(node)) {
            out += "  " + node.node + ": " + line + "\n      / " + answered_line(node) + "\n";
        }
    }
    return compared == simdjson::dom::object(*nodes).size() ? out : out + "  nodes are missing\n";
}

std::string preemption_difference(Element expect, const KubePreemption& found) {
    std::string out;
    const auto wanted = json::child(expect, "preemption");
    if (!wanted) {
        return "  preemption was not to be tried\n";
    }
    std::size_t compared = 0;
    const auto candidates = json::child(*wanted, "candidates");
    for (const KubeVictims& one : found.candidates) {
        std::vector<std::string> victims;
        for (const KubePod* victim : one.victims) {
            victims.push_back(victim->key);
        }
        const auto there = json::child(*candidates, one.node->name);
        const std::string line =
            there ? line_of(json::number(*there, "pdbViolations", -1), json::texts(*there, "victims")) : "not there";
        compared += there.has_value();
        if (line != line_of(one.violations, victims)) {
            out +=
                "  candidate " + one.node->name + ": " + line + "\n      / " + line_of(one.violations, victims) + "\n";
        }
    }
    if (compared != simdjson::dom::object(*candidates).size()) {
        out += "  candidates are missing\n";
    }
    const auto best = json::texts(*wanted, "best");
    if (found.chosen && std::find(best.begin(), best.end(), found.candidates[*found.chosen].node->name) == best.end()) {
        out += "  nominated: " + joined(best) + " / " + found.candidates[*found.chosen].node->name + "\n";
    }
    return out;
}

std::string differences(Element one, const KubeOptions& options) {
    const std::string pod = json::text(one, "pod");
    const std::size_t slash = pod.find('/');
    const KubeCluster cluster = read_cluster(*json::child(one, "cluster"));
    const KubePod& judged = cluster.pod(pod.substr(0, slash), pod.substr(slash + 1));
    const KubeState state = cluster.state(options);
    const KubeAnswer answer = judge(state, judged);
    const Element expect = *json::child(one, "expect");
    const std::string wanted = json::text(expect, "outcome");
    std::optional<KubePreemption> preemption;
    if (answer.explanation.state == "unschedulable") {
        preemption = preempt(state, judged, answer);
    }
    const bool nominated = preemption && preemption->chosen;
    const std::string outcome = nominated ? "nominated" : answer.explanation.state;
    std::string out;
    if (wanted != outcome) {
        out += "  outcome: " + wanted + " / " + outcome + "\n";
    }
    const auto best = json::texts(expect, "best");
    if (wanted == "scheduled" && std::find(best.begin(), best.end(), answer.explanation.node) == best.end()) {
        out += "  node: " + joined(best) + " / " + answer.explanation.node + "\n";
    }
    if (wanted != "scheduled") {
        out += message_difference(json::text(expect, "message"), whole_message(answer, preemption));
    }
    out += nodes_difference(expect, answer);
    return preemption ? out + preemption_difference(expect, *preemption) : out;
}

std::filesystem::path suite_path(const std::string& suite) {
    const char* folder = std::getenv("BAYPLAN_CONFORMANCE_DIR");
    return std::filesystem::path(folder == nullptr ? "" : folder) / (suite + ".json");
}

// The suites number the oddities of the scheduler in their tags.
bool shows_oddity(const Element& one, int number) {
    const auto tags = json::texts(one, "tags");
    return std::find(tags.begin(), tags.end(), "quirk-" + std::to_string(number)) != tags.end();
}

class ConformanceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformanceTest, LiteralRulesAnswerAsKubeSchedulerDoes) {
    const std::filesystem::path path = suite_path(GetParam());
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "skipped, not there: " << path;
    }
    simdjson::dom::parser parser;
    const Element suite = parser.load(path.string());
    std::size_t agree = 0;
    std::size_t all = 0;
    for (const Element one : json::list(suite, "cases")) {
        if (shows_oddity(one, 8)) {
            continue;  // our rule there is the exact recount
        }
        const std::string found = differences(one, {});
        EXPECT_EQ(found, "") << json::text(one, "name") << ", expected / answered";
        agree += found.empty();
        ++all;
    }
    std::printf("AGREE %zu of %zu\n", agree, all);
    EXPECT_GT(all, 0U);
}

TEST(ConformanceTest, TheCorrectNamespaceRuleDiffersWhereTheFaultShowsAndNowhereElse) {
    KubeOptions correct;
    correct.copies_namespace_fault = false;
    std::size_t differ = 0;
    for (const char* suite : {"filters-podaffinity", "scores-podaffinity"}) {
        if (!std::filesystem::exists(suite_path(suite))) {
            GTEST_SKIP() << "skipped, not there: " << suite_path(suite);
        }
        simdjson::dom::parser parser;
        const Element read = parser.load(suite_path(suite).string());
        for (const Element one : json::list(read, "cases")) {
            const bool shows = shows_oddity(one, 5);
            EXPECT_EQ(differences(one, correct).empty(), !shows) << json::text(one, "name");
            differ += shows;
        }
    }
    EXPECT_GT(differ, 0U);
}

INSTANTIATE_TEST_SUITE_P(Suites, ConformanceTest,
                         ::testing::Values("filters-mixed", "filters-nodeaffinity", "filters-podaffinity",
                                           "filters-ports", "filters-resources", "filters-spread", "filters-taints",
                                           "filters-volumes", "gates", "preemption-affinity", "preemption-mixed",
                                           "preemption-nominated", "preemption-pdb", "preemption-policy",
                                           "preemption-resources", "preemption-ties", "scores-affinity",
                                           "scores-images", "scores-mixed", "scores-podaffinity", "scores-resources",
                                           "scores-spread"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace bayplan::oracle
