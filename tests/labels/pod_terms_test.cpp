// Namespaces and pods of affinity terms by table; quirk 5 with and without.

#include <gtest/gtest.h>

#include "labels/pod_terms.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;

class PodTerms : public ::testing::Test {
protected:
    PodTerms() {
        table.apply({world.text("dev"), world.labels({{"env", "dev"}})});
        table.apply({world.text("prod"), world.labels({{"env", "prod"}, {"team", "a"}})});
        table.apply({world.text("bare"), {}});
    }

    PodTerm term(std::initializer_list<std::string_view> namespaces, std::optional<LabelSelector> selector) {
        PodTerm made;
        made.namespaces = world.list(namespaces);
        made.namespace_selector = std::move(selector);
        return made;
    }
    // Those of the named namespaces that the term of a pod in `own` means.
    std::string meant(const PodTerm& made, bool quirk, std::string_view own = "own") {
        const NamespaceSet set = namespaces_of(made, world.text(own), table, world.texts, quirk);
        std::string names = set.all ? "all" : "";
        for (const char* name : {"own", "dev", "prod", "bare", "unstated"}) {
            names += !set.all && set.contains(world.text(name)) ? std::string(" ") + name : "";
        }
        return names;
    }
    bool symmetric(const PodTerm& made, std::string_view other) {
        const Text name = world.text(other);
        return means_namespace(made, world.text("own"), name, table.labels(name), world.texts);
    }

    TextWorld world;
    NamespaceTable table;
};

TEST_F(PodTerms, namespaces_of_a_term) {
    const LabelSelector everything;
    const LabelSelector dev = world.equals({{"env", "dev"}});
    const LabelSelector nowhere = world.equals({{"env", "test"}});
    EXPECT_EQ(meant(term({}, {}), false), " own");
    EXPECT_EQ(meant(term({"dev"}, {}), false), " dev") << "the own one only if listed";
    EXPECT_EQ(meant(term({}, everything), false), "all");
    EXPECT_EQ(meant(term({"dev"}, everything), false), "all");
    EXPECT_EQ(meant(term({}, dev), false), " dev");
    EXPECT_EQ(meant(term({"prod", "unstated"}, dev), false), " dev prod unstated");
    EXPECT_EQ(meant(term({}, nowhere), false), "") << "not the own one";
    EXPECT_EQ(meant(term({}, nowhere), true), "");
}

TEST_F(PodTerms, quirk5_negative_selectors) {
    const LabelSelector not_dev{{world.requirement("env", not_in, {"dev"})}};
    const LabelSelector no_team{{world.requirement("team", does_not_exist)}};
    const LabelSelector both_ways{{world.requirement("env", exists), world.requirement("team", does_not_exist)}};
    EXPECT_EQ(meant(term({}, not_dev), false), " prod bare");
    EXPECT_EQ(meant(term({}, not_dev), true), "all");
    EXPECT_EQ(meant(term({}, no_team), false), " dev bare");
    EXPECT_EQ(meant(term({"own"}, no_team), true), "all");
    EXPECT_EQ(meant(term({}, both_ways), false), " dev");
    EXPECT_EQ(meant(term({}, both_ways), true), " dev") << "one positive requirement is enough";
    EXPECT_EQ(meant(term({"dev"}, {}), true), " dev");
    EXPECT_EQ(meant(term({}, {}), true), " own");
}

TEST_F(PodTerms, terms_of_placed_pods_see_the_namespaces_labels) {
    const LabelSelector not_dev{{world.requirement("env", not_in, {"dev"})}};
    EXPECT_TRUE(symmetric(term({}, {}), "own"));
    EXPECT_FALSE(symmetric(term({}, {}), "dev"));
    EXPECT_TRUE(symmetric(term({"dev"}, {}), "dev"));
    EXPECT_FALSE(symmetric(term({"dev"}, {}), "own"));
    EXPECT_FALSE(symmetric(term({}, not_dev), "dev"));
    EXPECT_TRUE(symmetric(term({}, not_dev), "prod"));
    EXPECT_TRUE(symmetric(term({}, not_dev), "unstated")) << "no labels";
    EXPECT_TRUE(symmetric(term({"dev"}, not_dev), "dev")) << "listed or selected";
    EXPECT_TRUE(symmetric(term({}, LabelSelector{}), "unstated"));
}

TEST_F(PodTerms, a_pod_is_meant_by_namespace_and_labels) {
    PodTerm made = term({}, {});
    const NamespaceSet own = namespaces_of(made, world.text("own"), table, world.texts, false);
    const auto web = world.labels({{"app", "web"}});
    EXPECT_FALSE(term_matches(made, own, world.text("own"), web, world.texts)) << "no selector: nothing";
    made.selector = LabelSelector{};
    EXPECT_TRUE(term_matches(made, own, world.text("own"), web, world.texts));
    EXPECT_FALSE(term_matches(made, own, world.text("dev"), web, world.texts));
    made.selector = world.equals({{"app", "web"}});
    EXPECT_TRUE(term_matches(made, own, world.text("own"), web, world.texts));
    EXPECT_FALSE(term_matches(made, own, world.text("own"), world.labels({{"app", "db"}}), world.texts));
}

TEST_F(PodTerms, table_gives_back_what_it_replaces) {
    const auto before = table.apply({world.text("dev"), {{world.text("z"), 0}, {world.text("a"), 0}}});
    ASSERT_TRUE(before.has_value());
    EXPECT_EQ(before->labels, world.labels({{"env", "dev"}}));
    EXPECT_EQ(table.labels(world.text("dev")).size(), 2u);
    EXPECT_EQ(meant(term({}, world.equals({{"env", "dev"}})), false), "");
    EXPECT_TRUE(table.remove(world.text("dev")).has_value());
    EXPECT_FALSE(table.remove(world.text("dev")).has_value());
    EXPECT_TRUE(table.labels(world.text("dev")).empty());
    EXPECT_FALSE(table.apply({world.text("new"), {}}).has_value());
}

}  // namespace
}  // namespace bayplan::testing
