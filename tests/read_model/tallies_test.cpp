// Counts of events only grow, however queues and applications come and go, and through a snapshot after a loss.
#include <gtest/gtest.h>

#include "read_model/tallies.h"

namespace bayplan::read_model {
namespace {

std::size_t kept(Tallies& tallies) {
    std::size_t count = 0;
    tallies.freeze().for_each([&](std::uint32_t, const QueueTally&) { ++count; });
    return count;
}

TEST(Tallies, are_kept_while_the_queue_is_there_or_an_application_is_in_it) {
    Tallies tallies;
    const std::uint32_t a = tallies.join("root.a");
    EXPECT_EQ(tallies.join("root.a"), a);
    tallies.enter_node(a, 3);
    tallies.leave_node(a, 2);
    tallies.complete(a);
    const ChunkView<QueueTally> view = tallies.freeze();
    EXPECT_EQ(*view.find(a)->queue, "root.a");
    EXPECT_EQ(view.find(a)->placed, 3u);
    EXPECT_EQ(view.find(a)->on_nodes, 1u);
    EXPECT_EQ(view.find(a)->completed, 1u);
    tallies.queue_is_there("root.a");
    tallies.leave_node(a, 1);
    tallies.leave(a);
    tallies.leave(a);
    EXPECT_EQ(kept(tallies), 1u);
    tallies.queue_is_gone("root.a");
    EXPECT_EQ(kept(tallies), 0u);
    EXPECT_EQ(tallies.partition().placed_where_gone, 3u);
    // Its number is free for another, which begins at nothing.
    EXPECT_EQ(tallies.join("root.b"), a);
    EXPECT_EQ(tallies.freeze().find(a)->placed, 0u);
    EXPECT_EQ(view.find(a)->placed, 3u);  // a version stays as it is
}

TEST(Tallies, the_one_leaf_is_never_forgotten) {
    Tallies tallies;
    const std::uint32_t leaf = tallies.join("");
    tallies.complete(leaf);
    tallies.leave(leaf);
    EXPECT_EQ(tallies.join(""), leaf);
    EXPECT_EQ(tallies.freeze().find(leaf)->completed, 1u);
}

TEST(Tallies, a_snapshot_counts_what_shows_in_the_end_and_nothing_twice) {
    Tallies tallies;
    const std::uint32_t a = tallies.join("root.a");
    const std::uint32_t b = tallies.join("root.b");
    const std::uint32_t gone = tallies.join("root.gone");
    tallies.enter_node(a, 5);
    tallies.enter_node(b, 5);
    tallies.enter_node(gone, 1);
    for (int cut_short = 1; cut_short >= 0; --cut_short) {
        tallies.begin_again();
        EXPECT_EQ(tallies.join("root.a"), a);
        EXPECT_EQ(tallies.join("root.b"), b);
        tallies.enter_node(a, 7);
        if (cut_short == 0) tallies.enter_node(b, 2);
    }
    tallies.end_again();
    const ChunkView<QueueTally> view = tallies.freeze();
    EXPECT_EQ(view.find(a)->placed, 7u);  // two more than before
    EXPECT_EQ(view.find(a)->on_nodes, 7u);
    EXPECT_EQ(view.find(b)->placed, 5u);  // three went
    EXPECT_EQ(view.find(b)->on_nodes, 2u);
    EXPECT_FALSE(view.find(gone)->in_use());
    tallies.enter_node(a, 1);
    EXPECT_EQ(tallies.freeze().find(a)->placed, 8u);
}

}  // namespace
}  // namespace bayplan::read_model
