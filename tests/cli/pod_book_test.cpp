// The books of a load: every pod in one state, late answers told apart, nothing counted twice.
#include "cli/pod_book.h"

#include <gmock/gmock.h>

#include "small_load.h"

namespace bayplan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Books : public ::testing::Test {
protected:
    std::uint64_t sum() const {
        std::uint64_t all = 0;
        for (std::size_t state = 0; state < kPodStates; ++state) {
            all += book_.count(static_cast<PodState>(state));
        }
        return all;
    }

    workload::Workload load_ = testing::small_load();
    PodBook book_{load_};
    PodIndex pod_ = 99;
};

TEST_F(Books, follow_a_pod_from_its_ask_to_its_end) {
    EXPECT_EQ(book_.count(PodState::unasked), 4u);
    book_.ask(1, 5);
    EXPECT_EQ(book_.waiting("p1", "no room"), Told::news);
    EXPECT_THAT(book_.reasons(), ElementsAre(Pair("no room", 1)));
    EXPECT_EQ(book_.allocated("p1", "n1", pod_), Told::news);
    EXPECT_EQ(pod_, 1u);
    EXPECT_EQ(book_[1].node, 1u);
    EXPECT_THAT(book_.reasons(), IsEmpty());
    book_.finish(1);
    EXPECT_EQ(book_.count(PodState::finished), 1u);
    EXPECT_EQ(sum(), 4u);
}

TEST_F(Books, pods_that_run_when_the_load_begins_have_their_places) {
    load_.pods[2].runs_on = 1;
    PodBook book(load_);
    EXPECT_EQ(book.count(PodState::placed), 1u);
    EXPECT_EQ(book.count(PodState::unasked), 3u);
    EXPECT_EQ(book[2].node, 1u);
    EXPECT_EQ(book.allocated("p2", "n0", pod_), Told::doubled);
    EXPECT_EQ(book.released("p2", pod_), Told::news);
    book.doom(2);
    book.finish(2);
    EXPECT_EQ(book.count(PodState::finished), 1u);
    EXPECT_THAT(book.overcommitted(), IsEmpty());
}

TEST_F(Books, an_allocation_told_twice_is_doubled_wherever_it_points) {
    book_.ask(0, 0);
    EXPECT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    EXPECT_EQ(book_.allocated("p0", "n0", pod_), Told::doubled);
    EXPECT_EQ(book_.allocated("p0", "n1", pod_), Told::doubled);
    EXPECT_EQ(book_[0].node, 0u);
}

TEST_F(Books, an_allocation_of_what_was_never_asked_for_or_is_gone_is_doubled) {
    EXPECT_EQ(book_.allocated("p0", "n0", pod_), Told::doubled);
    EXPECT_EQ(book_.allocated("stranger", "n0", pod_), Told::doubled);
    book_.ask(0, 0);
    ASSERT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    book_.renew(0);
    book_.ask(0, 0);
    EXPECT_EQ(book_.allocated("p0", "n0", pod_), Told::doubled);
    EXPECT_EQ(book_.allocated("p0~1", "n0", pod_), Told::news);
}

TEST_F(Books, late_answers_about_a_former_incarnation_change_nothing) {
    book_.ask(0, 0);
    ASSERT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    book_.renew(0);
    EXPECT_EQ(book_.key(0), "p0~1");
    book_.ask(0, 0);
    EXPECT_EQ(book_.released("p0", pod_), Told::stale);
    EXPECT_EQ(book_.rejected("p0", "no such ask"), Told::stale);
    EXPECT_EQ(book_.waiting("p0", "no room"), Told::stale);
    EXPECT_EQ(book_[0].state, PodState::asked);
}

TEST_F(Books, a_victim_keeps_its_place_until_it_is_gone) {
    book_.ask(0, 0);
    ASSERT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    EXPECT_EQ(book_.released("p0", pod_), Told::news);
    book_.doom(0);
    EXPECT_EQ(book_[0].state, PodState::placed);
    EXPECT_TRUE(book_[0].doomed);
    book_.renew(0);
    EXPECT_FALSE(book_[0].doomed);
    EXPECT_EQ(book_.key(0), "p0~1");
    book_.ask(0, 0);
    ASSERT_EQ(book_.allocated("p0~1", "n1", pod_), Told::news);
    EXPECT_FALSE(book_[0].doomed);
}

TEST_F(Books, a_refused_place_leaves_the_pod_waiting_until_it_gets_another) {
    book_.ask(0, 0);
    ASSERT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    book_.refuse(0);
    EXPECT_EQ(book_.count(PodState::waiting), 1u);
    EXPECT_EQ(book_[0].node, kNoNode);
    EXPECT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    // And if the node went before the daemon heard of the refusal.
    book_.refuse(0);
    EXPECT_EQ(book_.released("p0", pod_), Told::news);
}

TEST_F(Books, keys_with_a_mark_of_their_own_are_names_first) {
    load_.pods = {{"a", 0}, {"a~1", 0}};
    PodBook book(load_);
    bool current = false;
    EXPECT_EQ(book.find("a~1", current), std::optional<PodIndex>(1));
    EXPECT_TRUE(current);
    EXPECT_EQ(book.find("a~2", current), std::optional<PodIndex>(0));
    EXPECT_FALSE(current);
    EXPECT_EQ(book.find("a~x", current), std::nullopt);
}

TEST_F(Books, a_resync_makes_words_void_and_keeps_places) {
    book_.ask(0, 0);
    book_.ask(1, 0);
    book_.ask(2, 0);
    ASSERT_EQ(book_.allocated("p0", "n0", pod_), Told::news);
    ASSERT_EQ(book_.waiting("p1", "no room"), Told::news);
    ASSERT_EQ(book_.rejected("p2", "too many"), Told::news);
    book_.forget_words();
    EXPECT_EQ(book_.count(PodState::asked), 2u);
    EXPECT_EQ(book_.count(PodState::placed), 1u);
    EXPECT_EQ(book_.count(PodState::unasked), 1u);
}

TEST_F(Books, a_pod_may_get_to_a_node_of_another_shim) {
    book_.ask(0, 0);
    book_.ask(1, 0);
    EXPECT_EQ(book_.allocated("p0", "elsewhere", pod_), Told::news);
    EXPECT_EQ(book_.allocated("p1", "elsewhere", pod_), Told::news);
    EXPECT_EQ(book_.node_name(book_[0].node), "elsewhere");
    EXPECT_EQ(book_[0].node, book_[1].node);
    EXPECT_EQ(book_.find_node("elsewhere"), std::nullopt);
    EXPECT_THAT(book_.overcommitted(), IsEmpty());
}

TEST_F(Books, the_load_finds_out_by_itself_when_a_node_is_overfull) {
    for (PodIndex pod = 0; pod < 3; ++pod) {
        book_.ask(pod, 0);
        ASSERT_EQ(book_.allocated(book_.key(pod), "n0", pod_), Told::news);
        EXPECT_EQ(book_.overcommitted().size(), pod == 2 ? 1u : 0u);
    }
    EXPECT_THAT(book_.overcommitted(), ElementsAre("n0: 200 too much cpu"));
    book_.finish(0);
    EXPECT_THAT(book_.overcommitted(), IsEmpty());
}

}  // namespace
}  // namespace bayplan::cli
