// Every predicate and every score is where its row says: settings, manual, explanations, the oracle, the pages. What
// wakes what is written here a second time, as in rules/failure.md.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load.h"
#include "engine/diagnosis.h"
#include "options/predicate_rows.h"
#include "options/score_rows.h"
#include "placement/stage_executor.h"
#include "predicates/registry.h"
#include "scoring/registry.h"
#include "tests/config/config_file.h"
#include "tests/engine/harness.h"
#include "tests/oracle/kube_judge.h"

namespace bayplan {
namespace {

std::string page(const std::string& name) {
    std::ifstream in(std::string(BAYPLAN_SOURCE_ROOT) + "/" + name);
    EXPECT_TRUE(in) << name;
    return {std::istreambuf_iterator<char>(in), {}};
}

// Of a configuration with one partition, to which `line` is appended.
EngineOptions options_of(const std::string& line) {
    const config::ConfigFolder folder;
    const std::string file =
        folder.write("b.yaml", fmt::format("partitions:\n  - name: default\n    {}\ndata_plane:\n"
                                           "  tls: {{certificate: c.pem, key: k.pem, authority: ca.pem}}\n",
                                           line));
    config::Config config;
    config::Faults faults;
    EXPECT_TRUE(config::load_config(file, config::four_cpus_two_allowed(), config, faults)) << line;
    return config.partitions.empty() ? EngineOptions{} : config.partitions[0].engine;
}

EngineOptions without_scores() {
    EngineOptions options;
    for (const ScoreRow& row : kScoreRows) {
        options.weights[row.id] = 0;
    }
    return options;
}

TEST(PredicateRows, are_at_their_ids_and_have_names_of_their_own) {
    std::set<std::string_view> names;
    for (std::size_t index = 0; index < kPredicates; ++index) {
        EXPECT_EQ(static_cast<std::size_t>(kPredicateRows[index].id), index);
        EXPECT_EQ(&row_of(kPredicateRows[index].id), &kPredicateRows[index]);
        EXPECT_TRUE(names.insert(kPredicateRows[index].name).second) << kPredicateRows[index].name;
    }
}

TEST(PredicateRows, each_is_made_alone_and_all_in_their_order) {
    const auto all = make_predicates({});
    ASSERT_EQ(all->predicates().size(), kPredicates);
    for (std::uint32_t index = 0; index < kPredicates; ++index) {
        const PredicateRow& row = kPredicateRows[index];
        EXPECT_EQ(all->name(index), row.name);
        EXPECT_TRUE(all->has(row.id));
        const auto alone = make_predicates({std::string(row.name)});
        ASSERT_EQ(alone->predicates().size(), 1u) << row.name;
        EXPECT_EQ(alone->name(0), row.name);
        EXPECT_TRUE(alone->has(row.id));
        EXPECT_EQ(alone->parts(), row.parts);
        for (const PredicateRow& other : kPredicateRows) {
            EXPECT_EQ(alone->has(other.id), other.id == row.id) << row.name << " " << other.name;
        }
    }
}

TEST(PredicateRows, say_what_wakes_the_asks_that_each_refused) {
    const std::map<std::uint32_t, std::set<std::string_view>> woken = {
        {kNodeUndrained, {"NodeUnschedulable"}},
        {kNodeGone, {"VolumeRestrictions", "PodTopologySpread", "InterPodAffinity"}},
        {kPodGone,
         {"NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding",
          "PodTopologySpread", "InterPodAffinity", "DynamicResources"}},
        {kPodPlaced, {"PodTopologySpread", "InterPodAffinity"}},
        {kObjectChanged,
         {"NodeVolumeLimits", "VolumeRestrictions", "VolumeBinding", "VolumeZone", "InterPodAffinity",
          "DynamicResources"}},
        {kClaimGivenBack, {"DynamicResources"}},
    };
    const auto all = make_predicates({});
    for (std::uint32_t index = 0; index < kPredicates; ++index) {
        std::uint32_t events = kNodeChanges;
        for (const auto& [event, names] : woken) {
            events |= names.contains(kPredicateRows[index].name) ? event : 0;
        }
        EXPECT_EQ(kPredicateRows[index].wakes, events) << kPredicateRows[index].name;
        EXPECT_EQ(all->woken_by(1u << index), events) << kPredicateRows[index].name;
    }
}

TEST(PredicateRows, each_may_be_named_in_settings_and_no_other) {
    for (const PredicateRow& row : kPredicateRows) {
        const std::vector<std::string> only = {std::string(row.name)};
        EXPECT_EQ(options_of(fmt::format("predicates: [{}]", row.name)).predicates, only);
        EXPECT_EQ(options_of(fmt::format("reservation_predicates: {}", row.name)).reservation_predicates, only);
        EXPECT_EQ(unknown_predicate(only), "");
    }
    EXPECT_EQ(unknown_predicate({"NodePorts", "nodeName", "Node"}), "nodeName");
}

TEST(PredicateRows, are_those_of_the_oracle) {
    EXPECT_EQ(oracle::kube_predicate_names(), std::vector<std::string>(kPredicateNames.begin(), kPredicateNames.end()));
}

TEST(PredicateRows, are_on_the_pages_in_their_order) {
    const std::string readme = page("src/predicates/README.md");
    std::size_t at = 0;
    for (const PredicateRow& row : kPredicateRows) {
        at = readme.find(fmt::format("\n| {} |", row.name), at);
        ASSERT_NE(at, std::string::npos) << row.name;
    }
    const std::string rules = page("src/engine/rules/predicates.md");
    for (const PredicateRow& row : kPredicateRows) {
        EXPECT_NE(rules.find(row.name), std::string::npos) << row.name;
    }
}

// Refuses node 0, by its pods: nothing of the asking pod says so.
class RefusesFirst : public Predicate {
public:
    bool depends_on_pods(const Subject&) const override { return true; }
    std::uint64_t filter_cluster(const Subject&, std::uint32_t block, std::uint64_t lanes) const override {
        return block == 0 ? lanes & ~std::uint64_t{1} : lanes;
    }
    Refusal explain(const Subject&, const NodeView& node) const override {
        return raw(node.slot) == 0 ? Refusal{Verdict::unschedulable, {"it is the first"}} : Refusal{};
    }
};

// And does not say so: a fault of a predicate.
class RefusesInSilence final : public RefusesFirst {
    Refusal explain(const Subject&, const NodeView&) const override { return {}; }
};

std::unique_ptr<PredicateSet> only(std::unique_ptr<Predicate> predicate) {
    std::vector<PredicateInForce> predicates;
    predicates.push_back({{.name = "RefusesFirst", .wakes = kPodGone, .parts = kEveryPod}, std::move(predicate)});
    return std::make_unique<PredicateSet>(std::move(predicates));
}

// One node, and an application.
struct EngineOfOnePredicate {
    explicit EngineOfOnePredicate(std::unique_ptr<Predicate> predicate)
        : engine({}, sink, only(std::move(predicate)), make_inline_executor()), shim(engine, "s") {
        shim.node("n1", {{"cpu", 1000}});
        shim.application("app");
    }

    testing::KeepingSink sink;
    Engine engine;
    testing::TestShim shim;
};

TEST(PredicateRows, one_that_says_every_pod_is_asked_of_pods_that_ask_for_nothing_special) {
    EngineOfOnePredicate world(std::make_unique<RefusesFirst>());
    world.shim.ask("p", "app", {{"cpu", 1}});
    EXPECT_EQ(world.engine.run(1), 1u);
    std::string why;
    EXPECT_EQ(world.engine.ask_state("s", "p", &why), "unschedulable");
    EXPECT_EQ(why, "no node takes it: RefusesFirst; woken by: a node added, a node or its holds changed, a pod gone");
    const std::optional<Explanation> explanation = world.engine.explain("s", "p", true);
    ASSERT_TRUE(explanation);
    ASSERT_EQ(explanation->nodes.size(), 1u);
    ASSERT_EQ(explanation->nodes[0].failures.size(), 1u);
    EXPECT_EQ(explanation->nodes[0].failures[0].predicate, "RefusesFirst");
}

TEST(PredicateRows, one_that_refuses_in_silence_is_logged_and_does_not_end_the_engine) {
    EngineOfOnePredicate world(std::make_unique<RefusesInSilence>());
    AskItem running;
    running.key = "running";
    running.application = world.shim.id("app");
    running.node = world.shim.id("n1");
    world.shim.send(AsksMessage{std::span(&running, 1)});
    world.shim.ask("p", "app", {{"cpu", 1}});
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(world.engine.run(1), 1u);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("check of an explanation failed"), std::string::npos);
    EXPECT_EQ(world.engine.ask_state("s", "p"), "unschedulable");
    const std::optional<Explanation> explanation = world.engine.explain("s", "p", true);
    ASSERT_TRUE(explanation);
    EXPECT_NE(explanation->message.find(kNoReasonFound), std::string::npos) << explanation->message;
    world.shim.release("running");
    EXPECT_NE(world.engine.ask_state("s", "p"), "unschedulable") << "any event may help: nobody knows what failed";
    world.shim.node("n2", {{"cpu", 1000}});
    world.engine.run(1);
    EXPECT_EQ(world.engine.ask_state("s", "p"), "unacknowledged") << "it goes on";
}

TEST(ScoreRows, are_at_their_ids_with_names_and_headings_of_their_own) {
    std::set<std::string_view> names;
    std::set<std::string_view> headings;
    for (std::size_t index = 0; index < kScores; ++index) {
        const ScoreRow& row = kScoreRows[index];
        EXPECT_EQ(static_cast<std::size_t>(row.id), index);
        EXPECT_EQ(&row_of(row.id), &row);
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(headings.insert(row.heading).second) << row.heading;
        EXPECT_LE(row.heading.size(), 7u) << "wider than its column";
        EXPECT_EQ(ScoreWeights()[row.id], row.weight) << row.name;
    }
}

TEST(ScoreRows, each_is_made_alone_with_its_weight) {
    for (const ScoreRow& row : kScoreRows) {
        EngineOptions options = without_scores();
        EXPECT_TRUE(make_scores(options).empty());
        EXPECT_TRUE(make_cluster_scores(options).empty());
        options.weights[row.id] = 7;
        const ScoreSet of_nodes = make_scores(options);
        const std::vector<WeightedClusterScore> of_cluster = make_cluster_scores(options);
        ASSERT_EQ(of_nodes.size() + of_cluster.size(), 1u) << row.name;
        EXPECT_EQ(of_nodes.empty() ? of_cluster[0].id : of_nodes[0].id, row.id);
        EXPECT_EQ(of_nodes.empty() ? of_cluster[0].weight : of_nodes[0].weight, 7);
    }
}

TEST(ScoreRows, each_has_a_weight_in_settings_and_a_line_in_the_manual) {
    const std::string manual = config::config_manual();
    for (const ScoreRow& row : kScoreRows) {
        const EngineOptions options = options_of(fmt::format("score_weights: {{{}: 77}}", row.name));
        for (const ScoreRow& other : kScoreRows) {
            EXPECT_EQ(options.weights[other.id], other.id == row.id ? 77 : other.weight)
                << row.name << " " << other.name;
        }
        EXPECT_NE(manual.find(fmt::format("{}: {}", row.name, row.weight)), std::string::npos) << row.name;
        EXPECT_NE(manual.find(row.text), std::string::npos) << row.name;
    }
}

TEST(ScoreRows, are_those_of_the_oracle) {
    std::vector<std::string> names;
    for (const ScoreRow& row : kScoreRows) {
        names.emplace_back(row.name);
    }
    EXPECT_EQ(oracle::kube_score_names(), names);
}

TEST(ScoreRows, are_on_the_pages_with_their_weights) {
    const std::string readme = page("src/scoring/README.md");
    const std::string rules = page("src/engine/rules/scores.md");
    for (const ScoreRow& row : kScoreRows) {
        EXPECT_NE(readme.find(fmt::format("\n| {} ({}) |", row.name, row.weight)), std::string::npos) << row.name;
        EXPECT_NE(rules.find(row.name), std::string::npos) << row.name;
    }
}

}  // namespace
}  // namespace bayplan
