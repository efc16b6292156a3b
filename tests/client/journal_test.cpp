// The journal: flushed entries are there again, with a tail of any form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "client/journal.h"
#include "tests/support/synced_folders.h"

namespace bayplan::client {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JournalFile : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-journal-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
        path_ = directory_ + "/journal";
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::unique_ptr<Journal> open(Journal::Sync sync = Journal::Sync::process) {
        records_.clear();
        error_.clear();
        return Journal::open(
            path_, sync, [this](std::string_view record) { records_.emplace_back(record); }, error_);
    }
    std::string content() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

    std::string directory_;
    std::string path_;
    std::string error_;
    std::vector<std::string> records_;
};

TEST_F(JournalFile, gives_back_what_was_flushed_and_nothing_else) {
    {
        const auto journal = open();
        ASSERT_NE(journal, nullptr) << error_;
        journal->append("one");
        ASSERT_TRUE(journal->flush(error_));
        journal->append("never flushed");
    }
    ASSERT_NE(open(), nullptr);
    EXPECT_THAT(records_, ElementsAre("one"));
}

TEST_F(JournalFile, a_tail_torn_at_any_byte_costs_only_the_record_it_is_in) {
    std::vector<std::string> all;
    std::vector<std::size_t> ends;
    {
        const auto journal = open();
        ASSERT_NE(journal, nullptr) << error_;
        ASSERT_TRUE(journal->flush(error_));
        for (const char* record : {"A\tpod-1\tnode-1", "x", "a somewhat longer record than the others"}) {
            journal->append(record);
            ASSERT_TRUE(journal->flush(error_));
            all.emplace_back(record);
            ends.push_back(content().size());
        }
    }
    const std::string whole = content();
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        write(whole.substr(0, cut));
        const auto journal = open();
        ASSERT_NE(journal, nullptr) << "cut at " << cut << ": " << error_;
        const auto complete =
            static_cast<std::size_t>(std::ranges::count_if(ends, [&](std::size_t end) { return end <= cut; }));
        EXPECT_THAT(records_, ElementsAreArray(all.begin(), all.begin() + complete)) << cut;
        // And it goes on from there.
        journal->append("after");
        ASSERT_TRUE(journal->flush(error_));
    }
    ASSERT_NE(open(), nullptr);
    EXPECT_EQ(records_.size(), 4u);
}

TEST_F(JournalFile, zeros_after_the_last_record_are_a_torn_tail) {
    {
        const auto journal = open();
        journal->append("one");
        ASSERT_TRUE(journal->flush(error_));
    }
    const std::string whole = content();
    write(whole + std::string(100, '\0'));
    const auto journal = open();
    ASSERT_NE(journal, nullptr) << error_;
    EXPECT_THAT(records_, ElementsAre("one"));
    EXPECT_EQ(journal->torn_bytes(), 100u);
}

TEST_F(JournalFile, a_damaged_record_is_not_taken_for_a_torn_tail) {
    {
        const auto journal = open();
        journal->append("one");
        journal->append("two");
        ASSERT_TRUE(journal->flush(error_));
    }
    std::string bytes = content();
    bytes[bytes.find("one")] = 'X';
    write(bytes);
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(error_, HasSubstr("byte 18: record is damaged"));
    EXPECT_EQ(content(), bytes);
}

// The length decides where the next record begins: a flipped bit there must not hide the records behind it.
TEST_F(JournalFile, a_flipped_bit_of_a_header_is_told_and_nothing_is_cut_off) {
    {
        const auto journal = open();
        for (int i = 0; i < 401; ++i) {
            journal->append("record " + std::to_string(i));
        }
        ASSERT_TRUE(journal->flush(error_));
    }
    const std::string whole = content();
    const std::size_t header = whole.find("record 100") - 12;
    for (std::size_t bit = 0; bit < 12 * 8; ++bit) {
        std::string bytes = whole;
        bytes[header + bit / 8] ^= static_cast<char>(1 << (bit % 8));
        write(bytes);
        EXPECT_EQ(open(), nullptr) << "bit " << bit;
        EXPECT_EQ(records_.size(), 100u);
        EXPECT_THAT(error_, HasSubstr("byte " + std::to_string(header) + ": record is damaged"));
        EXPECT_EQ(content(), bytes);
    }
}

TEST_F(JournalFile, the_former_format_is_read_and_written_on) {
    const std::string former = std::string("bayplan journal 1\n") + std::string("\3\0\0\0\xe9\xb2\x94\x2a", 8) + "one";
    write(former);
    {
        const auto journal = open();
        ASSERT_NE(journal, nullptr) << error_;
        EXPECT_THAT(records_, ElementsAre("one"));
        journal->append("two");
        ASSERT_TRUE(journal->flush(error_));
    }
    EXPECT_EQ(content().size(), former.size() + 11);
    ASSERT_NE(open(), nullptr) << error_;
    EXPECT_THAT(records_, ElementsAre("one", "two"));
}

TEST_F(JournalFile, nobody_else_may_read_it) {
    ASSERT_NE(open(), nullptr);
    EXPECT_EQ(std::filesystem::status(path_).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(JournalFile, a_new_one_is_there_after_the_end_of_the_machine) {
    const auto syncs = [this, before = bayplan::testing::syncs_of_folder(directory_)] {
        return bayplan::testing::syncs_of_folder(directory_) - before;
    };
    ASSERT_NE(open(), nullptr) << error_;
    EXPECT_EQ(syncs(), 0u) << "after the end of the process it is there anyway";
    std::filesystem::remove(path_);
    {
        const auto journal = open(Journal::Sync::machine);
        ASSERT_NE(journal, nullptr) << error_;
        EXPECT_EQ(syncs(), 1u);
        journal->append("one");
        ASSERT_TRUE(journal->flush(error_)) << error_;
    }
    ASSERT_NE(open(Journal::Sync::machine), nullptr) << error_;
    EXPECT_EQ(syncs(), 1u) << "it was there";
}

TEST_F(JournalFile, another_file_is_left_alone) {
    write("some notes of somebody, longer than the magic line\n");
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(error_, HasSubstr("is not a journal"));
    write("notes");
    EXPECT_EQ(open(), nullptr);
    EXPECT_EQ(content(), "notes");
}

TEST_F(JournalFile, two_processes_cannot_write_one_journal) {
    const auto first = open();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(error_, HasSubstr("in use"));
    EXPECT_THAT(records_, IsEmpty());
}

TEST_F(JournalFile, a_full_disk_is_told) {
    path_ = "/dev/full";
    if (!std::filesystem::exists(path_)) {
        GTEST_SKIP() << "no /dev/full here";
    }
    const auto journal = open();
    ASSERT_NE(journal, nullptr) << error_;
    journal->append("one");
    EXPECT_FALSE(journal->flush(error_));
    EXPECT_THAT(error_, HasSubstr("No space left"));
}

}  // namespace
}  // namespace bayplan::client
