// Numbers of specs: one per content, free once they are forgotten, of equal hashes too.
#include "kube/spec_table.h"

#include <gmock/gmock.h>

#include "kube/texts.h"

namespace bayplan::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The hash does not look at claims on devices, so these share it.
PodSpec spec(Text claim, Text name_space = 1) {
    PodSpec made;
    made.name_space = name_space;
    made.resource_claims.claims.push_back({.entry = 1, .claim = claim});
    return made;
}

TEST(SpecTable, a_number_that_is_forgotten_is_free_and_the_others_of_its_hash_stay) {
    for (const Text gone : {2u, 3u, 4u}) {
        SpecTable table;
        ASSERT_EQ(table.number(spec(2)), 1u);
        ASSERT_EQ(table.number(spec(3)), 2u);
        ASSERT_EQ(table.number(spec(4)), 3u);
        const SpecNumber number = gone - 1;
        table.forget(number);
        EXPECT_EQ(table.in_use(), 2u);
        EXPECT_EQ(table.records()[number - 1].number, 0u);
        for (const Text stays : {2u, 3u, 4u}) {
            if (stays != gone) {
                EXPECT_EQ(table.number(spec(stays)), stays - 1);
            }
        }
        EXPECT_THAT(table.take_renewed(), IsEmpty());
        EXPECT_EQ(table.number(spec(9, 7)), number) << "it means another spec now";
        EXPECT_EQ(table.number(spec(gone)), 4u);
        EXPECT_EQ(table.records()[number - 1].spec, spec(9, 7));
        EXPECT_THAT(table.take_renewed(), ElementsAre(number));
        EXPECT_EQ(table.items(std::vector<SpecNumber>{number, 4}).size(), 2u);
    }
}

TEST(SpecTable, the_last_of_a_hash_may_go) {
    SpecTable table;
    table.forget(table.number(spec(2)));
    EXPECT_THAT(table.items(std::vector<SpecNumber>{1}), IsEmpty());
    EXPECT_EQ(table.number(spec(3)), 1u);
    EXPECT_EQ(table.number(spec(2)), 2u);
}

TEST(Texts, an_id_that_is_forgotten_is_given_to_the_next_text) {
    Texts texts;
    const Text one = texts.id("one");
    const Text two = texts.id("two");
    texts.forget(one);
    EXPECT_EQ(texts.find("one"), 0u);
    EXPECT_TRUE(texts.is_free(one));
    EXPECT_EQ(texts.id("two"), two);
    EXPECT_EQ(texts.in_use(), 1u);
    EXPECT_EQ(texts.id("a text that is longer than a string keeps in itself"), one);
    EXPECT_EQ(texts.find("a text that is longer than a string keeps in itself"), one);
    EXPECT_THAT(texts.take_renewed(), ElementsAre(one));
    EXPECT_EQ(texts.id("one"), 3u);
    EXPECT_THAT(texts.take_renewed(), IsEmpty()) << "told in its turn";
}

}  // namespace
}  // namespace bayplan::kube
