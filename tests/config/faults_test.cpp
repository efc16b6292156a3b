// Every kind of fault: where it is reported and what the reader is told to do. All faults at once.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "config_file.h"
#include "options/predicate_rows.h"

namespace bayplan::config {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kTls = "  tls: {certificate: c.pem, key: k.pem, authority: ca.pem}\n";

std::string with_partition(std::string_view line) {
    return "partitions:\n  - name: a\n    " + std::string(line) + "\ndata_plane:\n" + std::string(kTls);
}
std::string with_data_plane(std::string_view line) {
    return "partitions:\n  - name: a\ndata_plane:\n" + std::string(kTls) + "  " + std::string(line) + "\n";
}
std::string with(std::string_view line) { return std::string(kSoundConfig) + std::string(line) + "\n"; }

TEST(ConfigFaults, a_sound_file_has_none) { EXPECT_EQ(faults_of(kSoundConfig), Lines{}); }

struct Case {
    std::string yaml;
    std::string expected;
};

void expect_each(const std::vector<Case>& cases) {
    for (const Case& each : cases) EXPECT_EQ(faults_of(each.yaml), Lines{each.expected}) << each.yaml;
}

TEST(ConfigFaults, keys) {
    expect_each({
        {with_partition("bacth: 16"), "b.yaml:3:5: unknown key 'bacth' in partitions[0]; did you mean 'batch'?"},
        {with("dataplane: {}"), "b.yaml:6:1: unknown key 'dataplane' at the top level; did you mean 'data_plane'?"},
        {with("log: {colour: red}"), "b.yaml:6:7: unknown key 'colour' in log; known are level, format"},
        {with("stop_within: 1s\nstop_within: 2s"),
         "b.yaml:7:1: 'stop_within' is given twice at the top level, first on line 6; remove one "
         "of them"},
        {with_partition("name: b"),
         "b.yaml:3:5: 'name' is given twice in partitions[0], first on line 2; remove one of them"},
        {with("[a, b]: 1"), "b.yaml:6:1: a key at the top level is a list; give a name"},
    });
}

TEST(ConfigFaults, types) {
    expect_each({
        {with_partition("batch: many"), "b.yaml:3:12: 'partitions[0].batch' is 'many'; give a whole number"},
        {with_partition("credit_window: 64KiB"),
         "b.yaml:3:20: 'partitions[0].credit_window' is '64KiB'; give a whole number such as 4096, "
         "64Ki or 1M"},
        {with_partition("backoff_initial: 10"),
         "b.yaml:3:22: 'partitions[0].backoff_initial' is '10'; give a whole number with a unit "
         "(ns us ms s m h d) such as 10s"},
        {with_partition("batch: [1]"), "b.yaml:3:12: 'partitions[0].batch' is a list; give a whole number"},
        {with_partition("score: most_alocated"),
         "b.yaml:3:12: 'partitions[0].score' is 'most_alocated'; did you mean 'most_allocated'?"},
        {with_partition("executor: gpu"),
         "b.yaml:3:15: 'partitions[0].executor' is 'gpu'; give one of inline, threads, tbb"},
        {with_partition("shims: {a: b}"),
         "b.yaml:3:12: 'partitions[0].shims' is a mapping; give a text or a list of texts"},
        {with_partition("shims: [a, [b]]"), "b.yaml:3:16: 'partitions[0].shims[1]' is a list; give a text"},
        {with("log: loud"), "b.yaml:6:6: 'log' is 'loud'; give a mapping (name: value)"},
        {with("log:"), "b.yaml:6:1: 'log' has no value; give a mapping (name: value), or remove the key"},
        {"partitions: {name: a}\ndata_plane:\n" + std::string(kTls),
         "b.yaml:1:13: 'partitions' is a mapping; give a list (- name: value)"},
        {"- a\n", "b.yaml:1:1: the file is a list; give a mapping of settings; see baypland --help-config"},
    });
}

TEST(ConfigFaults, bounds) {
    expect_each({
        {with_partition("batch: 0"), "b.yaml:3:12: 'partitions[0].batch' is 0, which is out of bounds; give 1 .. 4096"},
        {with_partition("workers: -1"),
         "b.yaml:3:14: 'partitions[0].workers' is -1, which is out of bounds; give 1 .. 256"},
        {with_partition("credit_window: 1Gi"),
         "b.yaml:3:20: 'partitions[0].credit_window' is 1Gi, which is out of bounds; give 1 .. "
         "16Mi"},
        {with_data_plane("udp_port: 65536"),
         "b.yaml:5:13: 'data_plane.udp_port' is 65536, which is out of bounds; give 0 .. 65535"},
        {with_data_plane("frame_bytes_max: 512Ki"),
         "b.yaml:5:20: 'data_plane.frame_bytes_max' is 512Ki, which is out of bounds; give 1Mi .. "
         "64Mi"},
        {with("stop_within: 1h"), "b.yaml:6:14: 'stop_within' is 1h, which is out of bounds; give 0 .. 10m"},
    });
}

TEST(ConfigFaults, rules) {
    const std::string known = fmt::format("which is no predicate; known are {}", fmt::join(kPredicateNames, ", "));
    const auto no_corner = [](int column, int index, const std::string& text) {
        return fmt::format(
            "b.yaml:3:{}: 'partitions[0].score_shape[{}]' is '{}', which is no "
            "corner; give UTILIZATION:SCORE, 0 .. 100 and 0 .. 10",
            column, index, text);
    };
    expect_each({
        {with_partition("predicates: [NodeName, NodeFit]"),
         "b.yaml:3:28: 'partitions[0].predicates[1]' is 'NodeFit', " + known},
        {with_partition("reservation_predicates: nodename"),
         "b.yaml:3:29: 'partitions[0].reservation_predicates' is 'nodename', " + known},
        {with_partition("feature_gates: [DRAAdminAccess=true, DRADeviceTaints=true]"),
         "b.yaml:3:42: 'partitions[0].feature_gates[1]' is 'DRADeviceTaints=true', and what it stands for is not "
         "built; "
         "remove it"},
        {with_partition("feature_gates: DRAPrioritizedList=false"),
         "b.yaml:3:20: 'partitions[0].feature_gates' is 'DRAPrioritizedList=false', and what it stands for cannot be "
         "left out; remove it"},
        {with_partition("feature_gates: DRAExtendedResource"),
         "b.yaml:3:20: 'partitions[0].feature_gates' is 'DRAExtendedResource', which says neither true nor false; give "
         "DRAExtendedResource=false"},
        {with_partition("feature_gates: [PodLevelResources=true]"),
         "b.yaml:3:21: 'partitions[0].feature_gates[0]' is 'PodLevelResources=true', which is no gate of dynamic "
         "resources; known are DynamicResourceAllocation, DRAAdminAccess, DRAPrioritizedList, "
         "DRAResourceClaimDeviceStatus, DRASchedulerFilterTimeout, DRAConsumableCapacity, DRAPartitionableDevices, "
         "DRADeviceTaints, DRADeviceTaintRules, DRADeviceBindingConditions, DRAExtendedResource"},
        {with_partition("predicates: []"),
         "b.yaml:3:17: 'partitions[0].predicates' is empty; name at least one, or remove the key: "
         "all are then on"},
        {with_partition("predicates: {NodeName: yes}"),
         "b.yaml:3:17: 'partitions[0].predicates' is a mapping; give a text or a list of texts"},
        {with_partition("predicates: [[NodeName]]"),
         "b.yaml:3:18: 'partitions[0].predicates[0]' is a list; give a text"},
        {with_partition("score_weights: {ImageLocality: 101}"),
         "b.yaml:3:36: 'partitions[0].score_weights.ImageLocality' is 101, which is out of bounds; "
         "give 0 .. 100"},
        {with_partition("score_weights: {NodeAfinity: 1}"),
         "b.yaml:3:21: unknown key 'NodeAfinity' in partitions[0].score_weights; did you mean "
         "'NodeAffinity'?"},
        {with_partition("score_resources: [cpu]"),
         "b.yaml:3:23: 'partitions[0].score_resources[0]' is 'cpu', which is no kind with a weight; give KIND:WEIGHT, "
         "the "
         "weight 1 .. 100"},
        {with_partition("score_resources: [cpu:0]"),
         "b.yaml:3:23: 'partitions[0].score_resources[0]' is 'cpu:0', which is no kind with a weight; give "
         "KIND:WEIGHT, "
         "the weight 1 .. 100"},
        {with_partition("score_resources: [cpu:101]"),
         "b.yaml:3:23: 'partitions[0].score_resources[0]' is 'cpu:101', which is no kind with a weight; give "
         "KIND:WEIGHT, the weight 1 .. 100"},
        {with_partition("score_resources: [cpu:1, memory:1, cpu:2]"),
         "b.yaml:3:40: 'partitions[0].score_resources[2]' is 'cpu:2', a kind that was given before; give each kind "
         "once"},
        {with_partition("score_resources: []"),
         "b.yaml:3:22: 'partitions[0].score_resources' has 0 kinds; give 1 .. 16 such as \"cpu:1\", or remove the key"},
        {with_partition("score_resources: cpu:1"),
         "b.yaml:3:22: 'partitions[0].score_resources' is 'cpu:1'; give a list such as [\"cpu:1\", \"memory:1\"]"},
        {with_partition("score_shape: 0:10"),
         "b.yaml:3:18: 'partitions[0].score_shape' is '0:10'; give a list such as [\"0:0\", "
         "\"100:10\"]"},
        {with_partition("score_shape: []"),
         "b.yaml:3:18: 'partitions[0].score_shape' is empty; give at least one corner such as "
         "\"0:10\", or remove the key"},
        {with_partition("score_shape: [0:0, 101:1]"), no_corner(24, 1, "101:1")},
        {with_partition("score_shape: [0:0, 100:11]"), no_corner(24, 1, "100:11")},
        {with_partition("score_shape: [\"-1:0\"]"), no_corner(19, 0, "-1:0")},
        {with_partition("score_shape: [0:-1]"), no_corner(19, 0, "0:-1")},
        {with_partition("score_shape: [50]"), no_corner(19, 0, "50")},
        {with_partition("score_shape: [50:5:5]"), no_corner(19, 0, "50:5:5")},
        {with_partition("score_shape: [50:5, 50:6]"),
         "b.yaml:3:25: 'partitions[0].score_shape[1]' is '50:6', not above the utilization before "
         "it; sort the corners by utilization, each given once"},
        {with_partition("score_shape: [50:5, [1]]"),
         "b.yaml:3:25: 'partitions[0].score_shape[1]' is a list; give a text such as \"50:5\""},
        {with_partition("compat: kubernetes"),
         "b.yaml:3:13: 'partitions[0].compat' is 'kubernetes'; give one of bayplan, kubernetes-1.35"},
    });
}

TEST(ConfigFaults, what_is_missing) {
    expect_each({
        {"partitions:\n  - shims: x\ndata_plane:\n" + std::string(kTls),
         "b.yaml:2:5: 'partitions[0].name' is missing; give a name: What shims call the partition "
         "in their hello."},
        {"partitions: []\ndata_plane:\n" + std::string(kTls),
         "b.yaml:1:13: 'partitions' is empty; give at least one entry"},
        {"partitions:\n  - name: a\n",
         "b.yaml:1:1: 'data_plane' is missing; give a mapping: How shims reach the daemon."},
        {"partitions:\n  - name: a\ndata_plane:\n  tls: {certificate: c.pem, key: k.pem}\n",
         "b.yaml:4:8: 'data_plane.tls.authority' is missing; give a file: The authority that "
         "shims' certificates must be "
         "signed by, PEM."},
    });
}

TEST(ConfigFaults, files_and_addresses) {
    expect_each({
        {"partitions:\n  - name: a\ndata_plane:\n  tls: {certificate: no.pem, key: k.pem, "
         "authority: ca.pem}\n",
         "b.yaml:4:22: 'data_plane.tls.certificate': cannot read no.pem: No such file or "
         "directory; name a file that this "
         "process may read (relative paths start at this file's folder)"},
        {with("record: no/run.rec"),
         "b.yaml:6:9: 'record': cannot write into no: No such file or directory; name a file in a "
         "folder that exists and "
         "that this process may write into"},
        {with_data_plane("address: 10.0.0.300"),
         "b.yaml:5:12: 'data_plane.address': '10.0.0.300' is not an IP address; give four "
         "numbers such as 10.99.0.2"},
        {with_data_plane("gateway: \"fd99::1\""),
         "b.yaml:5:12: 'data_plane.gateway': 'fd99::1' is not an IPv4 address; give four numbers "
         "such as 10.99.0.2"},
        {with_data_plane("address6: 10.99.0.2"),
         "b.yaml:5:13: 'data_plane.address6': '10.99.0.2' is not an IPv6 address; give one such as "
         "\"fd99::2\", in quotes"},
    });
}

TEST(ConfigFaults, cpus) {
    expect_each({
        {with("profile: {engine: 7}"),
         "b.yaml:6:19: 'profile.engine': CPU 7 is not on this host; this host has CPUs 0-3"},
        {with("profile: {workers: [0, 2-3]}"),
         "b.yaml:6:24: 'profile.workers[1]': CPU 2-3 may not be used by this process; its affinity "
         "or cpuset allows CPUs "
         "0-1: widen that, or choose of these"},
        {with("profile: {engine: 3-1}"),
         "b.yaml:6:19: 'profile.engine': the range '3-1' runs backwards; give CPUs such as 0-3,5"},
        {with("profile: {engin: 1}"), "b.yaml:6:11: unknown key 'engin' in profile; did you mean 'engine'?"},
        {with("profile: p.yaml"),
         "b.yaml:6:10: 'profile': cannot read p.yaml: No such file or directory; name a file that "
         "this process may read "
         "(relative paths start at this file's folder)"},
    });
    EXPECT_EQ(faults_of(with("profile: p.yaml"), "# one\nengine: 0\nworkers: 9\n"),
              Lines{"p.yaml:3:10: 'workers': CPU 9 is not on this host; this host has CPUs 0-3"});
}

TEST(ConfigFaults, settings_that_contradict_each_other) {
    expect_each({
        {with_partition("backoff_initial: 20s"),
         "b.yaml:3:5: 'partitions[0].backoff_max' is shorter than backoff_initial; make it at "
         "least as long"},
        {with_partition("unacknowledged_max: 1Ki"),
         "b.yaml:3:5: 'partitions[0].unacknowledged_max' is smaller than credit_window; make it "
         "larger: a shim would be cut "
         "before its credit is used"},
        {"partitions:\n  - name: a\n  - name: a\ndata_plane:\n" + std::string(kTls),
         "b.yaml:3:5: 'partitions[1].name' is 'a', as is partitions[0].name; give each partition a "
         "name of its own"},
        {"partitions:\n  - name: a/b\ndata_plane:\n" + std::string(kTls),
         "b.yaml:2:5: 'partitions[0].name' is not usable as a name; give at most 128 letters "
         "without '/' and control characters"},
        {with_data_plane("eal: [--no-huge]"),
         "b.yaml:5:3: 'data_plane.eal' is for a DPDK port, and this one is a kernel port; set "
         "'data_plane.port: dpdk', or remove eal"},
        {with_data_plane("device: net_ring0"),
         "b.yaml:5:3: 'data_plane.device' is for a DPDK port, and this one is a kernel port; set "
         "'data_plane.port: dpdk', or "
         "remove device"},
        {with_data_plane("send_buffer: 1Mi"),
         "b.yaml:5:3: 'data_plane.send_buffer' cannot hold one message of frame_bytes_max; make it "
         "larger than frame_bytes_max"},
        {with_data_plane("inbox_bytes: 64Ki"),
         "b.yaml:5:3: 'data_plane.inbox_bytes' cannot hold one message of frame_bytes_max; make it "
         "at least frame_bytes_max"},
        {with_data_plane("vlan: 7"),
         "b.yaml:3:1: address6, gateways, prefix lengths and vlan are for a DPDK port: the kernel "
         "has its own; set 'data_plane.port: dpdk', or remove them"},
        {with_data_plane("telemetry: yes"),
         "b.yaml:3:1: telemetry and capture are for a DPDK port; set 'data_plane.port: dpdk', or remove them"},
        {with_data_plane("port: dpdk\n  address: \"::1\""),
         "b.yaml:6:3: 'data_plane.address' of a DPDK port is for IPv4; give the IPv6 address as "
         "'data_plane.address6'"},
        {with_data_plane("port: dpdk"),
         "b.yaml:3:1: a DPDK port needs an address of its own; give 'data_plane.address': the port "
         "answers ARP for it"},
    });
}

TEST(ConfigFaults, text_that_is_no_yaml) {
    expect_each({
        {"partitions: [a\n",
         "b.yaml:2:1: this is not YAML: end of sequence flow not found; check indentation, "
         "brackets and "
         "quotes here and on the line before"},
        {"", "b.yaml:1:1: the file has no settings; see baypland --help-config"},
        {with("log: *x"),
         "b.yaml:6:6: this is not YAML: the referenced anchor is not defined; check indentation, "
         "brackets and "
         "quotes here and on the line before"},
        {with("---\nlog: {}"), "b.yaml:7:1: the file holds a second document; keep one; remove the line '---'"},
    });
    const Lines aliased = faults_of(with("stop_within: &x 1s\nrecord: *x"));
    ASSERT_FALSE(aliased.empty());
    EXPECT_EQ(aliased[0], "b.yaml:7:9: aliases (*name) are not understood here; write the value out");
}

TEST(ConfigFaults, all_are_reported_at_once_in_order_of_place) {
    EXPECT_EQ(faults_of("partitions:\n"
                        "  - name: a\n"
                        "    batch: 0\n"
                        "    shads: 4\n"
                        "data_plane:\n"
                        "  port: dpk\n"
                        "profile: {engine: 9}\n"
                        "profile: any\n"),
              (Lines{
                  "b.yaml:3:12: 'partitions[0].batch' is 0, which is out of bounds; give 1 .. 4096",
                  "b.yaml:4:5: unknown key 'shads' in partitions[0]; did you mean 'shards'?",
                  "b.yaml:6:3: 'data_plane.tls' is missing; give a mapping: Who we are and whom we "
                  "trust.",
                  "b.yaml:6:9: 'data_plane.port' is 'dpk'; did you mean 'dpdk'?",
                  "b.yaml:7:19: 'profile.engine': CPU 9 is not on this host; this host has CPUs 0-3",
                  "b.yaml:8:1: 'profile' is given twice at the top level, first on line 7; remove one of "
                  "them",
              }));
}

TEST(ConfigFaults, a_file_that_is_not_there) {
    Config config;
    Faults faults;
    EXPECT_FALSE(load_config("/nonexistent/b.yaml", four_cpus_two_allowed(), config, faults));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].to_string(),
              "/nonexistent/b.yaml: cannot be read: No such file or directory; name a file that "
              "this process may read");
    faults.clear();
    EXPECT_FALSE(load_config("/tmp", four_cpus_two_allowed(), config, faults));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].to_string(), "/tmp: cannot be read: Is a directory; name a file that this process may read");
}

}  // namespace
}  // namespace bayplan::config
