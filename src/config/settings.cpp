// Every setting of baypland: name, member, form, bounds, doc. Nothing else describes the
// configuration.
//
// Thread: any; the tables are built on first use and constant after.
#include "config/settings.h"

#include "config/attempt_settings.h"
#include "config/event_settings.h"
#include "config/kubernetes_settings.h"
#include "config/operation_settings.h"
#include "config/predicate_lists.h"
#include "config/privilege_settings.h"
#include "config/profile.h"
#include "config/rest_settings.h"
#include "config/score_resources.h"
#include "config/score_shape.h"
#include "config/setting_values.h"
#include "config/transport_settings.h"

namespace bayplan::config {
namespace {

constexpr auto kPlain = NumberForm::plain;
constexpr auto kSize = NumberForm::size;
constexpr auto kDuration = NumberForm::duration;
constexpr std::int64_t kMebi = 1 << 20;

const Settings<ShimRights>& right_settings() {
    static const Settings<ShimRights> table = [] {
        using R = ShimRights;
        Settings<R> result;
        const Choices<bool> yes_or_no{{"no", false}, {"yes", true}};
        result.push_back(text("shim", MEMBER(R, shim), "a glob", "Over the common name of the certificate."));
        result.back().required = true;
        result.push_back(number("priority_max", MEMBER(R, priority_max), kPlain, {INT32_MIN, INT32_MAX}, "",
                                "The highest priority of asks that are to be placed; one above is rejected."));
        result.push_back(choice("force", MEMBER(R, force), yes_or_no,
                                "Whether it may state pods as running on nodes of other shims, room or not, and "
                                "applications as running already, whatever queues take."));
        result.push_back(choice("change", MEMBER(R, change), yes_or_no,
                                "Whether it may restate and remove objects of other shims."));
        return result;
    }();
    return table;
}

void append_limits(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    table.push_back(number("credit_window", MEMBER(P, engine.credit_window), kSize, {1, 16 * kMebi}, "decisions",
                           "Placements and releases that a shim may leave unacknowledged; beyond, its asks wait."));
    table.push_back(number("unacknowledged_max", MEMBER(P, engine.unacknowledged_max), kSize, {1, 64 * kMebi},
                           "decisions",
                           "Unacknowledged decisions of all kinds kept for a shim; beyond, it "
                           "is cut and must state everything anew."));
    table.push_back(number("dictionary_max", MEMBER(P, engine.dictionary_max), kSize, {1, 16'000'000}, "texts",
                           "Dictionary entries per shim; more are rejected."));
    table.push_back(number("nodes_max", MEMBER(P, engine.nodes_max), kSize, {1, 2'000'000}, "nodes",
                           "Nodes per shim; more are rejected."));
    table.push_back(number("applications_max", MEMBER(P, engine.applications_max), kSize, {1, 10'000'000},
                           "applications", "Applications per shim; more are rejected."));
    table.push_back(number("asks_max", MEMBER(P, engine.asks_max), kSize, {1, 100'000'000}, "asks",
                           "Asks and allocations per shim; more are rejected."));
    table.push_back(number("specs_max", MEMBER(P, engine.specs_max), kSize, {1, 10'000'000}, "specs",
                           "Pod specs per shim; more are rejected."));
    table.push_back(number("label_terms_max", MEMBER(P, engine.label_terms_max), kPlain, {1, 10'000'000}, "terms",
                           "Distinct pod terms of a shim that want one label (rules/limits.md); a spec with more is "
                           "rejected."));
    table.push_back(
        number("topology_keys_max", MEMBER(P, engine.topology_keys_max), kPlain, {1, 10'000'000}, "keys",
               "Topology keys that the specs of a shim name; a spec with more is rejected. Each key takes 4 "
               "bytes of each node."));
    table.push_back(number("objects_max", MEMBER(P, engine.objects_max), kSize, {1, 100'000'000}, "objects",
                           "Objects of the cluster per shim (namespaces, volumes, claims, "
                           "...); more are rejected."));
    table.push_back(number("made_queues_max", MEMBER(P, engine.made_queues_max), kSize, {0, 1'000'000}, "queues",
                           "Queues that placement rules make for applications of a shim and that are there; an "
                           "application that needs more is rejected."));
    table.push_back(list_of_sections("shim_rights", right_settings(), MEMBER(P, engine.shim_rights),
                                     "What shims may do to others of the partition: the first entry that a shim "
                                     "matches counts, one that matches none has no right. When not given, shims of the "
                                     "first glob of shims have all of them, and others none."));
    table.push_back(number("bytes_max", MEMBER(P, engine.bytes_max), kSize, {0, 1'048'576 * kMebi}, "bytes",
                           "Of all that shims have stated; a shim may have half of what the others leave, more is "
                           "rejected. 0: a quarter of the memory, in equal parts for the partitions."));
    table.push_back(number("unacknowledged_bytes_max", MEMBER(P, engine.unacknowledged_bytes_max), kSize,
                           {0, 1'048'576 * kMebi}, "bytes",
                           "Unacknowledged decisions kept for a shim; beyond, it is cut and must state everything "
                           "anew. 0: a 64th of bytes_max, 16Mi at least."));
    table.push_back(number("resync_deadline", MEMBER(P, engine.resync_deadline_ns), kDuration, {0, 3600 * kSecond}, "",
                           "How long a shim that states itself anew, and has nodes or asks, holds up all decisions of "
                           "the partition; then others go on, and its asks wait for its end."));
}

const Settings<ScoreWeights>& score_weight_settings() {
    static const Settings<ScoreWeights> table = [] {
        using W = ScoreWeights;
        Settings<W> result;
        for (const ScoreRow& row : kScoreRows) {
            using Weight = std::remove_reference_t<decltype(std::declval<W&>()[row.id])>;
            const Member<W, Weight> weight{[id = row.id](W& weights) -> Weight& { return weights[id]; }};
            result.push_back(number(row.name, weight, kPlain, {0, 100}, "", row.text));
        }
        return result;
    }();
    return table;
}

void append_rules(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    table.push_back(
        choice("score", MEMBER(P, engine.score),
               Choices<ScorePolicy>{{"least_allocated", ScorePolicy::least_allocated},
                                    {"most_allocated", ScorePolicy::most_allocated},
                                    {"requested_to_capacity_ratio", ScorePolicy::requested_to_capacity_ratio}},
               "Which feasible node is best: the emptiest (spreads), the fullest (packs), or "
               "by score_shape."));
    table.push_back(score_shape("score_shape", MEMBER(P, engine.score_shape),
                                "Corners of the line that gives a node's score (0 .. 10) by how full the pod leaves it "
                                "(percent), rising in percent; for requested_to_capacity_ratio."));
    table.push_back(score_resources("score_resources", MEMBER(P, engine.score_resources)));
    table.push_back(section("score_weights", score_weight_settings(), MEMBER(P, engine.weights),
                            "What each score, 0 to 100 per node, is multiplied by before they "
                            "are added up; 0 switches one off."));
    table.push_back(
        predicate_list("predicates", MEMBER(P, engine.predicates),
                       "The only predicates that a node must pass for a pod to be placed; all when not given. "
                       "Their order is always that of Kubernetes."));
    table.push_back(predicate_list("reservation_predicates", MEMBER(P, engine.reservation_predicates),
                                   "The same for a node to be reserved for a pod that does not fit yet."));
    table.push_back(choice("compat", MEMBER(P, engine.compat),
                           Choices<Compat>{{"bayplan", Compat::bayplan}, {"kubernetes-1.35", Compat::kubernetes_1_35}},
                           "Where rules are at odds: as Bayplan has it, or as kube-scheduler 1.35 does it, "
                           "faults included.",
                           Choices<Compat>{{"seed", Compat::bayplan}}));
}

void append_engine(Settings<PartitionConfig>& table) {
    using P = PartitionConfig;
    table.push_back(number("backoff_initial", MEMBER(P, engine.backoff_initial_ns), kDuration,
                           {kMillisecond, 3600 * kSecond}, "",
                           "Wait of an ask after its first failed attempt; doubles with each further one."));
    table.push_back(number("backoff_max", MEMBER(P, engine.backoff_max_ns), kDuration, {kMillisecond, 3600 * kSecond},
                           "", "The longest such wait."));
    append_attempt_settings(table);
    table.push_back(
        choice("executor", MEMBER(P, engine.executor),
               Choices<ExecutorKind>{
                   {"inline", ExecutorKind::inline_}, {"threads", ExecutorKind::threads}, {"tbb", ExecutorKind::tbb}},
               "What runs proposals: the engine's own thread, plain threads, or "
               "TBB. Decisions are the same."));
    table.push_back(
        choice("path", MEMBER(P, engine.path),
               Choices<BatchPath>{
                   {"automatic", BatchPath::automatic}, {"inline", BatchPath::inline_}, {"graph", BatchPath::graph}},
               "Whether batches are proposed in parallel (graph) or resolved at "
               "commit (inline); automatic chooses per batch."));
    table.push_back(choice("simd", MEMBER(P, engine.simd),
                           Choices<SimdLevel>{{"auto", SimdLevel::automatic},
                                              {"scalar", SimdLevel::scalar},
                                              {"avx2", SimdLevel::avx2},
                                              {"avx512", SimdLevel::avx512}},
                           "Vector instructions that judge nodes; auto takes the best that the "
                           "CPU has. Decisions are the same."));
    table.push_back(number("workers", MEMBER(P, engine.workers), kPlain, {1, 256}, "threads", "Proposal workers."));
    table.push_back(number("victim_workers", MEMBER(P, engine.victim_workers), kPlain, {0, 256}, "threads",
                           "Threads that look for victims beside the engine's; 0: it does so alone."));
    table.push_back(choice("victim_path", MEMBER(P, engine.victim_path),
                           Choices<VictimPath>{{"automatic", VictimPath::automatic},
                                               {"inline", VictimPath::inline_},
                                               {"workers", VictimPath::workers},
                                               {"plain", VictimPath::plain}},
                           "Where victims are looked for by amounts: automatic takes the workers for "
                           "large searches; plain looks at every pod of every node. Decisions are the same."));
    table.push_back(
        number("shards", MEMBER(P, engine.shards), kPlain, {1, 1024}, "shards", "Parts of the node state."));
    table.push_back(number("batch", MEMBER(P, engine.batch), kPlain, {1, 4096}, "asks", "Asks selected at a time."));
    table.push_back(number("depth", MEMBER(P, engine.depth), kPlain, {1, 2}, "batches",
                           "Batches under way: with 2 the next is proposed while one commits."));
    table.push_back(number("class_caches", MEMBER(P, engine.class_caches_bytes), kSize, {kMebi, 1'048'576 * kMebi},
                           "bytes",
                           "What is remembered of nodes for classes of asks; a class that is forgotten looks at all "
                           "nodes again. Decisions are the same."));
    table.push_back(choice("teller", MEMBER(P, engine.teller),
                           Choices<TellerMode>{{"thread", TellerMode::thread}, {"inline", TellerMode::inline_}},
                           "What formats decisions and offers them to connections: a thread of its own, or the "
                           "engine's. Decisions are the same."));
    table.push_back(choice("preemption_reports", MEMBER(P, engine.preemption_reports),
                           Choices<bool>{{"yes", true}, {"no", false}},
                           "Whether each preemption for a DaemonSet pod is logged with its candidates, filtered "
                           "pods, classes, strategy and victims."));
    table.push_back(number("teller_ring", MEMBER(P, engine.teller_ring_bytes), kSize, {4 << 10, 1024 * kMebi}, "bytes",
                           "Decisions on their way to the teller; when full, the engine waits."));
}

void append_link(Settings<DataPlaneConfig>& table) {
    using D = DataPlaneConfig;
    table.push_back(ip_address("address6", MEMBER(D, address6), IpVersion::ipv6,
                               "DPDK port: the IPv6 address the port answers for, besides or "
                               "instead of address."));
    table.push_back(number("prefix_length", MEMBER(D, prefix_length), kPlain, {0, 32}, "bits",
                           "DPDK port: how much of address names the link; 0: everybody is on "
                           "it. Answers go back the way a packet came, whatever stands here."));
    table.push_back(ip_address("gateway", MEMBER(D, gateway), IpVersion::ipv4,
                               "DPDK port: the router to peers outside the prefix."));
    table.push_back(
        number("prefix_length6", MEMBER(D, prefix_length6), kPlain, {0, 128}, "bits", "The same for address6."));
    table.push_back(ip_address("gateway6", MEMBER(D, gateway6), IpVersion::ipv6, "The same for address6."));
    table.push_back(number("vlan", MEMBER(D, vlan), kPlain, {0, 4094}, "",
                           "DPDK port: the VLAN (802.1Q) whose tag frames carry; 0: none."));
    const Choices<bool> no_or_yes{{"no", false}, {"yes", true}};
    table.push_back(choice("telemetry", MEMBER(D, telemetry), no_or_yes,
                           "DPDK port: whether dpdk-telemetry.py may ask the daemon, by a socket in DPDK's "
                           "directory for running processes."));
    table.push_back(choice("capture", MEMBER(D, capture), no_or_yes,
                           "DPDK port: whether dpdk-dumpcap --file-prefix=bayplan may copy packets. It shares "
                           "the daemon's memory, hugepages that is, so switch it on to look and off again."));
}

const Settings<DataPlaneConfig>& data_plane_settings() {
    static const Settings<DataPlaneConfig> table = [] {
        using D = DataPlaneConfig;
        Settings<D> result;
        result.push_back(choice(
            "port", MEMBER(D, port),
            Choices<dataplane::PortKind>{{"kernel", dataplane::PortKind::kernel}, {"dpdk", dataplane::PortKind::dpdk}},
            "What carries packets: UDP sockets of the kernel, or a device driven by DPDK."));
        result.push_back(
            ip_address("address", MEMBER(D, address), IpVersion::any,
                       "Kernel port: where to listen, \"::\" for every address of both versions. DPDK port: the "
                       "IPv4 address the port answers for."));
        result.push_back(number("udp_port", MEMBER(D, udp_port), kPlain, {0, 65'535}, "",
                                "UDP port to listen at; 0 takes any free one (kernel port only)."));
        result.push_back(texts("eal", MEMBER(D, eal),
                               "DPDK port: arguments of DPDK's environment layer (EAL). Without an "
                               "lcore option it runs on the first CPU of the data_plane role."));
        result.push_back(text("device", MEMBER(D, device), "a device name",
                              "DPDK port: net_af_packet0, 0000:3b:00.0, ...; when not given, the first."));
        append_link(result);
        result.push_back(section("tls", tls_settings(), MEMBER(D, transport.tls), "Who we are and whom we trust."));
        result.back().required = true;
        result.push_back(choice("idle", MEMBER(D, idle),
                                Choices<dataplane::IdlePolicy>{{"adaptive", dataplane::IdlePolicy::adaptive},
                                                               {"poll", dataplane::IdlePolicy::poll}},
                                "When there is nothing to do, the data plane and the engines sleep "
                                "(adaptive) or spin (poll: isolated CPUs only)."));
        result.push_back(number("lcores", MEMBER(D, lcores), kPlain, {1, 32}, "threads",
                                "Threads for packets, each with queues of its own: CPUs by the data_plane role of the "
                                "profile. With net_af_packet as many as its qpairs."));
        append_transport_settings(result);
        return result;
    }();
    return table;
}

const Settings<LogConfig>& log_settings() {
    static const Settings<LogConfig> table = [] {
        using L = LogConfig;
        Settings<L> result;
        result.push_back(choice("level", MEMBER(L, level),
                                Choices<LogLevel>{{"debug", LogLevel::debug},
                                                  {"info", LogLevel::info},
                                                  {"warning", LogLevel::warning},
                                                  {"error", LogLevel::error}},
                                "The least important lines to write."));
        result.push_back(choice("format", MEMBER(L, format),
                                Choices<LogFormat>{{"automatic", LogFormat::automatic},
                                                   {"text", LogFormat::text},
                                                   {"journald", LogFormat::journald},
                                                   {"json", LogFormat::json}},
                                "key=value text, the same with journald's level prefix, or one JSON object "
                                "per line; automatic: journald under systemd, else text."));
        return result;
    }();
    return table;
}

Setting<Config> profile_setting() {
    Setting<Config> setting;
    setting.name = "profile";
    setting.doc =
        "Which threads run on which CPUs: a file (see tuning/profiles), the roles themselves, or "
        "any for no pinning. "
        "Roles not named run on any allowed CPU.";
    setting.bounds = "a file, a mapping, or any";
    setting.read = [](Config& config, const YamlNode& node, const std::string& path, ReadContext& context) {
        read_profile(config.profile, node, path, context);
    };
    setting.print = [](const Config& config, int indent) { return print_profile(config.profile, indent); };
    setting.manual_inside = [](int indent) { return settings_manual(profile_settings(), indent); };
    return setting;
}

}  // namespace

const Settings<PartitionConfig>& partition_settings() {
    static const Settings<PartitionConfig> table = [] {
        using P = PartitionConfig;
        Settings<P> result;
        result.push_back(text("name", MEMBER(P, name), "a name", "What shims call the partition in their hello."));
        result.back().required = true;
        result.push_back(texts("shims", MEMBER(P, shims),
                               "Who may drive the partition: globs (* and ?) over the common "
                               "name of the certificate. Without any, nobody may."));
        result.push_back(input_file(
            "queues_file", MEMBER(P, queues_file),
            "A YuniKorn queues.yaml: the queues of the partition of this name, or of the only one there. Read again on "
            "SIGHUP; a faulty one changes nothing. When not given, there is one leaf, by priority and arrival."));
        append_kubernetes_settings(result);
        append_limits(result);
        append_rules(result);
        append_engine(result);
        return result;
    }();
    return table;
}

const Settings<ProfileConfig>& profile_settings() {
    static const Settings<ProfileConfig> table = [] {
        using P = ProfileConfig;
        using threads::Role;
        Settings<P> result;
        result.push_back(cpus("data_plane", MEMBER(P, plan.of(Role::data_plane)), "Packets, QUIC, messages."));
        result.push_back(cpus("engine", MEMBER(P, plan.of(Role::engine)), "Engines, one thread per partition."));
        result.push_back(
            cpus("teller", MEMBER(P, plan.of(Role::teller)),
                 "What engines decided is formatted, hashed and offered to connections, one thread per partition."));
        result.push_back(cpus("workers", MEMBER(P, plan.of(Role::worker)), "Proposal workers."));
        result.push_back(cpus("victim_workers", MEMBER(P, plan.of(Role::victim_worker)), "Victim searches."));
        result.push_back(cpus("housekeeping", MEMBER(P, plan.of(Role::housekeeping)), "Log, status, signals."));
        result.push_back(choice("lock_memory", MEMBER(P, lock_memory), Choices<bool>{{"no", false}, {"yes", true}},
                                "Whether what the daemon has touched stays in memory (mlockall): pages that come back "
                                "from a disk cost milliseconds."));
        result.push_back(section("host", host_needs_settings(), MEMBER(P, host),
                                 "What bayplan check requires of the host; the daemon does not look at it."));
        return result;
    }();
    return table;
}

const Settings<Config>& all_settings() {
    static const Settings<Config> table = [] {
        using C = Config;
        Settings<C> result;
        result.push_back(list_of_sections("partitions", partition_settings(), MEMBER(C, partitions),
                                          "What is scheduled apart; each has an engine of its own."));
        result.back().required = true;
        result.push_back(
            section("data_plane", data_plane_settings(), MEMBER(C, data_plane), "How shims reach the daemon."));
        result.back().required = true;
        result.push_back(section("log", log_settings(), MEMBER(C, log), "What is written to standard error."));
        result.push_back(profile_setting());
        append_rest_settings(result);
        result.push_back(section("events", event_settings(), MEMBER(C, events),
                                 "What the REST interface tells of "
                                 "changes, as they happen."));
        result.push_back(section("privileges", privilege_settings(), MEMBER(C, privileges),
                                 "What the daemon may do once it runs: no capability stays, and no program that it "
                                 "would start gets more."));
        append_operation_settings(result);
        result.push_back(
            output_file("record", MEMBER(C, record),
                        "Where every input is recorded for replay; with several partitions FILE.NAME each."));
        result.push_back(
            number("record_bytes_max", MEMBER(C, record_bytes_max), kSize, {kMebi, std::int64_t{1} << 50}, "bytes",
                   "Of all recordings of a partition, that of this run included: the oldest go first; a run "
                   "that reaches it alone goes on, and its recording ends."));
        result.push_back(
            number("record_runs", MEMBER(C, record_runs), kPlain, {0, 10'000}, "recordings",
                   "How many recordings of earlier runs are kept, as FILE.1, FILE.2 and so on: each run has "
                   "a number of its own. Of many short runs that follow each other the first stay."));
        result.push_back(number("stop_within", MEMBER(C, stop_within_ns), kDuration, {0, 600 * kSecond}, "",
                                "After a signal to stop: how long decisions may take to reach the shims."));
        return result;
    }();
    return table;
}

}  // namespace bayplan::config
