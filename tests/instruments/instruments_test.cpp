// Instruments: what a histogram says of durations, and what a flight recorder has kept, of a process that is killed too.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "instruments/flight_recorder.h"
#include "instruments/heartbeat.h"
#include "instruments/latency_histogram.h"

namespace bayplan::instruments {
namespace {

using std::chrono::nanoseconds;

TEST(LatencyHistogram, buckets_follow_each_other_without_a_gap) {
    std::size_t before = 0;
    for (std::uint64_t ns = 1; ns < 300'000; ++ns) {
        const std::size_t bucket = LatencyHistogram::bucket_of(ns);
        ASSERT_TRUE(bucket == before || bucket == before + 1) << ns;
        if (bucket != before) {
            ASSERT_EQ(LatencyHistogram::last_of(before), ns - 1) << ns;
        }
        before = bucket;
    }
}

TEST(LatencyHistogram, a_quantile_is_right_to_a_thirty_second) {
    std::mt19937_64 random(7);
    LatencyHistogram histogram;
    std::vector<std::uint64_t> all;
    std::uint64_t sum = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t ns = random() >> (random() % 40 + 24);  // from nothing to 18 minutes
        all.push_back(ns);
        sum += ns;
        histogram.add(nanoseconds(ns));
    }
    std::ranges::sort(all);
    EXPECT_EQ(histogram.count(), all.size());
    EXPECT_EQ(histogram.sum_ns(), sum);
    EXPECT_EQ(histogram.max_ns(), all.back());
    for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1;
        const std::uint64_t told = histogram.quantile_ns(share);
        EXPECT_GE(told, all[at]) << share;
        EXPECT_LE(static_cast<double>(told), static_cast<double>(all[at]) * 33 / 32 + 1) << share;
    }
}

TEST(LatencyHistogram, what_is_longer_than_all_buckets_counts_in_the_last) {
    LatencyHistogram histogram;
    EXPECT_EQ(histogram.quantile_ns(0.5), 0u);
    histogram.add(std::chrono::hours(100));
    histogram.add(nanoseconds(-5));
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_EQ(histogram.max_ns(), LatencyHistogram::kMaxNs);
    EXPECT_EQ(histogram.quantile_ns(0.5), 0u);
    EXPECT_EQ(histogram.quantile_ns(1), LatencyHistogram::kMaxNs);
}

class Flight : public ::testing::Test {
protected:
    Flight() {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-flight-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~Flight() override { std::filesystem::remove_all(folder_); }

    std::string path() const { return folder_ / "flight.txt"; }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::ifstream file(path());
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }
    std::filesystem::path folder_;
};

TEST_F(Flight, a_dump_has_the_newest_records_of_each_ring_in_order) {
    FlightRecorder recorder;
    FlightRing& engine = recorder.make_ring("engine0", 8);
    FlightRing& lcore = recorder.make_ring("lcore0", 8);
    for (std::uint64_t i = 1; i <= 20; ++i) engine.note(FlightKind::state, 7, i);
    lcore.note(FlightKind::cut, 5);
    std::string error;
    ASSERT_TRUE(recorder.dump_to(path(), error)) << error;
    const std::vector<std::string> all = lines();
    // The record that the next one would take the place of is left out: it may be written this moment.
    ASSERT_EQ(all.size(), 1u + 7 + 1 + 1) << all.size();
    EXPECT_EQ(all[0], "# engine0");
    for (std::uint64_t i = 0; i < 7; ++i) {
        EXPECT_TRUE(all[1 + i].ends_with(" state connection=7 number=" + std::to_string(14 + i))) << all[1 + i];
        EXPECT_EQ(all[1 + i].front(), '-');
    }
    EXPECT_EQ(all[8], "# lcore0");
    EXPECT_TRUE(all[9].ends_with(" cut connection=5")) << all[9];
    struct stat status {};
    ASSERT_EQ(stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_FALSE(recorder.dump_to(folder_ / "none" / "flight.txt", error));
    EXPECT_NE(error.find("cannot be written: No such file"), std::string::npos) << error;
}

TEST_F(Flight, a_dump_beside_a_writer_has_whole_records_alone) {
    FlightRecorder recorder;
    FlightRing& ring = recorder.make_ring("engine0", 64);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (std::uint64_t i = 1; !stop.load(); ++i) ring.note(FlightKind::state, i, 3 * i);
    });
    for (int round = 0; round < 40; ++round) {
        std::string error;
        ASSERT_TRUE(recorder.dump_to(path(), error)) << error;
        std::uint64_t before = 0;
        for (const std::string& line : lines()) {
            unsigned long long first = 0;
            unsigned long long second = 0;
            const std::size_t at = line.find("connection=");
            if (at == std::string::npos) continue;
            ASSERT_EQ(std::sscanf(line.c_str() + at, "connection=%llu number=%llu", &first, &second), 2) << line;
            ASSERT_EQ(second, 3 * first) << line;
            ASSERT_GT(first, before) << line;
            before = first;
        }
    }
    stop = true;
    writer.join();
}

// Of a process of its own, which ends as it would have without the recorder.
TEST_F(Flight, a_failed_check_leaves_a_dump) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        close(STDERR_FILENO);
        FlightRecorder recorder;
        recorder.make_ring("engine0", 8).note(FlightKind::turn, 3, 4);
        recorder.dump_when_killed(path());
        const int one = 1;
        BP_CHECK_OP(one, ==, 2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
    const std::vector<std::string> all = lines();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[1].ends_with(" turn inputs=3 attempts=4")) << all[1];
}

}  // namespace
}  // namespace bayplan::instruments
