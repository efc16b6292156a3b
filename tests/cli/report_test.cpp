// Figures, files and texts around a load: percentiles, durations, the daemon's status, the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>

#include <boost/json.hpp>

#include "cli/daemon_status.h"
#include "cli/duration.h"
#include "cli/forget_shim_command.h"
#include "cli/latencies.h"
#include "cli/load_arguments.h"
#include "cli/load_report.h"
#include "cli/ping_command.h"
#include "cli/process_use.h"
#include "small_load.h"

namespace bayplan::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Percentiles, are_exact) {
    Latencies latencies;
    EXPECT_EQ(latencies.percentile_us(0.5), 0);
    for (int us = 1'000; us >= 1; --us) {
        latencies.add(us * 1'000);
    }
    EXPECT_EQ(latencies.percentile_us(0.50), 501);
    EXPECT_EQ(latencies.percentile_us(0.99), 991);
    EXPECT_EQ(latencies.percentile_us(1.0), 1'000);
}

TEST(Durations, take_the_usual_units_and_nothing_else) {
    EXPECT_EQ(parse_duration("10s"), 10'000'000'000);
    EXPECT_EQ(parse_duration("1.5ms"), 1'500'000);
    EXPECT_EQ(parse_duration("2m"), 120'000'000'000);
    EXPECT_EQ(parse_duration("3"), 3'000'000'000);
    for (const char* text : {"", "s", "-1s", "1x", "1 s", "nan", "1e30h"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    }
}

constexpr char kStatus[] =
    R"({"uptime_ms":1000,"digest":"ab12","attempts":12,"placed":10,"failed":2,"port":"af_packet",)"
    R"("rx_packets":100,"tx_packets":90,"drops":{"no_buffer":3,"malformed":1},"workers":2,)"
    R"("pid":77,"cpu_seconds":2.5,"cpus_allowed":4,"cpus":{"engine":"1","workers":"2-3"}})";

TEST(DaemonStatusFile, gives_what_only_the_daemon_knows) {
    std::string error;
    const auto status = parse_daemon_status(kStatus, error);
    ASSERT_TRUE(status) << error;
    EXPECT_EQ(status->digest, "ab12");
    EXPECT_EQ(status->port, "af_packet");
    EXPECT_EQ(status->placed, 10u);
    EXPECT_EQ(status->dropped(), 4u);
    EXPECT_EQ(status->pid, 77);
    EXPECT_EQ(status->cpu_seconds, 2.5);
    EXPECT_EQ(status->cpus_allowed, 4u);
    EXPECT_EQ(status->cpus, R"({"engine":"1","workers":"2-3"})");
}

TEST(DaemonStatusFile, may_be_of_another_version_but_not_broken) {
    std::string error;
    const auto status = parse_daemon_status(R"({"placed":"many","drops":3})", error);
    ASSERT_TRUE(status);
    EXPECT_EQ(status->placed, std::nullopt);
    EXPECT_EQ(status->dropped(), 0u);
    EXPECT_FALSE(parse_daemon_status("{", error));
    EXPECT_FALSE(parse_daemon_status("[]", error));
    EXPECT_EQ(error, "is not a JSON object");
    EXPECT_FALSE(read_daemon_status("/nowhere/status.json", error));
    EXPECT_THAT(error, HasSubstr("/nowhere/status.json: No such file"));
}

LoadResult good_result() {
    LoadResult result;
    result.asks = 4;
    result.placed = 2;
    result.unplaced = 2;
    result.reasons = {{"0/2 nodes are available: 1 Insufficient cpu, 2 Too many pods.", 1},
                      {"0/2 nodes are available: 1 Too many pods, 2 Insufficient cpu.", 1}};
    result.pods_per_s = 1234.4;
    result.p50_us = 10;
    result.p99_us = 20;
    result.p999_us = 30;
    result.switches_of_daemon = 5;
    result.daemon_cores = 1.3456;
    result.port = "kernel-udp";
    result.port_counters = {{"rx_packets", 7}, {"tx_packets", 8}, {"drop_a", 1}, {"drop_b", 2}};
    return result;
}

TEST(Report, json_has_the_fields_that_scripts_read) {
    std::string error;
    const boost::json::object all =
        boost::json::parse(report_json(good_result(), testing::small_load(), parse_daemon_status(kStatus, error)))
            .as_object();
    EXPECT_EQ(all.at("placed"), 2);
    EXPECT_EQ(all.at("unplaced"), 2);
    EXPECT_EQ(all.at("pending"), 0);
    EXPECT_EQ(all.at("lost"), 0);
    EXPECT_EQ(all.at("pods_per_s"), 1234);
    EXPECT_EQ(all.at("p50_us"), 10);
    EXPECT_EQ(all.at("p99_us"), 20);
    EXPECT_EQ(all.at("p999_us"), 30);
    EXPECT_EQ(all.at("switches_of_daemon"), 5);
    EXPECT_TRUE(all.at("switches_of_shim").is_null());
    EXPECT_EQ(all.at("digest"), "ab12");
    EXPECT_EQ(all.at("port"), "af_packet");
    EXPECT_EQ(all.at("rx_packets"), 100);
    EXPECT_EQ(all.at("tx_packets"), 90);
    EXPECT_EQ(all.at("dropped"), 4);
    EXPECT_EQ(all.at("workers"), 2);
    EXPECT_EQ(all.at("cores"), 1.35);
    EXPECT_EQ(all.at("cores_include_shim"), false);
    EXPECT_EQ(all.at("cpus_allowed"), 4);
    EXPECT_EQ(all.at("cpus").at("engine"), "1");
    EXPECT_EQ(all.at("reasons").as_object().size(), 2u);
}

TEST(Report, text_says_how_many_cores_the_daemon_used) {
    std::string error;
    const auto status = parse_daemon_status(kStatus, error);
    LoadResult result = good_result();
    EXPECT_THAT(report_text(result, testing::small_load(), status),
                HasSubstr("2 workers, cores used 1.3 of 4 (by role: engine 1, workers 2-3)\n"));
    result.cores_include_shim = true;
    EXPECT_THAT(report_text(result, testing::small_load(), status),
                HasSubstr("cores used 1.3 of 4, the shim's own included (by role: "));
    result.daemon_cores.reset();
    EXPECT_THAT(report_text(result, testing::small_load(), status), HasSubstr("cores used not known of 4"));
}

TEST(Report, text_says_whose_cpu_was_taken_how_often) {
    LoadResult result = good_result();
    EXPECT_THAT(report_text(result, testing::small_load(), std::nullopt),
                HasSubstr("p50 10 us, p99 20 us, p99.9 30 us\nswitches    daemon 5, shim not known ("));
    result.switches_of_shim = 7;
    result.cores_include_shim = true;
    EXPECT_THAT(report_text(result, testing::small_load(), std::nullopt),
                HasSubstr("switches    7, daemon and shim together ("));
}

// Two threads that want one CPU take it from each other.
TEST(ProcessUse, counts_what_took_the_cpu_away) {
    const auto before = involuntary_switches(getpid());
    ASSERT_TRUE(before);
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    std::atomic<bool> over{false};
    std::thread other([&] {
        while (!over) {
        }
    });
    auto now = before;
    while (*now == *before) {
        now = involuntary_switches(getpid());
    }
    over = true;
    other.join();
    ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
    EXPECT_GT(*now, *before);
    EXPECT_EQ(involuntary_switches(1 << 22), std::nullopt);
}

TEST(ProcessUse, grows_with_work_and_is_not_known_of_no_process) {
    const auto before = process_cpu_ns(getpid());
    ASSERT_TRUE(before);
    const std::clock_t start = std::clock();
    while (std::clock() - start < CLOCKS_PER_SEC / 50) {
    }
    EXPECT_GE(process_cpu_ns(getpid()).value_or(0) - *before, 19'000'000);
    EXPECT_EQ(process_cpu_ns(0), std::nullopt);
    // The kernel gives out numbers below this one.
    EXPECT_EQ(process_cpu_ns(1 << 22), std::nullopt);
}

TEST(Report, without_the_daemons_status_the_packets_are_the_shims_own) {
    LoadResult result = good_result();
    result.daemon_cores.reset();
    const boost::json::object all =
        boost::json::parse(report_json(result, testing::small_load(), std::nullopt)).as_object();
    EXPECT_TRUE(all.at("digest").is_null());
    EXPECT_TRUE(all.at("cores").is_null());
    EXPECT_TRUE(all.at("cpus").is_null());
    EXPECT_EQ(all.at("port"), "kernel-udp");
    EXPECT_EQ(all.at("rx_packets"), 7);
    EXPECT_EQ(all.at("dropped"), 3);
}

TEST(Report, reasons_that_differ_in_counts_only_are_one_line_for_people) {
    const std::string text = report_text(good_result(), testing::small_load(), std::nullopt);
    EXPECT_THAT(text, HasSubstr("     2  Insufficient cpu, Too many pods\n"));
    EXPECT_THAT(text, Not(HasSubstr("LOST")));
}

TEST(Report, is_good_only_if_nothing_is_lost_doubled_overfull_or_unheard) {
    EXPECT_TRUE(good_result().good());
    const auto with = [](auto change) {
        LoadResult result = good_result();
        change(result);
        return result.good();
    };
    EXPECT_FALSE(with([](LoadResult& r) { r.lost = 1; }));
    EXPECT_FALSE(with([](LoadResult& r) { r.placed = 1; }));
    EXPECT_FALSE(with([](LoadResult& r) { r.duplicates = 1; }));
    EXPECT_FALSE(with([](LoadResult& r) { r.overcommitted = {"n0: 1 too much cpu"}; }));
    EXPECT_FALSE(with([](LoadResult& r) { r.end = LoadEnd::timed_out; }));
    EXPECT_FALSE(with([](LoadResult& r) { r.rejected_other = 1; }));
}

TEST(LoadArguments, are_completed_or_refused_with_a_reason) {
    LoadArguments arguments;
    EXPECT_THAT(complete_load_options(arguments), HasSubstr("--connect"));
    for (const char* wrong : {"host", ":1", "host:", "host:0", "host:70000", "host:12x"}) {
        arguments.connect = wrong;
        EXPECT_THAT(complete_load_options(arguments), HasSubstr("--connect")) << wrong;
    }
    arguments.connect = "host:4433";
    EXPECT_THAT(complete_load_options(arguments), HasSubstr("--ca is needed"));
    arguments.options.client.authority = arguments.options.client.certificate = "file";
    EXPECT_THAT(complete_load_options(arguments), HasSubstr("--cert and --key"));
    arguments.options.client.key = "file";
    EXPECT_EQ(complete_load_options(arguments), "");
    EXPECT_EQ(arguments.options.client.host, "host");
    EXPECT_EQ(arguments.options.client.udp_port, 4433);
    arguments.options.client.vlan = 7;
    EXPECT_EQ(complete_load_options(arguments), "--vlan is for --port dpdk");
    arguments.port = "dpdk";
    EXPECT_EQ(complete_load_options(arguments), "");
}

TEST(LoadArguments, that_mean_nothing_alone_are_refused) {
    for (const char* line : {"--cuts 3", "--pause-after 10", "--journal-sync"}) {
        CLI::App app;
        LoadArguments arguments;
        add_load_options(app, arguments);
        EXPECT_THROW(app.parse(line), CLI::RequiresError) << line;
    }
    for (const char* line :
         {"--cuts 3 --cut-after 5", "--pause-after 10 --pause-reads 1s", "--journal-sync --journal file"}) {
        CLI::App app;
        LoadArguments arguments;
        add_load_options(app, arguments);
        EXPECT_NO_THROW(app.parse(line)) << line;
    }
}

TEST(Connection, a_daemon_is_named_once) {
    for (const std::string command : {"ping", "forget-shim --partition default"}) {
        CLI::App app;
        int exit_code = 0;
        add_ping_command(app, exit_code);
        add_forget_shim_command(app, exit_code);
        app.parse(command + " here:1 --connect there:2");
        EXPECT_EQ(exit_code, 2) << command;
    }
}

}  // namespace
}  // namespace bayplan::cli
