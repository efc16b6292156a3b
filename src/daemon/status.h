// The state of the daemon as one JSON object: for the log, for the quickstart's report, for tests.
//
// Fields: version, pid, uptime_ms, state (running, stopping, stopped), profile; port, udp_port,
// rx_packets, tx_packets, dropped (sum), drops (by name), data_plane (all counters), lcores (the same, of each lcore); gateway
// (counters); certificates (until when the own one, the authority's and the revocation lists are good, in s since 1970, 0: no
// date); rest (port, counters of the REST interface, events: how many, gaps
// between them, streams cut, absent if they are not tracked; absent: off); totals over partitions (attempts, placed, failed,
// pending, backoff, unschedulable, allocations, nodes, batches_*, workers); digest (one partition: its own; several: absent);
// partitions (each with all of this and inbox_frames, inbox_bytes, record_error, record_waits, victim_workers, victim_cpus: the
// CPUs that searches for victims ran on, resyncs: who states itself anew, and whether all others wait for it, audits of
// the laws, audits_put_off because there is too much to count, audit_last_ns, laws_broken); drained; stuck (threads that do
// not go on); stages (by thread and stage: count, p50_ns, p99_ns, p999_ns, max_ns); resident_bytes;
// cpu_seconds (user and system, of all threads since the start); cpus_allowed (how many the process
// may use); cpus (by role, as configured).
//
// Thread: main.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "daemon/engine_thread.h"
#include "daemon/gateway.h"
#include "dataplane/certificate_dates.h"
#include "dataplane/data_plane.h"
#include "events/event_store.h"
#include "http/counters.h"

namespace bayplan::daemon {

struct PartitionStatus {
    std::string name;
    std::uint32_t workers = 0;
    std::uint32_t victim_workers = 0;
    EngineSnapshot engine;
    std::size_t inbox_frames = 0;
    std::size_t inbox_bytes = 0;
    std::optional<read_model::ReadModelStatus> read_model;  // none: none is kept
};

struct RestStatus {
    std::uint16_t port = 0;
    http::CounterValues counters;
    std::optional<events::StoreCounters> events;  // none: not tracked
};

struct Status {
    std::string_view state;
    std::int64_t uptime_ms = 0;
    std::string port;
    std::uint16_t udp_port = 0;
    std::vector<dataplane::Counter> data_plane;
    std::vector<std::vector<dataplane::Counter>> lcores;  // the same for each lcore
    dataplane::CertificateDates certificates;
    GatewayCounters gateway;
    std::optional<RestStatus> rest;  // none: off
    std::vector<PartitionStatus> partitions;
    std::vector<StageFigures> stages;
    std::vector<std::string> stuck;  // threads
    bool drained = false;            // a partition is
    config::ProfileConfig profile;
    std::size_t cpus_allowed = 0;
    // Of metrics alone.
    std::size_t inbox_frames_max = 0;
    std::size_t inbox_bytes_max = 0;
    std::int64_t rest_certificate_s = 0;  // when it ends, in s since 1970; 0: no date
};

std::string to_json(const Status&);

// Replaces the file in one step: a reader sees the old text or the new one. False: `error` says
// why.
bool replace_file(const std::string& file, std::string_view text, std::string& error);

double cpu_seconds();            // user and system, of this process so far
std::uint64_t resident_bytes();  // of this process now; 0 if the kernel does not tell

}  // namespace bayplan::daemon
