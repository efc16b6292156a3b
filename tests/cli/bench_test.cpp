// `bayplan bench`: its catalogue, its measurements on small loads, and its three reports.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "cli/bench_report.h"
#include "cli/wire_bench.h"
#include "measure/measure.h"
#include "workload/bench_catalogue.h"

namespace bayplan {
namespace {

using measure::Measurement;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<workload::BenchCase> cases_of(const std::string& pattern) {
    std::string unknown;
    auto cases = workload::choose_cases({pattern}, unknown);
    EXPECT_EQ(unknown, "");
    return cases;
}

Measurement measured(const workload::BenchCase& one, ExecutorKind executor, BatchPath path) {
    measure::MeasureOptions options;
    options.executor = executor;
    options.path = path;
    options.runs = 1;
    return measure::measure(one, options, [](const std::string&) {});
}

TEST(BenchCatalogue, has_every_name_once_and_finds_by_pattern) {
    std::set<std::string> names;
    for (const auto& one : workload::bench_catalogue()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_GT(one.nodes, 0u) << one.name;
    }
    for (const char* name :
         {"SchedulingBasic/5000Nodes_10000Pods", "SchedulingPodAntiAffinity/5000Nodes_2000Pods",
          "PreemptionBasic/5000Nodes_5000Pods", "BenchmarkScheduling/2000Nodes_10000Pods",
          "WireToWire/PreemptionBasic/5000Nodes_5000Pods", "WireToWirePlugin/SchedulingBasic/5000Nodes_100000Pods"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
    EXPECT_EQ(cases_of("BenchmarkScheduling/*").size(), 4u);
    EXPECT_EQ(cases_of("Overfull/100Nodes_6000Pods").size(), 1u);
    std::string unknown;
    EXPECT_TRUE(workload::choose_cases({"Nothing/*"}, unknown).empty());
    EXPECT_EQ(unknown, "Nothing/*");
    // In the order of the catalogue, each once, however they are asked for.
    const auto twice =
        workload::choose_cases({"Unique/500*", "SchedulingBasic/500Nodes*", "*/500Nodes_1000Pods"}, unknown);
    ASSERT_GE(twice.size(), 2u);
    EXPECT_EQ(twice[0].name, "SchedulingBasic/500Nodes_1000Pods");
}

TEST(Bench, places_as_the_scan_does_on_full_churning_and_mixed_clusters_by_either_path) {
    for (const char* name : {"Filled/500Nodes_500Pods_95", "Churn/500Nodes_4096Pods_50", "Mixed/500Nodes_3000Pods_100",
                             "Priorities/500Nodes_2000Pods_50", "BenchmarkScheduling/500Nodes_10000Pods"}) {
        const auto one = cases_of(name)[0];
        const Measurement by_inline = measured(one, ExecutorKind::inline_, BatchPath::inline_);
        const Measurement by_graph = measured(one, ExecutorKind::threads, BatchPath::graph);
        EXPECT_EQ(by_inline.fault, "") << name;
        EXPECT_EQ(by_graph.fault, "") << name;
        EXPECT_EQ(by_inline.digest, by_graph.digest) << name;
        ASSERT_TRUE(by_inline.scan) << name;
        EXPECT_EQ(by_inline.scan->placements, by_inline.placements) << name;
        ASSERT_TRUE(by_inline.vector_scan) << name;
        EXPECT_EQ(by_inline.vector_scan->placements, by_inline.placements) << name;
        EXPECT_EQ(by_inline.placed, one.pods) << name;
        EXPECT_EQ(by_inline.batches_graph, 0u) << name;
        EXPECT_GT(by_graph.batches_graph, 0u) << name;
        EXPECT_GT(by_inline.memory_bytes, 0) << name;
        EXPECT_GT(by_inline.latency->p50_us, 0) << name;
    }
}

TEST(Bench, a_class_that_is_alone_remembers_nearly_all_and_one_off_classes_nothing) {
    const auto basic =
        measured(cases_of("SchedulingBasic/500Nodes_1000Pods")[0], ExecutorKind::inline_, BatchPath::inline_);
    const auto unique = measured(cases_of("Unique/500Nodes_3000Pods")[0], ExecutorKind::inline_, BatchPath::inline_);
    EXPECT_GT(basic.cache_hit_rate.value_or(0), 0.8);
    EXPECT_LT(unique.cache_hit_rate.value_or(1), 0.05);
}

TEST(Bench, places_as_the_scan_does_with_every_kind_of_affinity_and_spread) {
    std::size_t compared = 0;
    for (const auto& one : cases_of("*/500Nodes_*")) {
        if (!std::holds_alternative<workload::KubeLoad>(one.load)) continue;
        const Measurement result = measured(one, ExecutorKind::inline_, BatchPath::automatic);
        EXPECT_EQ(result.fault, "") << one.name;
        EXPECT_EQ(result.placed, one.pods) << one.name;
        ASSERT_TRUE(result.scan) << one.name;
        EXPECT_EQ(result.scan->placements, result.placements) << one.name;
        ++compared;
    }
    EXPECT_EQ(compared, 10u);
}

TEST(Bench, preempts_whom_the_scan_does_and_leaves_nothing_over) {
    const auto cases = cases_of("Preemption*/500Nodes_12Pods");
    EXPECT_EQ(cases.size(), 5u);
    for (const auto& one : cases) {
        const Measurement result = measured(one, ExecutorKind::inline_, BatchPath::automatic);
        EXPECT_EQ(result.fault, "") << one.name;
        EXPECT_EQ(result.placed, one.pods) << one.name;
        ASSERT_TRUE(result.scan) << one.name;
        EXPECT_EQ(result.scan->placements, result.placements) << one.name;
        EXPECT_GT(result.latency->p50_us, 0) << one.name;
    }
}

TEST(Bench, pods_that_fit_nowhere_fail_and_the_others_are_placed) {
    const auto one = cases_of("Overfull/100Nodes_6000Pods")[0];
    const Measurement result = measured(one, ExecutorKind::inline_, BatchPath::automatic);
    EXPECT_EQ(result.fault, "");
    EXPECT_EQ(result.placed, 4'000u);
    EXPECT_GE(result.failed, 2'000u);
    EXPECT_EQ(result.nodes_used, 100u);
}

TEST(Latency, is_the_value_that_so_many_do_not_exceed) {
    std::vector<std::int64_t> times;
    for (std::int64_t i = 1'000; i >= 1; --i) times.push_back(i * 1'000);
    const measure::Latency latency = measure::latency_of(times);
    EXPECT_EQ(latency.p50_us, 500);
    EXPECT_EQ(latency.p99_us, 990);
    EXPECT_EQ(latency.p999_us, 999);
    std::vector<std::int64_t> none;
    EXPECT_EQ(measure::latency_of(none).p50_us, 0);
    std::vector<std::int64_t> one = {7'000};
    EXPECT_EQ(measure::latency_of(one).p999_us, 7);
}

std::vector<Measurement> two() {
    Measurement good;
    good.name = "A<B>/1Nodes";
    good.nodes = 10;
    good.per_s_cpu = 500'000;
    good.cache_hit_rate = 0.5;
    good.placements = "abc";
    good.digest = "0123456789abcdef0123";
    good.latency = measure::Latency{1, 2, 3};
    good.scan = measure::ScanFigures{5'000, 3.5, "abc"};
    good.vector_scan = measure::ScanFigures{20'000, 0.5, "abc"};
    Measurement bad;
    bad.name = "Affinity";
    bad.fault = "two runs decided differently";
    return {good, bad};
}

TEST(BenchReport, table_says_what_is_the_same_and_what_is_at_fault) {
    const std::string text = cli::bench_table(two());
    EXPECT_THAT(text, HasSubstr("the same"));
    EXPECT_THAT(text, HasSubstr("FAULT: two runs decided differently"));
    EXPECT_THAT(text, HasSubstr("100.0       25.0\n"));
    EXPECT_THAT(text, HasSubstr("0123456789abcdef "));
}

TEST(BenchReport, json_has_null_where_nothing_applies) {
    const auto rows = boost::json::parse(cli::bench_json(two())).as_array();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("ratio").as_double(), 100);
    EXPECT_EQ(rows[0].at("vector_ratio").as_double(), 25);
    EXPECT_TRUE(rows[1].at("vector_scan").is_null());
    EXPECT_EQ(rows[0].at("latency_us").at("p99.9").as_double(), 3);
    EXPECT_EQ(rows[0].at("scan").at("ns_per_node").as_double(), 3.5);
    EXPECT_TRUE(rows[0].at("fault").is_null());
    EXPECT_TRUE(rows[1].at("scan").is_null());
    EXPECT_TRUE(rows[1].at("cache_hit_rate").is_null());
    EXPECT_EQ(rows[1].at("fault").as_string(), "two runs decided differently");
}

std::string report(int pods_per_s, int p50) {
    return boost::json::serialize(boost::json::object{{"pods_per_s", pods_per_s},
                                                      {"cores", 1.5},
                                                      {"shim_cores", 0.5},
                                                      {"p50_us", p50},
                                                      {"p99_us", 10 * p50},
                                                      {"p999_us", 100 * p50},
                                                      {"switches_of_daemon", 7},
                                                      {"switches_of_shim", nullptr},
                                                      {"dropped", 1},
                                                      {"port", "af_packet"},
                                                      {"digest", "ab12"}});
}

TEST(BenchWire, takes_the_rate_from_the_flood_and_the_latency_from_the_paced_runs) {
    std::string error;
    const auto figures = cli::wire_figures({report(300, 9), report(100, 9), report(200, 9)},
                                           {report(75, 2), report(75, 3), report(75, 1)}, error);
    ASSERT_TRUE(figures) << error;
    EXPECT_EQ(figures->per_s, 200);
    EXPECT_EQ(figures->per_s_least, 100);
    EXPECT_EQ(figures->per_s_most, 300);
    EXPECT_EQ(figures->latency.p50_us, 2);
    EXPECT_EQ(figures->latency.p999_us, 200);
    EXPECT_EQ(figures->daemon_cores, 1.5);
    EXPECT_EQ(figures->switches_of_daemon, 7u);
    EXPECT_EQ(figures->dropped, 6u);
    EXPECT_EQ(figures->port, "af_packet");
    EXPECT_FALSE(cli::wire_figures({"{}"}, {report(75, 2)}, error));
    EXPECT_FALSE(cli::wire_figures({}, {report(75, 2)}, error));
}

std::string with_others(const std::string& text, int pods_per_s, int p50) {
    boost::json::object all = boost::json::parse(text).as_object();
    all["without_plugin"] = boost::json::object{{"pods_per_s", pods_per_s}, {"p50_us", p50}, {"p99_us", 5 * p50}};
    return boost::json::serialize(all);
}

TEST(BenchWire, has_figures_of_the_pods_that_need_no_plugin_if_the_reports_have) {
    std::string error;
    EXPECT_FALSE(cli::wire_figures({report(300, 9)}, {report(75, 2)}, error)->without_plugin);
    auto all = two();
    all[0].wire = cli::wire_figures({with_others(report(300, 9), 290, 8)}, {with_others(report(75, 2), 74, 3)}, error);
    ASSERT_TRUE(all[0].wire && all[0].wire->without_plugin) << error;
    EXPECT_EQ(all[0].wire->without_plugin->per_s, 290);
    EXPECT_EQ(all[0].wire->without_plugin->p99_us, 15);
    EXPECT_THAT(cli::bench_table(all), HasSubstr("290/s of the pods that need no plugin; their p50 3 us, p99 15 us"));
    const auto rows = boost::json::parse(cli::bench_json(all)).as_array();
    EXPECT_EQ(rows[0].at("wire").at("without_plugin").at("p50_us").as_double(), 3);
}

TEST(BenchReport, has_a_row_of_what_went_through_the_wire) {
    auto all = two();
    EXPECT_THAT(cli::bench_table(all), Not(HasSubstr("wire to wire")));
    all[1].wire = measure::WireFigures{};
    all[1].wire->port = "kernel-udp";
    all[1].wire->note = "no namespaces here";
    all[1].wire->rate = 75'000;
    const std::string text = cli::bench_table(all);
    EXPECT_THAT(text, HasSubstr("kernel-udp\nAffinity: no namespaces here\n"));
    EXPECT_THAT(text, HasSubstr("75000"));
    const auto rows = boost::json::parse(cli::bench_json(all)).as_array();
    EXPECT_TRUE(rows[0].at("wire").is_null());
    EXPECT_EQ(rows[1].at("wire").at("port").as_string(), "kernel-udp");
}

TEST(BenchReport, svg_has_a_bar_of_the_right_length_for_each_ratio) {
    const std::string text = cli::bench_svg(two());
    EXPECT_TRUE(text.starts_with("<svg "));
    EXPECT_TRUE(text.ends_with("</svg>\n"));
    EXPECT_THAT(text, HasSubstr("A&lt;B>/1Nodes</text>"));
    EXPECT_THAT(text, Not(HasSubstr("A<B")));
    EXPECT_THAT(text, HasSubstr("width=\"300.0\" height=\"15.0\""));  // two decades of 150
    EXPECT_THAT(text, HasSubstr("without a scan: Affinity"));
}

}  // namespace
}  // namespace bayplan
