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
    PodCounts counts_{texts_, asks_, specs_, keys_, filters_, false, 10 * kLanes * sizeof(std::int32_t)};
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

// The limit is one column of ten blocks.
TEST_F(PodCountsTest, columns_beyond_the_limit_are_made_anew_with_what_came_meanwhile) {
    constexpr std::size_t kSlots = 10 * kLanes;
    const auto counter_of = [&](const char* value) {
        PodSpec spec;
        spec.name_space = name_space_;
        spec.labels = {{label_, texts_.acquire(value)}};
        const SpecId id = specs_.acquire(std::move(spec));
        counts_.spec_added(id, {});
        SetKey key;
        key.spread = true;
        key.name_space = name_space_;
        key.selector.requirements = {{label_, LabelOperator::in, {texts_.acquire(value)}}};
        return std::pair(id, counts_.acquire({.set = counts_.acquire_set(key)}));
    };
    const auto [spec, counter] = counter_of("1");
    const auto [other_spec, other] = counter_of("2");
    const Slot slot{600};
    counts_.add_pod(spec, slot, false, 1);
    EXPECT_EQ(counts_.by_slot(counter, kSlots)[600], 1);
    counts_.add_pod(spec, slot, false, 1);
    EXPECT_EQ(counts_.by_slot(counter, kSlots)[600], 2);
    counts_.add_pod(other_spec, Slot{601}, false, 1);
    EXPECT_EQ(counts_.by_slot(other, kSlots)[601], 1);

    counts_.forget_columns();
    counts_.add_pod(spec, slot, false, 1);
    counts_.add_pod(spec, Slot{300}, false, 1);
    for (int turn = 0; turn < 3; ++turn) {
        const std::int32_t* const column = counts_.by_slot(counter, kSlots);
        EXPECT_EQ(column[600], 3);
        EXPECT_EQ(column[300], 1);
        EXPECT_EQ(column[601], 0);
        counts_.forget_columns();
        EXPECT_EQ(counts_.by_slot(other, kSlots)[601], 1);
        counts_.forget_columns();
    }
    EXPECT_EQ(counts_.total(counter), 4);
}

}  // namespace
}  // namespace bayplan
