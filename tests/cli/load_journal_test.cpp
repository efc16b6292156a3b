// The journal of a load gives the books back as they were acknowledged.
#include "cli/load_journal.h"

#include <gmock/gmock.h>

#include "small_load.h"

namespace bayplan::cli {
namespace {

using ::testing::HasSubstr;

class LoadJournalFile : public testing::InDirectory {
protected:
    std::unique_ptr<LoadJournal> open(PodBook& book) {
        lost_.clear();
        error_.clear();
        return LoadJournal::open(directory_ + "/journal", client::Journal::Sync::process, book, lost_, error_);
    }

    workload::Workload load_ = testing::small_load();
    std::set<NodeIndex> lost_;
    std::string error_;
};

TEST_F(LoadJournalFile, restores_places_ends_and_lost_nodes) {
    {
        PodBook book(load_);
        const auto journal = open(book);
        ASSERT_NE(journal, nullptr) << error_;
        journal->allocated("p0", "n0", "gpu=0+1,nic=3");
        journal->allocated("p1", "n1", "gpu=2");
        journal->gone("p1");
        journal->allocated("p1~1", "n0", "");
        journal->allocated("p2", "n1", "");
        journal->allocated("p3", "n0", "");
        journal->finished("p3");
        journal->node_lost("n1");
        ASSERT_TRUE(journal->flush(error_));
    }
    PodBook book(load_);
    ASSERT_NE(open(book), nullptr) << error_;
    EXPECT_EQ(book[0].state, PodState::placed);
    EXPECT_EQ(book.devices(0), "gpu=0+1,nic=3");
    EXPECT_EQ(book[1].state, PodState::placed);
    EXPECT_EQ(book.devices(1), "") << "of its former place";
    EXPECT_EQ(book.key(1), "p1~1");
    // Its node went before the daemon could say so: asked for under a new key.
    EXPECT_EQ(book[2].state, PodState::unasked);
    EXPECT_EQ(book.key(2), "p2~1");
    EXPECT_EQ(book[3].state, PodState::finished);
    EXPECT_TRUE(lost_.contains(1));
}

TEST_F(LoadJournalFile, of_another_load_is_refused) {
    {
        PodBook book(load_);
        ASSERT_NE(open(book), nullptr);
    }
    load_.pods.pop_back();
    PodBook book(load_);
    EXPECT_EQ(open(book), nullptr);
    EXPECT_THAT(error_, HasSubstr("belongs to another load"));
}

TEST_F(LoadJournalFile, that_names_unknown_pods_is_refused_with_the_record) {
    {
        PodBook book(load_);
        const auto journal = open(book);
        journal->allocated("p0", "n0", "");
        journal->allocated("stranger", "n0", "");
        ASSERT_TRUE(journal->flush(error_));
    }
    PodBook book(load_);
    EXPECT_EQ(open(book), nullptr);
    EXPECT_THAT(error_, HasSubstr("record 3 (`A\tstranger\tn0`) makes no sense"));
}

}  // namespace
}  // namespace bayplan::cli
