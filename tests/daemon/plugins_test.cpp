// Predicates that a shim serves, over a real connection to the program as a process: two pods at once, a slow plugin, late
// answers, connections that end in between.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "certificates.h"
#include "plugin_shim.h"
#include "process.h"

namespace bayplan::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Longer than every test: nothing is asked again.
constexpr std::string_view kNeverLate = "{deadline: 1h}";

std::string configuration(std::string_view plugins) {
    const dataplane::TlsFiles tls = tls_of("server");
    return fmt::format(
        "rest_listen: off\n"
        "partitions:\n"
        "  - name: default\n"
        "    shims: shim-a\n"
        "    executor: inline\n"
        "    path: inline\n"
        "    backoff_initial: 100ms\n"
        "    backoff_max: 200ms\n"
        "    plugins: {}\n"
        "data_plane:\n"
        "  address: 127.0.0.1\n"
        "  udp_port: 0\n"
        "  tls: {{certificate: {}, key: {}, authority: {}}}\n",
        plugins, tls.certificate, tls.key, tls.authority);
}

template <typename Condition>
bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

class PluginsOverTheWire : public ::testing::Test {
protected:
    PluginShim& serve(std::string_view settings, std::size_t nodes = 2, PluginShim::Plugin plugin = {}) {
        daemon_ = std::make_unique<Process>(configuration(settings));
        EXPECT_TRUE(daemon_->wait_for_log("msg=\"ready\"")) << daemon_->log();
        shim_ = std::make_unique<PluginShim>(daemon_->udp_port(), nodes, std::move(plugin));
        EXPECT_TRUE(until([&] { return shim_->resyncs() == 1; })) << daemon_->log();
        return *shim_;
    }
    void answer_until_placed(std::size_t pods) {
        const auto placed = [&] {
            shim_->answer_open();
            return shim_->placed() == pods;
        };
        EXPECT_TRUE(until(placed)) << daemon_->log();
    }
    // So many pods have a place each, told once and confirmed, and the daemon has no others.
    void expect_bound(std::size_t pods) {
        ASSERT_TRUE(until([&] { return shim_->placed() == pods && shim_->settled(); })) << daemon_->log();
        EXPECT_THAT(shim_->faults(), IsEmpty());
        const std::string allocations = fmt::format("\"allocations\":{},", pods);
        EXPECT_TRUE(until([&] {
            return read_file(daemon_->file("status.json")).find(allocations) != std::string::npos;
        })) << read_file(daemon_->file("status.json"));
    }

    std::unique_ptr<Process> daemon_;
    std::unique_ptr<PluginShim> shim_;
};

// The document's workflow with the asks A and B.
void answer_when_both_are_open(PluginShim& shim, const SeenQuery&) {
    const std::vector<SeenQuery> open = shim.queries();
    if (open.size() < 2) return;
    for (const SeenQuery& query : open) shim.answer(query);
}

TEST_F(PluginsOverTheWire, two_pods_are_asked_about_at_once_and_both_are_bound) {
    PluginShim& shim = serve(kNeverLate, 2, answer_when_both_are_open);
    shim.ask("a", true);
    shim.ask("b", true);
    expect_bound(2);
    ASSERT_GE(shim.queries().size(), 2u) << "no two queries were open";
    EXPECT_NE(shim.queries()[0].pod, shim.queries()[1].pod);
    EXPECT_EQ(shim.places("a").size(), 1u);
    EXPECT_EQ(shim.places("b").size(), 1u);
}

// The counterpart of the test above: the second pod is not asked about as long as the first has no answer.
TEST_F(PluginsOverTheWire, with_one_query_at_a_time_the_second_pod_waits_for_the_first) {
    PluginShim& shim = serve("{deadline: 1h, queries_max: 1}");
    shim.ask("a", true);
    shim.ask("b", true);
    ASSERT_TRUE(until([&] { return !shim.queries().empty() && shim.settled(); }));
    std::this_thread::sleep_for(300ms);
    ASSERT_EQ(shim.queries().size(), 1u);
    EXPECT_EQ(shim.placed(), 0u);
    shim.answer(shim.queries("a").at(0));
    ASSERT_TRUE(until([&] { return shim.queries().size() == 2; }));
    answer_until_placed(2);
    expect_bound(2);
}

TEST_F(PluginsOverTheWire, a_slow_answer_delays_the_pods_that_wait_for_it_and_no_others) {
    constexpr std::size_t kPlain = 200;
    constexpr std::size_t kSlow = 3;
    PluginShim& shim = serve(kNeverLate, 4);
    for (std::size_t i = 0; i < kSlow; ++i) shim.ask(fmt::format("slow-{}", i), true);
    for (std::size_t i = 0; i < kPlain; ++i) shim.ask(fmt::format("plain-{}", i), false);
    ASSERT_TRUE(until([&] { return shim.queries().size() == kSlow && shim.placed() == kPlain; }));
    std::this_thread::sleep_until(shim.queries().back().came + 1s);
    EXPECT_EQ(shim.placed(), kPlain) << "a place without an answer";
    ASSERT_EQ(shim.queries().size(), kSlow) << "asked again before the deadline";
    answer_until_placed(kPlain + kSlow);
    expect_bound(kPlain + kSlow);
}

// Its first answer comes when the second query is there: yes to all, which counts for nothing.
void answer_the_first_too_late(PluginShim& shim, const SeenQuery& query) {
    const std::vector<SeenQuery> all = shim.queries();
    if (all.size() < 2) return;
    if (all.size() == 2) shim.answer(all.front());
    shim.answer(query, query.nodes.front() != all.front().nodes.front());
}

TEST_F(PluginsOverTheWire, an_answer_after_the_deadline_counts_for_nothing) {
    PluginShim& shim = serve("{deadline: 300ms}", 2, answer_the_first_too_late);
    shim.ask("a", true);
    expect_bound(1);
    const std::vector<SeenQuery> queries = shim.queries();
    ASSERT_GE(queries.size(), 2u);
    EXPECT_GE(queries[1].came - queries[0].came, 300ms);
    ASSERT_EQ(shim.places("a").size(), 1u);
    EXPECT_NE(shim.places("a").front(), queries[0].nodes.front()) << "the late answer gave it this node";
    EXPECT_THAT(shim.words("a"), Contains(HasSubstr("plugin license did not answer in 300 ms")));
}

TEST_F(PluginsOverTheWire, a_query_outlives_a_cut) {
    PluginShim& shim = serve(kNeverLate);
    shim.ask("a", true);
    ASSERT_TRUE(until([&] { return shim.queries().size() == 1 && shim.settled(); }));
    shim.cut();
    ASSERT_TRUE(until([&] { return shim.resumes() == 1; })) << daemon_->log();
    shim.answer(shim.queries().front());
    expect_bound(1);
    EXPECT_EQ(shim.queries().size(), 1u) << "asked again though it had resumed";
    EXPECT_EQ(shim.places("a").size(), 1u);
}

TEST_F(PluginsOverTheWire, after_a_resync_the_pod_is_asked_about_again_and_placed_once) {
    PluginShim& shim = serve(kNeverLate);
    shim.ask("plain", false);
    shim.ask("first", true);
    ASSERT_TRUE(until([&] { return shim.queries("first").size() == 1 && shim.placed() == 1; })) << daemon_->log();
    answer_until_placed(2);
    expect_bound(2);
    const std::size_t about_first = shim.queries("first").size();
    shim.ask("second", true);
    ASSERT_TRUE(until([&] { return shim.queries("second").size() == 1; }));
    shim.restart();
    ASSERT_TRUE(until([&] { return shim.queries("second").size() == 2; })) << daemon_->log();
    const std::vector<SeenQuery> queries = shim.queries("second");
    EXPECT_GT(queries[1].number, queries[0].number);
    shim.answer(queries[0]);  // of the process before: nobody waits for it any more
    ASSERT_TRUE(until([&] { return shim.settled(); }));
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(shim.placed(), 2u) << "an answer to the query before the resync counted";
    answer_until_placed(3);
    expect_bound(3);
    for (const char* pod : {"plain", "first", "second"}) EXPECT_EQ(shim.places(pod).size(), 1u) << pod;
    EXPECT_EQ(shim.queries("first").size(), about_first) << "a pod that has its place was asked about again";
}

}  // namespace
}  // namespace bayplan::testing
