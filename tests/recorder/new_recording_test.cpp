// The file of a recording as it is made: for its owner alone, and there after a crash of the machine.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "recorder/recording_writer.h"
#include "tests/support/synced_folders.h"

namespace bayplan::recorder {
namespace {

namespace fs = std::filesystem;

class NewRecording : public ::testing::Test {
protected:
    NewRecording() {
        std::string pattern = (fs::temp_directory_path() / "bayplan-new-XXXXXX").string();
        EXPECT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    ~NewRecording() override { fs::remove_all(folder_); }

    std::string path() const { return folder_ + "/run"; }
    std::size_t syncs() const { return bayplan::testing::syncs_of_folder(folder_); }
    void record() const {
        std::string error;
        const auto writer = RecordingWriter::open(path(), "", error);
        ASSERT_NE(writer, nullptr) << error;
        writer->finish(0);
    }

private:
    std::string folder_;
};

TEST_F(NewRecording, nobody_else_may_read_it) {
    const mode_t before = umask(0);
    record();
    umask(before);
    EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(NewRecording, its_folder_is_synced) {
    const std::size_t before = syncs();  // of a folder that had its number
    record();
    EXPECT_EQ(syncs(), before + 1);
    record();
    EXPECT_TRUE(fs::exists(path() + ".1")) << "the earlier one has a number";
    EXPECT_EQ(syncs(), before + 2);
}

}  // namespace
}  // namespace bayplan::recorder
