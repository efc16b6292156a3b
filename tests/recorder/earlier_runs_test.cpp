// Recordings of earlier runs: their numbers, and which of them go when there are too many.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "recorder/earlier_runs.h"

namespace bayplan::recorder {
namespace {

namespace fs = std::filesystem;

class EarlierRuns : public ::testing::Test {
protected:
    EarlierRuns() {
        std::string pattern = (fs::temp_directory_path() / "bayplan-runs-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~EarlierRuns() override { fs::remove_all(folder_); }

    std::string path() const { return folder_ / "run"; }
    // One of so many bytes, that ended so long ago.
    void put_run(const char* name, std::size_t bytes, std::chrono::seconds ago) const {
        std::ofstream(folder_ / name) << std::string(bytes, 'x');
        fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - ago);
    }
    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& file : fs::directory_iterator(folder_)) {
            all.insert(file.path().filename().string());
        }
        return all;
    }
    using Names = std::set<std::string>;

private:
    fs::path folder_;
};

TEST_F(EarlierRuns, the_oldest_go_when_there_are_too_many) {
    put_run("run.7", 10, std::chrono::hours(72));
    put_run("run.8", 10, std::chrono::hours(48));
    put_run("run", 10, std::chrono::hours(24));
    put_run("run.note", 10, std::chrono::hours(99));
    std::uint64_t left = 0;
    std::string error;
    ASSERT_TRUE(keep_earlier_runs(path(), {.bytes_max = 1'000, .runs = 2}, left, error)) << error;
    EXPECT_EQ(names(), (Names{"run.8", "run.9", "run.note"}));
    EXPECT_EQ(left, 980u);
}

TEST_F(EarlierRuns, a_crash_loop_does_not_push_out_what_came_before_it_nor_its_first_run) {
    put_run("run.1", 10, std::chrono::hours(240));
    put_run("run.2", 10, std::chrono::hours(48));
    for (int crash = 0; crash < 50; ++crash) {
        put_run("run", 10, std::chrono::seconds(1'000 - 10 * crash));
        std::uint64_t left = 0;
        std::string error;
        ASSERT_TRUE(keep_earlier_runs(path(), {.bytes_max = 1'000, .runs = 4}, left, error)) << error;
    }
    EXPECT_EQ(names(), (Names{"run.1", "run.2", "run.3", "run.52"}));
}

TEST_F(EarlierRuns, keep_half_of_the_bytes_at_most) {
    put_run("run.1", 400, std::chrono::hours(48));
    put_run("run.2", 300, std::chrono::hours(24));
    put_run("run", 150, std::chrono::hours(1));
    std::uint64_t left = 0;
    std::string error;
    ASSERT_TRUE(keep_earlier_runs(path(), {.bytes_max = 1'000, .runs = 9}, left, error)) << error;
    EXPECT_EQ(names(), (Names{"run.2", "run.3"}));
    EXPECT_EQ(left, 550u);
}

}  // namespace
}  // namespace bayplan::recorder
