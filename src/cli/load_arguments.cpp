// See load_arguments.h.
#include "cli/load_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/connection_options.h"
#include "cli/duration.h"
#include "cli/embedded_daemon.h"
#include "cli/load_plugin.h"
#include "cli/output_option.h"
#include "workload/named_workloads.h"

namespace bayplan::cli {

namespace {

constexpr const char* kReportGroup = "End and report";

// Bounds as a person reads them.
template <typename Number>
CLI::Validator between(Number min, Number max) {
    return CLI::Range(min, max).description(fmt::format("{}..{}", min, max));
}

void add_connection_options(CLI::App& app, LoadArguments& arguments) {
    ClientOptions& client = arguments.options.client;
    const std::string group = "Connection";
    add_identity_options(app, arguments.connect, client, group);
    app.add_option("--partition", client.partition, "partition to drive")->capture_default_str()->group(group);
    app.add_option("--port", arguments.port,
                   "how to send: kernel sockets, a DPDK port, or a DPDK ring pair to a daemon inside "
                   "this process")
        ->check(CLI::IsMember({"kernel", "dpdk", "ring"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--daemon-config", arguments.options.daemon_config,
                   "configuration of the daemon inside this process; with --port ring")
        ->type_name("FILE")
        ->group(group);
    add_dpdk_options(app, client, group);
    app.add_flag("--poll", client.poll, "never sleep between turns")->group(group);
    add_duration(app, "--connect-timeout", arguments.options.connect_timeout_ns, "30s",
                 "give up when not connected for so long")
        ->group(group);
    add_duration(app, "--idle-timeout", arguments.options.idle_timeout_ns, "10s",
                 "take the daemon for gone after so long a silence")
        ->group(group);
}

void add_source_options(CLI::App& app, LoadArguments& arguments) {
    LoadOptions& options = arguments.options;
    const std::string group = "Source";
    CLI::Option* const openb = app.add_option("--openb", options.openb, "openb trace: nodes and pods as CSV")
                                   ->type_name("NODES.csv PODS.csv")
                                   ->expected(2)
                                   ->group(group);
    CLI::Option* const named = app.add_option("--workload", options.workload, "a load by name (--list)")
                                   ->type_name("NAME")
                                   ->excludes(openb)
                                   ->group(group);
    app.add_option("--nodes", options.nodes, "generic load: nodes of 4 cpu, 32 GiB, 110 pods")
        ->excludes(openb)
        ->excludes(named)
        ->type_name("N")
        ->check(between(1u, 10'000'000u))
        ->group(group);
    app.add_option("--pods", options.pods, "generic load: pods of about 100m cpu, 500 MiB")
        ->excludes(openb)
        ->excludes(named)
        ->type_name("N")
        ->check(between(1u, 100'000'000u))
        ->group(group);
    app.add_option("--classes", options.classes, "generic load: different sizes of pods")
        ->excludes(openb)
        ->excludes(named)
        ->type_name("N")
        ->check(between(1u, workload::kClassesMax))
        ->capture_default_str()
        ->group(group);
    app.add_flag("--daemons", options.daemons, "after those pods, a DaemonSet's pod for each node")->group(group);
    app.add_option("--node-prefix", options.node_prefix,
                   "put before the names of nodes: they are unique in a partition, so that two "
                   "loads on one need different ones")
        ->group(group);
    app.add_flag("--list", arguments.list, "list the loads that have a name")->group(group);
}

void add_claim_options(CLI::App& app, LoadOptions& options, const std::string& group) {
    CLI::Option* const claims =
        app.add_option("--device-claims", options.device_claims,
                       "dynamic resources: each node has so many devices, each pod a claim of its own on one")
            ->type_name("N")
            ->check(between(1u, 128u))
            ->group(group);
    app.add_option(
           "--claims-allocated", options.claims_allocated,
           "with --device-claims: share of the pods whose claim has a device of a node already, reserved for the "
           "pod or for nobody; the load carries out that it is given back")
        ->type_name("SHARE")
        ->check(between(0.0, 1.0))
        ->capture_default_str()
        ->needs(claims)
        ->group(group);
}

void add_plugin_options(CLI::App& app, LoadOptions& options, const std::string& group) {
    CLI::Option* const plugin =
        add_duration(app, "--plugin-answers-in", options.plugin_answer_ns, "no plugin",
                     "every pod needs a plugin, which the load serves: it answers each query after so long")
            ->group(group);
    app.add_option("--plugin-share", options.plugin_share,
                   "with --plugin-answers-in: only so many of the pods need it; the report has the others' figures too")
        ->type_name("SHARE")
        ->check(between(0.0, 1.0))
        ->capture_default_str()
        ->needs(plugin)
        ->group(group);
    app.add_option("--plugin-refuses", options.plugin_refuses, "with --plugin-answers-in: share of nodes, for each pod")
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 1.0).description("0..1"))
        ->capture_default_str()
        ->group(group);
}

void add_pace_options(CLI::App& app, LoadOptions& options) {
    const std::string group = "Pace and shape";
    app.add_option("--rate", options.rate,
                   "asks per second, latency from the intended time; 0: as fast as flow control lets")
        ->type_name("PER_SECOND")
        ->check(CLI::NonNegativeNumber.description(""))
        ->capture_default_str()
        ->group(group);
    app.add_option("--batch", options.batch, "asks per message at most")
        ->type_name("N")
        ->check(between(1u, 4'096u))
        ->capture_default_str()
        ->group(group);
    add_claim_options(app, options, group);
    add_plugin_options(app, options, group);
    app.add_option("--applications", options.applications, "applications to spread the pods over")
        ->type_name("N")
        ->check(between(1u, 100'000u))
        ->capture_default_str()
        ->group(group);
    app.add_option("--queue", options.queue, "queue of the applications (default: the daemon's)")->group(group);
    app.add_option("--priorities", options.priorities,
                   "priorities 0..N-1, the higher later: they preempt when there is no room; 1: those of the load")
        ->type_name("N")
        ->check(between(1u, 1'000'000u))
        ->capture_default_str()
        ->group(group);
}

void add_disturbance_options(CLI::App& app, LoadOptions& options) {
    const std::string group = "Disturbances";
    app.add_option("--churn", options.churn, "share of the pods released once and asked for anew")
        ->type_name("SHARE")
        ->check(between(0.0, 1.0))
        ->capture_default_str()
        ->group(group);
    add_duration(app, "--release-after", options.release_after_ns, "never",
                 "release pods so long after they were placed (with --churn: those)")
        ->group(group);
    app.add_option("--nack", options.nack, "share of the pods whose first place is refused")
        ->type_name("SHARE")
        ->check(between(0.0, 1.0))
        ->capture_default_str()
        ->group(group);
    add_duration(app, "--grace", options.grace_ns, "0s", "how long a victim of preemption takes to go")->group(group);
    app.add_option("--nodes-lost", options.nodes_lost, "nodes to decommission in mid-run")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    CLI::Option* const pause =
        add_duration(app, "--pause-reads", options.pause_reads_ns, "0s", "read nothing for so long")->group(group);
    app.add_option("--pause-after", options.pause_after, "allocations before --pause-reads begins")
        ->type_name("N")
        ->capture_default_str()
        ->needs(pause)
        ->group(group);
    CLI::Option* const cut =
        app.add_option("--cut-after", options.cut_after, "drop the connection after so many allocations; 0: never")
            ->type_name("N")
            ->capture_default_str()
            ->group(group);
    app.add_option("--cuts", options.cuts, "how often, with --cut-after")
        ->type_name("N")
        ->capture_default_str()
        ->needs(cut)
        ->group(group);
}

void add_result_options(CLI::App& app, LoadOptions& options) {
    const std::string group = kReportGroup;
    add_duration(app, "--settle", options.settle_ns, "auto",
                 "over when nothing has changed for so long (auto: 3s; 12s, longer than a backoff, "
                 "with disturbances)")
        ->group(group);
    app.add_flag("--wait-unschedulable", options.wait_unschedulable, "not over before every pod has a place")
        ->group(group);
    add_duration(app, "--timeout", options.timeout_ns, "10m", "give up after so long; 0: never")->group(group);
    CLI::Option* const journal =
        app.add_option("--journal", options.journal,
                       "append-only file: every place is written before it is acknowledged; what "
                       "it holds already is stated first")
            ->type_name("FILE")
            ->group(group);
    app.add_flag("--journal-sync", options.journal_sync, "the journal survives a power failure too (fdatasync)")
        ->needs(journal)
        ->group(group);
    app.add_option("--json", options.json, "write the report as JSON (`-`: stdout)")->type_name("FILE")->group(group);
    app.add_option("--daemon-status", options.daemon_status,
                   "status file of the daemon (baypland --status), for what only it knows")
        ->type_name("FILE")
        ->group(group);
    app.add_flag("--quiet", options.quiet, "no progress")->group(group);
}

}  // namespace

void add_load_options(CLI::App& app, LoadArguments& arguments) {
    add_connection_options(app, arguments);
    add_source_options(app, arguments);
    add_pace_options(app, arguments.options);
    add_disturbance_options(app, arguments.options);
    add_result_options(app, arguments.options);
    add_output_option(app, arguments.output)->group(kReportGroup);
}

std::string complete_load_options(LoadArguments& arguments) {
    LoadOptions& options = arguments.options;
    const bool ring = arguments.port == "ring";
    if (ring != !options.daemon_config.empty()) {
        return "--port ring and --daemon-config go together";
    }
    if (ring) {
        options.client.host = EmbeddedDaemon::kAddress;
        options.client.udp_port = EmbeddedDaemon::kUdpPort;
    } else if (std::string fault = parse_connect(arguments.connect, options.client); !fault.empty()) {
        return fault;
    }
    if (options.client.authority.empty()) {
        return "--ca is needed: the shim talks to a known daemon only";
    }
    if (options.client.certificate.empty() != options.client.key.empty()) {
        return "--cert and --key go together";
    }
    if (std::string fault = choose_port(arguments.port, options.client); !fault.empty()) {
        return fault;
    }
    options.client.version = "bayplan load";
    if (options.serves_plugin()) {
        options.client.plugins.emplace_back(LoadPlugin::kName);
    } else if (options.plugin_refuses > 0) {
        return "--plugin-refuses is for --plugin-answers-in";
    }
    if (options.claims_allocated > 0 && !options.journal.empty()) {
        return "--claims-allocated does not go with --journal, which keeps no claims";
    }
    options.client.gives_claims_back = options.device_claims > 0;
    options.client.idle_timeout_ms =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(options.idle_timeout_ns / 1'000'000, 1, 3'600'000));
    if (options.settle_ns == 0) {
        const bool disturbed = options.churn > 0 || options.nack > 0 || options.nodes_lost > 0 ||
                               options.priorities > 1 || options.release_after_ns >= 0;
        options.settle_ns = disturbed ? 12'000'000'000 : 3'000'000'000;
    }
    return {};
}

}  // namespace bayplan::cli
