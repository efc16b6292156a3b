// The configuration of baypland, as read: typed, checked, defaults filled in.
//
// The defaults stand here, as member initialisers, and nowhere else: the manual prints them from a
// default-constructed Config.
//
// Thread: read once by main, then constant.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault.h"
#include "config/host_needs.h"
#include "dataplane/data_plane.h"
#include "options/engine_options.h"
#include "threads/thread_role.h"

namespace bayplan::config {

// Engine options of the daemon. Other than an embedder's default: a thread that tells decisions.
inline EngineOptions engine_of_daemon() {
    EngineOptions options;
    options.teller = TellerMode::thread;
    return options;
}

struct PartitionConfig {
    std::string name;
    // Globs over the common name of a shim's certificate. None: no shim may drive the partition.
    std::vector<std::string> shims;
    std::string queues_file;  // a YuniKorn queues.yaml; empty: one leaf
    // A KubeSchedulerConfiguration, which stands above `engine`; empty: none. Read by the daemon
    // (daemon/scheduler_files.h), not here.
    std::string scheduler_config;
    std::string scheduler_name;              // of its profile that counts; empty: all count, and agree
    std::vector<std::string> feature_gates;  // all as Kubernetes 1.35 has them by default; others are refused
    // daemon_instance is not configured; each start of the daemon chooses its own.
    EngineOptions engine = engine_of_daemon();
    // Where the file gives settings, by their names below the partition: "score_weights.NodeAffinity".
    std::map<std::string, Position> given;

    bool allows(std::string_view common_name) const;
};

struct DataPlaneConfig {
    dataplane::PortKind port = dataplane::PortKind::kernel;
    std::string address = "0.0.0.0";
    std::uint16_t udp_port = 4433;
    std::vector<std::string> eal;
    std::string device;
    std::string address6;  // this and the next: DPDK port, see dataplane::DpdkPortOptions
    std::string gateway, gateway6;
    std::uint8_t prefix_length = 0, prefix_length6 = 0;
    std::uint16_t vlan = 0;
    bool telemetry = false, capture = false;
    dataplane::TransportOptions transport;
    std::uint32_t observers_max = 64;   // per lcore, as the next; of transport.connections_max
    std::uint32_t unadmitted_max = 64;  // besides transport.connections_max
    dataplane::IdlePolicy idle = dataplane::IdlePolicy::adaptive;
    std::uint32_t lcores = 1;
    std::uint32_t inbox_frames = 1'024;     // ring from the lcore to each engine
    std::uint32_t inbox_bytes = 16u << 20;  // and what may lie in it
    std::uint32_t outbox_batches = 256;     // ring from an engine to each connection
};

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { automatic, text, journald, json };

struct LogConfig {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::automatic;
};

// The REST interface: where it listens, whom it lets in.
struct RestConfig {
    std::string listen = "127.0.0.1:9080";  // empty: off
    std::string certificate;                // empty: no TLS
    std::string key;
    std::string token_file;  // empty: nobody is asked for a token
    std::string cors = "*";  // Access-Control-Allow-Origin; empty: no such headers
};

// Events, which the REST interface shows.
struct EventsConfig {
    bool tracking = true;
    std::uint32_t ring_events = 100'000;
    std::uint64_t ring_bytes = 64u << 20;
    std::uint32_t batch_events = 10'000;
    std::uint32_t streams = 100;
    std::uint32_t streams_of_host = 15;
    bool node_occupied = true;  // deprecated
};

// "127.0.0.1:9080", "[::1]:9080"; none if it is neither.
struct ListenAt {
    std::string address;
    std::uint16_t port = 0;
};
std::optional<ListenAt> parse_listen(std::string_view text);

struct ProfileConfig {
    std::string source = "any";  // the profile's file, "inline", or "any" when none is configured
    threads::ThreadPlan plan;
    bool lock_memory = false;
    HostNeeds host;
};

// Rights of the daemon once it runs.
struct PrivilegesConfig {
    std::string user;  // empty: as it was started
    bool core_dumps = false;
    bool all_system_calls = false;
};

// How operators look after a daemon at work.
struct OperationsConfig {
    std::string admin_socket;                    // empty: none
    std::string flight_recorder;                 // the file of a dump; empty: none is written
    std::int64_t watchdog_ns = 10'000'000'000;   // 0: nobody watches
    std::int64_t audit_longest_ns = 20'000'000;  // 0: no audits in the background
};

struct Config {
    std::string file;
    std::vector<std::string> remarks;  // on fields of its files that mean nothing here: to be told
    std::vector<PartitionConfig> partitions;
    DataPlaneConfig data_plane;
    LogConfig log;
    ProfileConfig profile;
    RestConfig rest;
    EventsConfig events;
    PrivilegesConfig privileges;
    OperationsConfig operations;
    std::string record;  // empty: nothing is recorded
    std::uint64_t record_bytes_max = std::uint64_t{64} << 30;
    std::uint32_t record_runs = 10;
    std::int64_t stop_within_ns = 5'000'000'000;
};

dataplane::DataPlaneOptions data_plane_options(const DataPlaneConfig&);

// The record of one partition: `record` itself, or with several partitions `record`.NAME each.
std::string record_file(const Config&, const PartitionConfig&);

}  // namespace bayplan::config
