// Sets of pods by selector hold the texts that they are named by, and know their specs whenever somebody is about to look.
#include "topology/pod_counts.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/text_table.h"
#include "labels/known_texts.h"
#include "tests/property/random.h"

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
    LabelCarriers carriers_;
    TopologyKeys keys_{texts_, carriers_};
    NodeFilters filters_{texts_, known_, keys_};
    PodCounts counts_{texts_, asks_, specs_, keys_, filters_, false, 10 * kLanes * sizeof(std::int32_t), 100};
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

// Preemption asks for each of them whether pods that go are all that had it (preemption/obstacles.h).
TEST_F(PodCountsTest, equal_terms_of_a_spec_are_counted_each_alone) {
    PodTerm term;
    term.topology_key = texts_.acquire("zone");
    term.selector = LabelSelector{{{label_, LabelOperator::exists, {}}}};
    PodSpec spec;
    spec.anti_affinity = {term, term, term};
    const SpecId id = specs_.acquire(std::move(spec));
    const FactsBySlot facts(kLanes, std::make_shared<const NodeFacts>());
    counts_.spec_added(id, facts);
    std::set<std::uint32_t> occurrences;
    counts_.for_each_term([&](TermId, const PodCounts::Term& one) { occurrences.insert(one.key.occurrence); });
    EXPECT_EQ(occurrences, (std::set<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(counts_.terms_about(specs_[id]).size(), 3u);
}

// A requirement for one of no labels means nobody.
TEST_F(PodCountsTest, terms_that_want_one_of_no_labels_come_and_go) {
    PodTerm term;
    term.topology_key = texts_.acquire("zone");
    term.selector = LabelSelector{{{label_, LabelOperator::in, {}}}};
    PodSpec spec;
    spec.anti_affinity = {term, term};
    const SpecId id = specs_.acquire(std::move(spec));
    counts_.spec_added(id, FactsBySlot(kLanes, std::make_shared<const NodeFacts>()));
    EXPECT_TRUE(counts_.terms_about(specs_[id]).empty());
    counts_.spec_going(id);
    std::size_t left = 0;
    counts_.for_each_term([&](TermId, const PodCounts::Term&) { ++left; });
    EXPECT_EQ(left, 0u);
}

// A set that forgot its members counts others later, without a look at each: searches may not stand then.
TEST_F(PodCountsTest, a_namespace_that_changes_while_a_set_has_forgotten_counts_as_a_recount) {
    const auto space_of = [&](std::uint64_t number) { return texts_.acquire("n" + std::to_string(number)); };
    for (std::uint64_t number = 0; number < 150; ++number) {
        PodSpec spec;
        spec.name_space = space_of(number);
        counts_.spec_added(specs_.acquire(std::move(spec)), {});
    }
    SetKey key;
    TermMatch term;
    term.selector = LabelSelector{};
    term.namespace_selector = LabelSelector{};
    key.terms = {term};
    const SetId set = counts_.acquire_set(key);
    counts_.acquire({.set = set});
    ASSERT_EQ(counts_.members(), 150u);
    counts_.forget_sets();
    ASSERT_EQ(counts_.members(), 0u);
    const std::uint64_t before = counts_.recounts();
    const std::vector<Label> labels;
    counts_.set_namespace(space_of(1), &labels);
    counts_.update(set);
    EXPECT_EQ(counts_.members(), 150u);
    EXPECT_GT(counts_.recounts(), before);
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

// Specs come and go, namespaces change, members are forgotten (at most 100 are kept): a set that was updated counts the pods of
// each spec that belongs to it, found by a look at all of them.
class SetsAtRandom : public PodCountsTest {
protected:
    static constexpr std::size_t kSets = 30;

    Text text(const char* prefix, std::uint64_t number) { return texts_.acquire(prefix + std::to_string(number)); }
    std::vector<Label> some_labels() {
        std::vector<Label> labels;
        for (const Text key : {text("k", 1), text("k", 2), text("k", 3)}) {
            if (random_.chance(60)) labels.push_back({key, text("v", random_.below(4))});
        }
        std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
        return labels;
    }
    LabelSelector some_selector() {
        LabelSelector selector;
        for (std::size_t left = random_.below(3); left > 0; --left) {
            const Text key = text("k", 1 + random_.below(3));
            if (random_.chance(70)) {
                selector.requirements.push_back(
                    {key, LabelOperator::in, {text("v", random_.below(4)), text("v", random_.below(4))}});
            } else {
                selector.requirements.push_back({key, LabelOperator::exists, {}});
            }
        }
        return selector;
    }
    SetKey some_set() {
        SetKey key;
        if (random_.chance(30)) {
            key.spread = true;
            key.name_space = text("n", random_.below(5));
            key.selector = some_selector();
            return key;
        }
        TermMatch term;
        term.selector = some_selector();
        if (random_.chance(60)) {
            term.namespace_selector = some_selector();
        } else {
            term.namespaces = {text("n", random_.below(5))};
        }
        key.terms = {term};
        return key;
    }
    void add_spec() {
        PodSpec spec;
        spec.name_space = text("n", random_.below(5));
        spec.labels = some_labels();
        spec.images = {text("i", ++made_)};  // no two alike
        const SpecId id = specs_.acquire(std::move(spec));
        counts_.spec_added(id, {});
        alive_.push_back(id);
        add_pods(id);
    }
    void add_pods(SpecId id) {
        for (std::size_t left = random_.below(3); left > 0; --left) {
            const AskId pod = asks_.add("pod", ++made_);
            asks_[pod].slot = static_cast<Slot>(random_.below(100));
            specs_.pods(id).push_back(asks_, pod);
            counts_.add_pod(id, asks_[pod].slot, false, +1);
        }
    }
    void remove_spec() {
        const std::size_t at = random_.below(alive_.size());
        const SpecId id = alive_[at];
        auto& pods = specs_.pods(id);
        while (!pods.empty()) {
            const AskId pod = pods.front();
            counts_.add_pod(id, asks_[pod].slot, false, -1);
            pods.remove(asks_, pod);
            asks_.remove(pod);
        }
        counts_.spec_going(id);
        specs_.release(id);
        alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    void change_namespace() {
        const std::vector<Label> labels = some_labels();
        counts_.set_namespace(text("n", random_.below(5)), random_.chance(20) ? nullptr : &labels);
    }
    std::int64_t pods_by_a_look_at_all(const SetKey& key) {
        std::int64_t sum = 0;
        for (const SpecId id : alive_) {
            const PodSpec& spec = specs_[id];
            const bool belongs = key.spread
                                     ? spec.name_space == key.name_space && matches(key.selector, spec.labels, texts_)
                                     : counts_.matcher().means(key.terms.front(), spec, false);
            for (AskId pod = specs_.pods(id).front(); belongs && pod != kNone<AskId>;
                 pod = specs_.pods(id).next(asks_, pod)) {
                ++sum;
            }
        }
        return sum;
    }

    property::Random random_{7};
    std::uint64_t made_ = 0;
    std::vector<SpecId> alive_;
};

TEST_F(SetsAtRandom, count_what_a_look_at_all_specs_finds) {
    std::vector<SetKey> keys;
    std::vector<std::pair<SetId, CounterId>> sets;
    for (std::size_t made = 0; made < kSets; ++made) {
        keys.push_back(some_set());
        const SetId set = counts_.acquire_set(keys.back());
        sets.emplace_back(set, counts_.acquire({.set = set}));
    }
    std::int64_t seen = 0;
    for (int step = 0; step < 3'000; ++step) {
        counts_.forget_sets();
        const std::uint64_t dice = random_.below(10);
        if (dice < 5 || alive_.size() < 10) {
            add_spec();
        } else if (dice < 7) {
            remove_spec();
        } else {
            for (std::size_t left = random_.chance(10) ? 100 : 1; left > 0; --left) change_namespace();
        }
        const std::size_t at = random_.below(kSets);
        counts_.update(sets[at].first);
        ASSERT_EQ(counts_.total(sets[at].second), pods_by_a_look_at_all(keys[at])) << "step " << step << ", set " << at;
        seen += counts_.total(sets[at].second);
        ASSERT_LE(counts_.members(), 100 + alive_.size()) << "the set in hand may have more than the limit";
    }
    EXPECT_GT(seen, 10'000);
}

}  // namespace
}  // namespace bayplan
