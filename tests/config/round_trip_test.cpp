// Every setting, given a value that is not its default, arrives; and the printed settings read back the same.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "config/predicate_lists.h"
#include "config/profile.h"
#include "config/recorded_partition.h"
#include "config_file.h"
#include "every_setting.h"
#include "options/predicate_rows.h"

namespace bayplan::config {
namespace {

Config load(const std::string& file) {
    Config config;
    Faults faults;
    EXPECT_TRUE(load_config(file, four_cpus_two_allowed(), config, faults));
    for (const Fault& fault : faults) ADD_FAILURE() << fault.to_string();
    return config;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

TEST(ConfigRoundTrip, every_setting_is_read_and_differs_from_its_default) {
    const ConfigFolder folder;
    const Config config = load(folder.write("b.yaml", kEverything));
    Config defaults;
    defaults.partitions.emplace_back();
    Config one = config;
    one.partitions.resize(1);
    const std::vector<std::string> given = lines_of(print_config(one));
    const std::vector<std::string> without = lines_of(print_config(defaults));
    for (const std::string& line : given) {
        if (line.ends_with(':')) continue;  // a section's own line
        EXPECT_EQ(std::find(without.begin(), without.end(), line), without.end()) << line << " is at its default";
    }
    EXPECT_EQ(given.size(), 181u) << "a setting was added: give it a line in kEverything\n" << print_config(one);
}

TEST(ConfigRoundTrip, members_have_the_values_given) {
    const ConfigFolder folder;
    const Config config = load(folder.write("b.yaml", kEverything));
    ASSERT_EQ(config.partitions.size(), 2u);
    const PartitionConfig& partition = config.partitions[0];
    EXPECT_EQ(partition.name, "blue \"one\"");
    EXPECT_EQ(partition.shims, (std::vector<std::string>{"yunikorn-*", "other"}));
    EXPECT_EQ(partition.queues_file, (folder.path() / "ca.pem").string());
    EXPECT_EQ(partition.scheduler_config, (folder.path() / "k.pem").string());
    EXPECT_EQ(partition.scheduler_name, "mine");
    EXPECT_TRUE(partition.given.contains("score_weights.DevicePacking"));
    EXPECT_FALSE(config.partitions[1].given.contains("batch"));
    EXPECT_EQ(partition.feature_gates, (std::vector<std::string>{"DRAAdminAccess=true", "DRADeviceTaints=false"}));
    EXPECT_TRUE(partition.engine.queues && !config.partitions[1].engine.queues);
    EXPECT_EQ(partition.engine.credit_window, 32u << 10);
    EXPECT_EQ(partition.engine.unacknowledged_max, 128u << 10);
    EXPECT_EQ(partition.engine.dictionary_max, 5000u);
    EXPECT_EQ(partition.engine.nodes_max, 7000u);
    EXPECT_EQ(partition.engine.applications_max, 11u);
    EXPECT_EQ(partition.engine.asks_max, 3'000'000u);
    EXPECT_EQ(partition.engine.made_queues_max, 300u);
    EXPECT_EQ(partition.engine.shim_rights, (std::vector<ShimRights>{{"yunikorn-*", -7, true, true}}));
    EXPECT_EQ(partition.engine.backoff_initial_ns, 250'000'000);
    EXPECT_EQ(partition.engine.backoff_max_ns, 60'000'000'000);
    EXPECT_EQ(partition.engine.score, ScorePolicy::requested_to_capacity_ratio);
    const std::vector<ScorePoint>& shape = partition.engine.score_shape;
    ASSERT_EQ(shape.size(), 3u);
    EXPECT_EQ(shape[0].utilization, 10);
    EXPECT_EQ(shape[0].score, 0);
    EXPECT_EQ(shape[1].utilization, 60);
    EXPECT_EQ(shape[1].score, 10);
    EXPECT_EQ(shape[2].utilization, 90);
    EXPECT_EQ(shape[2].score, 3);
    EXPECT_EQ(partition.engine.score_resources, (std::vector<ScoredResource>{{"example.com/gpu", 7}, {"cpu", 2}}));
    EXPECT_EQ(partition.engine.specs_max, 40'000u);
    EXPECT_EQ(partition.engine.label_terms_max, 77u);
    EXPECT_EQ(partition.engine.topology_keys_max, 78u);
    EXPECT_EQ(partition.engine.objects_max, 600'000u);
    const ScoreWeights& weights = partition.engine.weights;
    EXPECT_EQ(weights[ScoreId::taint_toleration], 31);
    EXPECT_EQ(weights[ScoreId::node_affinity], 32);
    EXPECT_EQ(weights[ScoreId::pod_topology_spread], 33);
    EXPECT_EQ(weights[ScoreId::inter_pod_affinity], 34);
    EXPECT_EQ(weights[ScoreId::dynamic_resources], 38);
    EXPECT_EQ(weights[ScoreId::resources_fit], 35);
    EXPECT_EQ(weights[ScoreId::balanced_allocation], 36);
    EXPECT_EQ(weights[ScoreId::image_locality], 0);
    EXPECT_EQ(weights[ScoreId::device_packing], 37);
    EXPECT_EQ(partition.engine.predicates, (std::vector<std::string>{"NodeResourcesFit", "NodeName"}));
    EXPECT_EQ(partition.engine.reservation_predicates, std::vector<std::string>{"NodeAffinity"});
    EXPECT_EQ(partition.engine.compat, Compat::kubernetes_1_35);
    EXPECT_FALSE(partition.engine.resize_in_place);
    EXPECT_FALSE(partition.engine.allocation_tags);
    EXPECT_EQ(partition.engine.application_idle_ns, 8'000'000'000);
    EXPECT_FALSE(partition.engine.backoff_early);
    EXPECT_EQ(partition.engine.device_choice, DeviceChoice::emptiest);
    EXPECT_EQ(partition.engine.avoid_rejecting_ns, 7'000'000'000);
    EXPECT_EQ(partition.engine.scale_up_cutoff, -5);
    EXPECT_EQ(partition.engine.resync_deadline_ns, 11'000'000'000);
    EXPECT_EQ(partition.engine.bytes_max, std::uint64_t{3} << 30);
    EXPECT_EQ(partition.engine.unacknowledged_bytes_max, 77u << 20);
    const PreemptionOptions& preemption = partition.engine.preemption;
    EXPECT_FALSE(preemption.enabled);
    EXPECT_EQ(preemption.victim_order, VictimOrder::start);
    EXPECT_TRUE(preemption.nominated_node_first);
    EXPECT_EQ(preemption.lower_nominations, LowerNominations::clear);
    EXPECT_EQ(preemption.preempt_again, PreemptAgain::marked);
    EXPECT_EQ(preemption.stuck_after_ns, 9'000'000'000);
    EXPECT_EQ(preemption.victim_retries, 4u);
    EXPECT_FALSE(preemption.guarantee);
    EXPECT_FALSE(preemption.daemonset.enabled);
    EXPECT_EQ(preemption.daemonset.delay_ns, 45'000'000'000);
    EXPECT_EQ(preemption.daemonset.strategies, VictimStrategies::multiple_single);
    EXPECT_EQ(preemption.daemonset.single_deviation, 7'500'000);
    EXPECT_EQ(preemption.daemonset.multiple_max, 3u);
    EXPECT_EQ(preemption.daemonset.of_node_max, 5u);
    EXPECT_EQ(preemption.daemonset.expiry_ns, 120'000'000'000);
    EXPECT_TRUE(preemption.daemonset.foreign_victims);
    EXPECT_EQ(partition.engine.executor, ExecutorKind::threads);
    EXPECT_EQ(partition.engine.simd, SimdLevel::avx2);
    EXPECT_EQ(partition.engine.path, BatchPath::graph);
    EXPECT_EQ(partition.engine.workers, 3u);
    EXPECT_EQ(partition.engine.victim_workers, 5u);
    EXPECT_EQ(partition.engine.teller, TellerMode::inline_);
    EXPECT_EQ(partition.engine.teller_ring_bytes, 64u << 10);
    EXPECT_TRUE(partition.engine.preemption_reports);
    EXPECT_EQ(partition.engine.victim_path, VictimPath::workers);
    EXPECT_EQ(partition.engine.shards, 16u);
    EXPECT_EQ(partition.engine.batch, 256u);
    EXPECT_EQ(partition.engine.depth, 1u);
    EXPECT_EQ(partition.engine.class_caches_bytes, 3u << 20);
    EXPECT_EQ(config.partitions[1].engine.batch, EngineOptions{}.batch);
    EXPECT_EQ(config.data_plane.udp_port, 8000);
    EXPECT_EQ(config.data_plane.eal, (std::vector<std::string>{"--no-huge", "-m", "256"}));
    EXPECT_EQ(config.data_plane.transport.tls.authority, (folder.path() / "ca.pem").string());
    EXPECT_EQ(config.data_plane.transport.send_buffer_bytes, 2u << 20);
    EXPECT_EQ(config.data_plane.transport.idle_timeout_ms, 12'000u);
    EXPECT_EQ(config.profile.plan.describe(threads::Role::engine), "[0, 1]");
    EXPECT_EQ(config.profile.plan.describe(threads::Role::housekeeping), "0-1");
    const HostNeeds& needs = config.profile.host;
    ASSERT_EQ(needs.isolated.size(), 2u);
    EXPECT_TRUE(needs.isolated[1].contains(1));
    EXPECT_EQ(needs.memory, std::int64_t{6} << 30);
    EXPECT_EQ(needs.hugepages, std::int64_t{512} << 20);
    EXPECT_EQ(needs.hugepage_size, HugepageSize::one_gi);
    EXPECT_EQ(needs.nics, (std::vector<std::string>{"0000:03:00.0", "eth1"}));
    EXPECT_EQ(needs.governor, Governor::performance);
    EXPECT_EQ(needs.clocksource, Clocksource::tsc);
    EXPECT_EQ(needs.transparent_hugepages, TransparentHugepages::never);
    EXPECT_EQ(needs.swap, Swap::off);
    EXPECT_EQ(config.record, (folder.path() / "run.rec").string());
    EXPECT_EQ(config.stop_within_ns, 1'500'000'000);
    EXPECT_EQ(config.rest.listen, "[::1]:9081");
    EXPECT_EQ(config.rest.cors, "https://board.example");
    EXPECT_FALSE(config.events.tracking);
    EXPECT_EQ(config.events.ring_events, 5'000u);
    EXPECT_EQ(config.events.ring_bytes, 2u << 20);
    EXPECT_EQ(config.events.batch_events, 50u);
    EXPECT_EQ(config.events.streams, 7u);
    EXPECT_EQ(config.events.streams_of_host, 2u);
    EXPECT_FALSE(config.events.node_occupied);
    EXPECT_EQ(config.operations.admin_socket, (folder.path() / "admin.sock").string());
    EXPECT_EQ(config.operations.flight_recorder, (folder.path() / "flight.txt").string());
    EXPECT_EQ(config.operations.watchdog_ns, 3'000'000'000);
    EXPECT_EQ(config.operations.audit_longest_ns, 7'000'000);
    EXPECT_EQ(config.record_bytes_max, 5u << 20);
    EXPECT_EQ(config.record_runs, 3u);
    EXPECT_TRUE(config.profile.lock_memory);
    EXPECT_EQ(config.privileges.user, "bayplan");
    EXPECT_TRUE(config.privileges.core_dumps);
    EXPECT_TRUE(config.privileges.all_system_calls);
}

TEST(ConfigRoundTrip, what_is_printed_reads_back_the_same) {
    const ConfigFolder folder;
    for (const std::string_view text : {kEverything, kSoundConfig}) {
        const std::string printed = print_config(load(folder.write("b.yaml", text)));
        EXPECT_EQ(print_config(load(folder.write("again.yaml", printed))), printed);
    }
}

TEST(ConfigRoundTrip, the_manual_names_every_setting_with_its_default) {
    const ConfigFolder folder;
    const std::string manual = config_manual();
    for (const std::string& line : lines_of(print_config(load(folder.write("b.yaml", kEverything))))) {
        const std::size_t name = line.find_first_not_of(" -");
        const std::string key = line.substr(name, line.find(':') - name + 1);
        EXPECT_TRUE(manual.find(" " + key) != std::string::npos || manual.find("\n" + key) != std::string::npos)
            << key << " is not in the manual";
    }
    EXPECT_NE(manual.find("credit_window: 64Ki\n"), std::string::npos);
    EXPECT_NE(manual.find("backoff_max: 10s\n"), std::string::npos);
    EXPECT_NE(manual.find("score_shape: [\"0:0\", \"100:10\"]\n"), std::string::npos);
    EXPECT_NE(manual.find("score_resources: [\"cpu:1\", \"memory:1\"]\n"), std::string::npos);
}

TEST(ConfigRoundTrip, the_profiles_that_come_with_the_program_are_sound) {
    const ConfigFolder folder;
    const threads::HostCpus host = many_cpus(64);
    for (const std::string name : {"any", "laptop-2", "server-16", "server-64-numa2", "vm-sriov"}) {
        const std::string file = std::string(BAYPLAN_SOURCE_ROOT "/tuning/profiles/") + name + ".yaml";
        Config config;
        Faults faults;
        ASSERT_TRUE(load_config(folder.write("b.yaml", std::string(kSoundConfig) + "profile: " + file + "\n"), host,
                                config, faults))
            << (faults.empty() ? "" : faults[0].to_string());
        EXPECT_EQ(config.profile.source, file);
        EXPECT_EQ(config.profile.plan.of(threads::Role::engine).empty(), name == "any");
        EXPECT_TRUE(threads::plan_warnings(config.profile.plan, name != "laptop-2").empty()) << name;
        EXPECT_EQ(config.profile.lock_memory, name == "server-16") << name;
        ProfileConfig alone;
        ASSERT_TRUE(load_profile(file, alone, faults));
        EXPECT_EQ(alone.plan, config.profile.plan);
        EXPECT_EQ(alone.host, config.profile.host);
        ProfileConfig again;
        ASSERT_TRUE(load_profile(folder.write("p.yaml", profile_text(alone)), again, faults));
        EXPECT_EQ(again.plan, alone.plan);
        EXPECT_EQ(again.host, alone.host);
    }
}

TEST(ConfigRoundTrip, a_profile_on_its_own_may_name_cpus_of_another_host_but_not_nonsense) {
    const ConfigFolder folder;
    ProfileConfig profile;
    Faults faults;
    EXPECT_TRUE(load_profile(folder.write("p.yaml", "engine: 900\n"), profile, faults));
    EXPECT_FALSE(load_profile(folder.write("p.yaml", "engin: 1\nhost:\n  governor: fast\n"), profile, faults));
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_NE(faults[0].to_string().find("p.yaml:1:1: "), std::string::npos);
    EXPECT_NE(faults[1].to_string().find("one of any, performance"), std::string::npos);
}

TEST(RecordedPartition, reads_back_with_the_instance_that_no_file_can_give) {
    const ConfigFolder folder;
    PartitionConfig partition = load(folder.write("b.yaml", kEverything)).partitions[0];
    partition.engine.daemon_instance = 0x7123456789abcdef;
    partition.engine.coscheduling.mode = Coscheduling::unit;
    PartitionConfig again;
    Faults faults;
    ASSERT_TRUE(parse_recorded_text(recorded_text(partition), "record", again, faults));
    EXPECT_EQ(recorded_text(again), recorded_text(partition));
    EXPECT_EQ(again.engine.daemon_instance, partition.engine.daemon_instance);
    EXPECT_TRUE(again.engine.queues);
    EXPECT_EQ(again.queues_file, "") << "the text is an input of the run";
    EXPECT_EQ(recorded_text(partition).find("scheduler_"), std::string::npos) << "what it says stands in the settings";
    EXPECT_EQ(again.engine.batch, 256u);
    EXPECT_EQ(again.engine.predicates, partition.engine.predicates);
    EXPECT_EQ(again.engine.weights[ScoreId::inter_pod_affinity], 34);
    EXPECT_EQ(again.engine.compat, Compat::kubernetes_1_35);
    EXPECT_EQ(again.engine.coscheduling.mode, Coscheduling::unit);
    EXPECT_EQ(again.engine.specs_max, 40'000u);
    EXPECT_EQ(again.engine.label_terms_max, 77u);
    EXPECT_EQ(again.engine.topology_keys_max, 78u);
    EXPECT_EQ(again.engine.objects_max, 600'000u);
    EXPECT_EQ(again.engine.score_shape.size(), 3u);
    EXPECT_EQ(again.engine.score_resources, partition.engine.score_resources);
    EXPECT_FALSE(parse_recorded_text("name: a\nbatch: x\n", "record", again, faults));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].to_string(), "record:2:8: 'batch' is 'x'; give a whole number");
}

// A record made before there were these settings was made with their defaults.
TEST(RecordedPartition, what_is_not_in_the_record_is_at_its_default) {
    PartitionConfig partition;
    Faults faults;
    ASSERT_TRUE(parse_recorded_text("name: a\n", "record", partition, faults));
    EXPECT_EQ(recorded_text(partition).find("predicates"), std::string::npos);
    EXPECT_TRUE(partition.engine.predicates.empty());
    EXPECT_EQ(partition.engine.compat, Compat::bayplan);
    EXPECT_EQ(partition.engine.score_shape.size(), 2u);
    EXPECT_EQ(partition.engine.score_resources, (std::vector<ScoredResource>{{"cpu", 1}, {"memory", 1}}));
    EXPECT_EQ(partition.engine.weights[ScoreId::taint_toleration], 3);
}

// But pod groups: the builds that recorded before there was the setting placed every ask on its own.
TEST(RecordedPartition, a_recording_without_coscheduling_has_none) {
    PartitionConfig partition;
    Faults faults;
    ASSERT_TRUE(parse_recorded_text("name: a\n", "record", partition, faults));
    EXPECT_EQ(partition.engine.coscheduling.mode, Coscheduling::off);
    EXPECT_EQ(PartitionConfig{}.engine.coscheduling.mode, Coscheduling::unit);
}

TEST(RecordedPartition, a_recording_of_before_pod_terms_had_a_limit_has_none) {
    PartitionConfig partition;
    Faults faults;
    ASSERT_TRUE(parse_recorded_text("name: a\n", "record", partition, faults));
    EXPECT_EQ(partition.engine.label_terms_max, 10'000'000u);
    EXPECT_EQ(partition.engine.topology_keys_max, 10'000'000u);
}

// The name that `bayplan` had in earlier releases: read, and written as it is called now.
TEST(RecordedPartition, the_former_name_of_compat_is_read) {
    PartitionConfig partition;
    partition.engine.compat = Compat::kubernetes_1_35;
    partition.engine.preemption = PreemptionOptions::of(Compat::kubernetes_1_35);
    Faults faults;
    ASSERT_TRUE(
        parse_recorded_text("name: a\ncompat: seed\npreemption: {compat: seed}\n", "record", partition, faults));
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(partition.engine.compat, Compat::bayplan);
    EXPECT_EQ(partition.engine.preemption.victim_order, VictimOrder::qos);
    const std::string text = recorded_text(partition);
    EXPECT_EQ(text.find("seed"), std::string::npos) << text;
    EXPECT_NE(text.find("compat: bayplan"), std::string::npos) << text;
}

TEST(PredicateOverrides, stand_above_every_partition_and_refuse_what_they_do_not_know) {
    const ConfigFolder folder;
    Config config = load(folder.write("b.yaml", kEverything));
    Faults faults;
    override_predicates({.predicates = {{"InterPodAffinity"}}, .reservation_predicates = {}}, "baypland", config,
                        faults);
    EXPECT_TRUE(faults.empty());
    for (const PartitionConfig& partition : config.partitions) {
        EXPECT_EQ(partition.engine.predicates, std::vector<std::string>{"InterPodAffinity"});
    }
    EXPECT_EQ(config.partitions[0].engine.reservation_predicates, std::vector<std::string>{"NodeAffinity"});
    override_predicates({.predicates = {}, .reservation_predicates = {{"NodeName", "NodeFit"}}}, "baypland", config,
                        faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].to_string(), fmt::format("baypland: '--reservation-predicates' is 'NodeFit', which is no "
                                                 "predicate; known are {}",
                                                 fmt::join(kPredicateNames, ", ")));
}

}  // namespace
}  // namespace bayplan::config
