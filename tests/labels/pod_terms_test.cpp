// Namespaces and pods of affinity terms by table; with and without the fault of R-PREDICATE-15.

#include <gtest/gtest.h>

#include "labels/pod_terms.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;

class PodTerms : public ::testing::Test {
protected:
    PodTerms() {
        for (TermMatcher* matcher : {&right, &faulty}) {
            set(*matcher, "dev", {{"env", "dev"}});
            set(*matcher, "prod", {{"env", "prod"}, {"team", "a"}});
            set(*matcher, "bare", {});
        }
    }

    bool set(TermMatcher& matcher, std::string_view name,
             std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
        const std::vector<Label> labels = world.labels(pairs);
        return matcher.set_namespace(world.text(name), &labels);
    }

    TermMatch term(std::initializer_list<std::string_view> namespaces, std::optional<LabelSelector> selector) {
        PodTerm made;
        made.namespaces = world.list(namespaces);
        made.namespace_selector = std::move(selector);
        return match_of(made, world.text("own"));
    }
    // The namespaces that the term of a pod in `own` means.
    std::string meant(const TermMatcher& matcher, const TermMatch& match, bool incoming) {
        std::string names;
        for (const char* name : {"own", "dev", "prod", "bare", "unstated"}) {
            names += matcher.means_namespace(match, world.text(name), incoming) ? std::string(" ") + name : "";
        }
        return names;
    }
    std::string meant(const TermMatch& match) { return meant(right, match, true); }
    std::string meant_with_fault(const TermMatch& match) { return meant(faulty, match, true); }
    std::string meant_by_placed(const TermMatch& match) {
        EXPECT_EQ(meant(right, match, false), meant(faulty, match, false)) << "the fault is the incoming pod's";
        return meant(right, match, false);
    }
    bool means(const TermMatch& match, std::string_view name_space, std::vector<Label> labels) {
        PodSpec other;
        other.name_space = world.text(name_space);
        other.labels = std::move(labels);
        return right.means(match, other, true);
    }

    TextWorld world;
    TermMatcher right{world.texts, false};
    TermMatcher faulty{world.texts, true};
    static constexpr const char* kAll = " own dev prod bare unstated";
};

TEST_F(PodTerms, namespaces_of_a_term) {
    const LabelSelector everything;
    const LabelSelector dev = world.equals({{"env", "dev"}});
    const LabelSelector nowhere = world.equals({{"env", "test"}});
    EXPECT_EQ(meant(term({}, {})), " own");
    EXPECT_EQ(meant(term({"dev"}, {})), " dev") << "the own one only if listed";
    EXPECT_EQ(meant(term({}, everything)), kAll);
    EXPECT_EQ(meant(term({"dev"}, everything)), kAll);
    EXPECT_EQ(meant(term({}, dev)), " dev");
    EXPECT_EQ(meant(term({"unstated", "prod"}, dev)), " dev prod unstated");
    EXPECT_EQ(meant(term({}, nowhere)), "") << "not the own one";
    EXPECT_EQ(meant_with_fault(term({}, nowhere)), "");
}

TEST_F(PodTerms, negative_selectors) {
    const LabelSelector not_dev{{world.requirement("env", not_in, {"dev"})}};
    const LabelSelector no_team{{world.requirement("team", does_not_exist)}};
    const LabelSelector both_ways{{world.requirement("env", exists), world.requirement("team", does_not_exist)}};
    EXPECT_EQ(meant(term({}, not_dev)), " prod bare");
    EXPECT_EQ(meant_with_fault(term({}, not_dev)), kAll);
    EXPECT_EQ(meant(term({}, no_team)), " dev bare");
    EXPECT_EQ(meant_with_fault(term({"own"}, no_team)), kAll);
    EXPECT_EQ(meant(term({}, both_ways)), " dev");
    EXPECT_EQ(meant_with_fault(term({}, both_ways)), " dev") << "one positive requirement is enough";
    EXPECT_EQ(meant_with_fault(term({"dev"}, {})), " dev");
    EXPECT_EQ(meant_with_fault(term({}, {})), " own");
}

TEST_F(PodTerms, terms_of_placed_pods_see_the_namespaces_labels) {
    const LabelSelector not_dev{{world.requirement("env", not_in, {"dev"})}};
    EXPECT_EQ(meant_by_placed(term({}, {})), " own");
    EXPECT_EQ(meant_by_placed(term({"dev"}, {})), " dev");
    EXPECT_EQ(meant_by_placed(term({}, not_dev)), " own prod bare unstated") << "what nobody stated has no labels";
    EXPECT_EQ(meant_by_placed(term({"dev"}, not_dev)), kAll) << "listed or selected";
    EXPECT_EQ(meant_by_placed(term({}, LabelSelector{})), kAll);
}

TEST_F(PodTerms, a_pod_is_meant_by_namespace_and_labels) {
    TermMatch match = term({}, {});
    const auto web = world.labels({{"app", "web"}});
    EXPECT_FALSE(means(match, "own", web)) << "no selector: nothing";
    match.selector = LabelSelector{};
    EXPECT_TRUE(means(match, "own", web));
    EXPECT_FALSE(means(match, "dev", web));
    match.selector = world.equals({{"app", "web"}});
    EXPECT_TRUE(means(match, "own", web));
    EXPECT_FALSE(means(match, "own", world.labels({{"app", "db"}})));
}

TEST_F(PodTerms, namespaces_as_they_are_now) {
    EXPECT_TRUE(set(right, "dev", {{"env", "prod"}}));
    EXPECT_FALSE(set(right, "dev", {{"env", "prod"}})) << "it is so already";
    EXPECT_TRUE(right.set_namespace(world.text("prod"), nullptr));
    EXPECT_FALSE(right.set_namespace(world.text("prod"), nullptr));
    EXPECT_EQ(meant(term({}, world.equals({{"env", "dev"}}))), "");
    EXPECT_EQ(meant(term({}, world.equals({{"env", "prod"}}))), " dev");
}

}  // namespace
}  // namespace bayplan::testing
