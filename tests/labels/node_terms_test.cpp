// Node affinity by table: terms, terms that do not parse, narrowing by name.

#include <gtest/gtest.h>

#include "labels/node_terms.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;
using Kind = NodeNameSet::Kind;

class NodeTerms : public ::testing::Test {
protected:
    LabelRequirement label(std::string_view key, LabelOperator op,
                           std::initializer_list<std::string_view> values = {}) {
        return world.requirement(key, op, values);
    }
    LabelRequirement field(LabelOperator op, std::initializer_list<std::string_view> names,
                           std::string_view key = "metadata.name") {
        return world.requirement(key, op, names);
    }
    bool required(std::vector<NodeTerm> terms) {
        PodSpec spec;
        spec.required_nodes = std::move(terms);
        return required_nodes_match(spec, node, world.known, world.texts);
    }
    std::int64_t weight_of(std::vector<WeightedNodeTerm> terms) {
        PodSpec spec;
        spec.preferred_nodes = std::move(terms);
        return preferred_nodes_weight(spec, node, world.known, world.texts);
    }
    NodeNameSet narrowed(std::vector<NodeTerm> terms) {
        PodSpec spec;
        spec.required_nodes = std::move(terms);
        return names_from_fields(spec, world.known);
    }
    std::vector<Text> sorted(std::initializer_list<std::string_view> names) {
        std::vector<Text> ids = world.list(names);
        std::sort(ids.begin(), ids.end());
        return ids;
    }

    TextWorld world;
    NodeFacts node = world.node("n1", {{"disk", "ssd"}, {"size", "6"}, {"rack", "r1"}});
};

TEST_F(NodeTerms, node_selector_needs_every_pair) {
    PodSpec spec;
    EXPECT_TRUE(required_nodes_match(spec, node, world.known, world.texts));
    EXPECT_FALSE(restricts_nodes(spec));
    spec.node_selector = world.labels({{"disk", "ssd"}, {"rack", "r1"}});
    EXPECT_TRUE(restricts_nodes(spec));
    EXPECT_TRUE(required_nodes_match(spec, node, world.known, world.texts));
    spec.node_selector = world.labels({{"disk", "ssd"}, {"rack", "r2"}});
    EXPECT_FALSE(required_nodes_match(spec, node, world.known, world.texts));
    spec.node_selector = world.labels({{"zone", "a"}});
    EXPECT_FALSE(required_nodes_match(spec, node, world.known, world.texts));
}

TEST_F(NodeTerms, node_selector_and_affinity_both_hold) {
    PodSpec spec;
    spec.node_selector = world.labels({{"disk", "ssd"}});
    spec.required_nodes = std::vector<NodeTerm>{{.labels = {label("rack", in, {"r1"})}, .fields = {}}};
    EXPECT_TRUE(required_nodes_match(spec, node, world.known, world.texts));
    spec.required_nodes->front().labels.front() = label("rack", in, {"r2"});
    EXPECT_FALSE(required_nodes_match(spec, node, world.known, world.texts));
    spec.required_nodes->front().labels.front() = label("rack", in, {"r1"});
    spec.node_selector = world.labels({{"disk", "hdd"}});
    EXPECT_FALSE(required_nodes_match(spec, node, world.known, world.texts));
}

TEST_F(NodeTerms, terms_are_alternatives) {
    EXPECT_FALSE(required({})) << "no terms: nothing";
    EXPECT_FALSE(required({NodeTerm{}})) << "an empty term: nothing";
    const NodeTerm yes{.labels = {label("disk", in, {"ssd"})}, .fields = {}};
    const NodeTerm no{.labels = {label("disk", in, {"hdd"})}, .fields = {}};
    EXPECT_TRUE(required({no, yes}));
    EXPECT_TRUE(required({NodeTerm{}, yes}));
    EXPECT_FALSE(required({no, NodeTerm{}}));
    EXPECT_TRUE(required({{.labels = {label("disk", in, {"ssd"}), label("size", greater, {"5"})}, .fields = {}}}));
    EXPECT_FALSE(required({{.labels = {label("disk", in, {"ssd"}), label("size", greater, {"6"})}, .fields = {}}}));
}

TEST_F(NodeTerms, fields_and_labels_both_hold) {
    EXPECT_TRUE(required({{.labels = {}, .fields = {field(in, {"n1"})}}}));
    EXPECT_FALSE(required({{.labels = {}, .fields = {field(in, {"n2"})}}}));
    EXPECT_TRUE(required({{.labels = {}, .fields = {field(not_in, {"n2"})}}}));
    EXPECT_FALSE(required({{.labels = {}, .fields = {field(not_in, {"n1"})}}}));
    EXPECT_TRUE(required({{.labels = {label("disk", exists)}, .fields = {field(in, {"n1"})}}}));
    EXPECT_FALSE(required({{.labels = {label("gpu", exists)}, .fields = {field(in, {"n1"})}}}));
    EXPECT_FALSE(required({{.labels = {label("disk", exists)}, .fields = {field(in, {"n2"})}}}));
    EXPECT_FALSE(required({{.labels = {}, .fields = {field(in, {"n1"}), field(not_in, {"n1"})}}}));
    EXPECT_FALSE(required({{.labels = {}, .fields = {field(in, {"n1"}, "metadata.namespace")}}})) << "always empty";
    EXPECT_TRUE(required({{.labels = {}, .fields = {field(not_in, {"n1"}, "metadata.namespace")}}}));
}

TEST_F(NodeTerms, what_does_not_parse_matches_nothing) {
    const std::pair<const char*, NodeTerm> cases[] = {
        {"field: two values", {.labels = {}, .fields = {field(in, {"n1", "n2"})}}},
        {"field: no value", {.labels = {}, .fields = {field(in, {})}}},
        {"field: not_in with two", {.labels = {}, .fields = {field(not_in, {"n2", "n3"})}}},
        {"field: exists", {.labels = {}, .fields = {field(exists, {})}}},
        {"in without values", {.labels = {label("disk", in)}, .fields = {}}},
        {"not_in without values", {.labels = {label("gpu", not_in)}, .fields = {}}},
        {"exists with a value", {.labels = {label("disk", exists, {"ssd"})}, .fields = {}}},
        {"does_not_exist with a value", {.labels = {label("gpu", does_not_exist, {"x"})}, .fields = {}}},
        {"greater: two values", {.labels = {label("size", greater, {"1", "2"})}, .fields = {}}},
        {"greater: no integer", {.labels = {label("size", greater, {"a"})}, .fields = {}}},
        {"greater: negative is no label value", {.labels = {label("size", greater, {"-5"})}, .fields = {}}},
        {"less: signed is no label value", {.labels = {label("size", less, {"+9"})}, .fields = {}}},
        {"not_in: a value no label may have", {.labels = {label("disk", not_in, {"a b"})}, .fields = {}}},
        {"in: beside a good value", {.labels = {label("disk", in, {"ssd", "-"})}, .fields = {}}},
        {"a key no label may have", {.labels = {label("a b", does_not_exist)}, .fields = {}}},
    };
    const NodeTerm yes{.labels = {label("disk", in, {"ssd"})}, .fields = {}};
    for (const auto& [why, term] : cases) {
        EXPECT_FALSE(parses(term, world.texts)) << why;
        EXPECT_FALSE(required({term})) << why;
        EXPECT_TRUE(required({term, yes})) << why << ": the other term still counts";
        EXPECT_EQ(weight_of({{.weight = 5, .term = term}}), 0) << why;
    }
    EXPECT_TRUE(parses(yes, world.texts));
}

TEST_F(NodeTerms, without_a_name_fields_are_not_looked_at) {
    const std::vector<NodeTerm> terms{{.labels = {label("disk", exists)}, .fields = {field(in, {"n2"})}}};
    EXPECT_TRUE(any_term_matches(terms, node.labels, 0, world.known, world.texts));
    EXPECT_FALSE(any_term_matches(terms, node.labels, node.name, world.known, world.texts));
    const std::vector<NodeTerm> faulty{{.labels = {label("disk", exists)}, .fields = {field(in, {"a", "b"})}}};
    EXPECT_FALSE(any_term_matches(faulty, node.labels, 0, world.known, world.texts));
}

TEST_F(NodeTerms, preferred_weights_add) {
    const NodeTerm yes{.labels = {label("disk", in, {"ssd"})}, .fields = {}};
    const NodeTerm no{.labels = {label("disk", in, {"hdd"})}, .fields = {}};
    const NodeTerm by_name{.labels = {}, .fields = {field(in, {"n1"})}};
    EXPECT_EQ(weight_of({}), 0);
    EXPECT_EQ(weight_of({{3, yes}, {4, no}, {5, by_name}}), 8);
    EXPECT_EQ(weight_of({{3, NodeTerm{}}, {0, yes}}), 0);
}

TEST_F(NodeTerms, preferred_terms_that_do_not_parse_weigh_nothing) {
    const NodeTerm yes{.labels = {label("disk", in, {"ssd"})}, .fields = {}};
    const NodeTerm fault{.labels = {label("size", greater, {"-5"})}, .fields = {}};
    EXPECT_EQ(weight_of({{7, fault}}), 0);
    EXPECT_EQ(weight_of({{7, fault}, {3, yes}}), 3) << "the others count";
}

TEST_F(NodeTerms, narrowing_by_name) {
    EXPECT_EQ(names_from_fields(PodSpec{}, world.known).kind, Kind::all);
    EXPECT_EQ(narrowed({}).kind, Kind::all);
    const NodeTerm n1{.labels = {}, .fields = {field(in, {"n1"})}};
    const NodeTerm n2{.labels = {label("disk", exists)}, .fields = {field(in, {"n2"})}};
    const NodeTerm any{.labels = {label("disk", exists)}, .fields = {}};
    const NodeTerm negative{.labels = {}, .fields = {field(not_in, {"n1"})}};
    const NodeTerm conflict{.labels = {}, .fields = {field(in, {"n1"}), field(in, {"n2"})}};
    const NodeTerm two{.labels = {}, .fields = {field(in, {"n1", "n2"})}};
    EXPECT_EQ(narrowed({n1}).kind, Kind::names);
    EXPECT_EQ(narrowed({n1}).names, sorted({"n1"}));
    EXPECT_EQ(narrowed({n2, n1, n2}).names, sorted({"n1", "n2"}));
    EXPECT_EQ(narrowed({n1, any}).kind, Kind::all) << "a term without a name opens all";
    EXPECT_EQ(narrowed({n1, NodeTerm{}}).kind, Kind::all) << "an empty one too";
    EXPECT_EQ(narrowed({negative}).kind, Kind::all);
    EXPECT_EQ(narrowed({conflict}).kind, Kind::conflict);
    EXPECT_EQ(narrowed({conflict, n2}).names, sorted({"n2"}));
    EXPECT_EQ(narrowed({two}).names, sorted({"n1", "n2"})) << "all values count here, though the term matches nothing";
    EXPECT_EQ(narrowed({{.labels = {}, .fields = {field(in, {"n1", "n2"}), field(in, {"n2", "n3"})}}}).names,
              sorted({"n2"}));
    EXPECT_EQ(narrowed({{.labels = {}, .fields = {field(in, {"n1"}, "metadata.namespace")}}}).kind, Kind::all);
}

}  // namespace
}  // namespace bayplan::testing
