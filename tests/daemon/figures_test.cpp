// Figures of the daemon for operators: histograms of durations, ends of certificates.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/metric_text.h"
#include "client_world.h"
#include "dataplane/certificate_dates.h"
#include "instruments/duration_histogram.h"
#include "instruments/scheduling_times.h"

namespace bayplan::daemon {
namespace {

using instruments::DurationHistogram;
using std::chrono::microseconds;

TEST(DurationHistogram, counts_by_upper_bound_and_shows_sums_of_counts) {
    DurationHistogram times;
    for (const int took_us : {50, 100, 101, 5'000, 1'500'000}) times.add(microseconds(took_us));
    times.add(std::chrono::hours(1));
    MetricText text;
    text.begin("took", "Of a test.", MetricType::histogram);
    text.histogram({{"partition", "a\"b"}, {"none", ""}}, DurationHistogram::kBounds, times.counts(), times.sum());
    EXPECT_EQ(text.take(),
              "# HELP took Of a test.\n"
              "# TYPE took histogram\n"
              "took_bucket{partition=\"a\\\"b\",le=\"0.0001\"} 2\n"
              "took_bucket{partition=\"a\\\"b\",le=\"0.001\"} 3\n"
              "took_bucket{partition=\"a\\\"b\",le=\"0.01\"} 4\n"
              "took_bucket{partition=\"a\\\"b\",le=\"0.1\"} 4\n"
              "took_bucket{partition=\"a\\\"b\",le=\"1\"} 4\n"
              "took_bucket{partition=\"a\\\"b\",le=\"10\"} 5\n"
              "took_bucket{partition=\"a\\\"b\",le=\"100\"} 5\n"
              "took_bucket{partition=\"a\\\"b\",le=\"1000\"} 5\n"
              "took_bucket{partition=\"a\\\"b\",le=\"+Inf\"} 6\n"
              "took_sum{partition=\"a\\\"b\"} 3601.505251\n"
              "took_count{partition=\"a\\\"b\"} 6\n");
}

TEST(SchedulingTimes, counts_every_pod_of_a_turn_as_its_mean) {
    instruments::SchedulingTimes times;
    times.attempted(microseconds(300), 3);
    const instruments::ShownTimes shown[] = {{"a", &times}};
    MetricText metrics;
    instruments::put_scheduling_times(metrics, shown);
    const std::string text = metrics.take();
    for (const char* const line :
         {"yunikorn_scheduler_scheduling_latency_milliseconds_count{partition=\"a\"} 1\n",
          "yunikorn_scheduler_trynode_latency_milliseconds_bucket{partition=\"a\",le=\"0.0001\"} 3\n",
          "yunikorn_scheduler_trynode_evaluation_milliseconds_count{partition=\"a\"} 3\n",
          "yunikorn_scheduler_scheduling_cycle_milliseconds_count{partition=\"a\"} 0\n",
          "yunikorn_scheduler_node_sorting_latency_milliseconds_count{partition=\"a\",level=\"queue\"} 0\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

TEST(CertificateDates, are_those_that_the_certificate_has) {
    const auto tls = bayplan::testing::tls_of("server");
    const std::int64_t end_s = dataplane::certificates_end_s(tls.certificate);
    EXPECT_GT(end_s, std::time(nullptr));
    // Of several the earliest, in any order.
    const std::string both = ::testing::TempDir() + "both.pem";
    for (const bool own_first : {false, true}) {
        std::ofstream all(both);
        for (const bool own : {own_first, !own_first}) {
            all << std::ifstream(own ? tls.certificate : tls.authority).rdbuf() << "\n";
        }
        all.close();
        EXPECT_EQ(dataplane::certificates_end_s(both), std::min(end_s, dataplane::certificates_end_s(tls.authority)));
    }
    EXPECT_EQ(dataplane::certificates_end_s(tls.key), 0);
    EXPECT_EQ(dataplane::certificates_end_s("/nowhere"), 0);
}

}  // namespace
}  // namespace bayplan::daemon
