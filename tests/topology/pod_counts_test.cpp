// Sets of pods by selector hold the texts that they are named by.
#include "topology/pod_counts.h"

#include <gtest/gtest.h>

#include "base/text_table.h"
#include "labels/known_texts.h"

namespace bayplan {
namespace {

class PodCountsTest : public ::testing::Test {
protected:
    // The pods of a namespace whose label x is greater than the number.
    SetKey above(Text number) {
        SetKey key;
        key.spread = true;
        key.name_space = name_space_;
        key.selector.requirements = {{label_, LabelOperator::greater, {number}}};
        return key;
    }

    TextTable texts_;
    KnownTexts known_{texts_};
    AskTable asks_;
    SpecTable specs_{texts_};
    TopologyKeys keys_{texts_};
    NodeFilters filters_{texts_, known_, keys_};
    PodCounts counts_{texts_, asks_, specs_, keys_, filters_, false};
    Text name_space_ = texts_.acquire("team");
    Text label_ = texts_.acquire("x");
};

TEST_F(PodCountsTest, a_selector_of_other_words_finds_no_set_whose_object_is_gone) {
    const Text five = texts_.acquire("5");
    const SetId set = counts_.acquire_set(above(five));
    texts_.release(five);  // the object is gone, the set is still in a plan
    const Text seven = texts_.acquire("7");
    const SetId other = counts_.acquire_set(above(seven));
    EXPECT_NE(other, set);
    EXPECT_EQ(texts_.text(five), "5");

    counts_.release(set);
    EXPECT_EQ(texts_.find("5"), kNone<Text>) << "nobody speaks of it any more";
    counts_.release(other);
    EXPECT_EQ(texts_.text(seven), "7");
}

TEST_F(PodCountsTest, a_set_of_terms_holds_their_namespaces_and_selectors) {
    SetKey key;
    TermMatch term;
    term.namespaces = {texts_.acquire("a")};
    term.namespace_selector = LabelSelector{{{texts_.acquire("b"), LabelOperator::exists, {}}}};
    term.selector = LabelSelector{{{texts_.acquire("c"), LabelOperator::in, {texts_.acquire("d")}}}};
    key.terms = {term};
    const SetId set = counts_.acquire_set(key);
    for (const char* const word : {"a", "b", "c", "d"}) {
        texts_.release(texts_.find(word));
        EXPECT_NE(texts_.find(word), kNone<Text>) << word;
    }
    counts_.release(set);
    for (const char* const word : {"a", "b", "c", "d"}) {
        EXPECT_EQ(texts_.find(word), kNone<Text>) << word;
    }
}

}  // namespace
}  // namespace bayplan
