// See metrics.h.
#include "daemon/metrics.h"

#include <iterator>

#include <fmt/format.h>

#include "base/label_value.h"
#include "daemon/engine_fields.h"

namespace bayplan::daemon {
namespace {

class Families {
public:
    void begin(std::string_view name, std::string_view help, bool counts) {
        name_ = name;
        fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                       counts ? "counter" : "gauge");
    }
    template <typename Number>
    void sample(Number value) {
        fmt::format_to(std::back_inserter(text_), "{} {}\n", name_, value);
    }
    template <typename Number>
    void sample(std::string_view label, std::string_view of_it, Number value) {
        fmt::format_to(std::back_inserter(text_), "{}{{{}=\"{}\"}} {}\n", name_, label, label_value(of_it), value);
    }
    template <typename Number>
    void alone(std::string_view name, std::string_view help, bool counts, Number value) {
        begin(name, help, counts);
        sample(value);
    }
    std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

void add_engines(Families& families, const Status& status) {
    std::uint64_t placed = 0, failed = 0;
    for (const EngineField& field : kEngineFields) {
        families.begin(fmt::format("bayplan_engine_{}{}", field.name, field.is_now ? "" : "_total"),
                       fmt::format("Of an engine: {}.", field.name), !field.is_now);
        for (const PartitionStatus& partition : status.partitions) {
            families.sample("partition", partition.name, partition.engine.counters.*field.member);
        }
    }
    for (const PartitionStatus& partition : status.partitions) {
        placed += partition.engine.counters.placed;
        failed += partition.engine.counters.failed;
    }
    families.begin("yunikorn_scheduler_container_allocation_attempt_total",
                   "Attempts to place a pod, by their outcome.", true);
    families.sample("state", "allocated", placed);
    families.sample("state", "rejected", failed);
    families.begin("bayplan_inbox_frames", "Messages of shims that an engine has not taken yet.", false);
    for (const PartitionStatus& partition : status.partitions) {
        families.sample("partition", partition.name, partition.inbox_frames);
    }
}

// By name of the counter; drop_* are drops.
void add_data_plane(Families& families, const Status& status) {
    families.begin("bayplan_data_plane", "Counters of the data plane, by name.", false);
    for (const auto& [name, value] : status.data_plane) families.sample("counter", name, value);
}

void add_gateway(Families& families, const GatewayCounters& counters) {
    families.alone("bayplan_shims_connected_total", "Connections of shims, ever.", true, counters.connections);
    families.alone("bayplan_shim_hellos_refused_total", "Hellos of shims that were refused.", true,
                   counters.hellos_refused);
    families.alone("bayplan_shim_handshakes_refused_total", "Handshakes that were refused.", true,
                   counters.handshakes_refused);
    families.alone("bayplan_shim_frames_in_total", "Messages from shims.", true, counters.frames_in);
    families.alone("bayplan_shim_frames_out_total", "Messages to shims.", true, counters.frames_out);
    families.alone("bayplan_shims_cut_total", "Connections of shims that the daemon ended.", true, counters.cuts);
}

void add_rest(Families& families, const RestStatus& rest) {
    const http::CounterValues& counters = rest.counters;
    families.alone("bayplan_rest_connections", "Open connections of the REST interface.", false,
                   counters.connections_open);
    families.begin("bayplan_rest_refused_total", "Connections refused because there were too many.", true);
    families.sample("of", "all", counters.refused_overall);
    families.sample("of", "address", counters.refused_of_address);
    families.alone("bayplan_rest_requests_total", "Requests.", true, counters.requests);
    families.begin("bayplan_rest_answers_total", "Answers, by status.", true);
    for (const auto& [code, count] : counters.answers) families.sample("status", fmt::format("{}", code), count);
    families.begin("bayplan_rest_timeouts_total", "Connections ended because a client was slow.", true);
    families.sample("when", "reading", counters.timeouts_reading);
    families.sample("when", "idle", counters.timeouts_idle);
    families.sample("when", "writing", counters.timeouts_writing);
    families.alone("bayplan_rest_tokens_refused_total", "Requests without the right token.", true,
                   counters.tokens_refused);
    if (rest.events) {
        families.alone("yunikorn_event_total_created", "Events made.", false, rest.events->created);
        families.alone("yunikorn_event_total_stored", "Events kept.", false, rest.events->stored);
        families.alone("bayplan_event_gaps_total", "Times that events were lost.", true, rest.events->gaps);
        families.alone("bayplan_event_streams_cut_total", "Streams ended because their reader was slow.", true,
                       rest.events->streams_cut);
    }
}

}  // namespace

std::string metrics_text(const Status& status) {
    Families families;
    add_engines(families, status);
    add_data_plane(families, status);
    add_gateway(families, status.gateway);
    if (status.rest) add_rest(families, *status.rest);
    families.alone("bayplan_uptime_seconds", "Since the daemon started.", false,
                   static_cast<double>(status.uptime_ms) / 1'000);
    families.alone("process_resident_memory_bytes", "Resident memory.", false, resident_bytes());
    families.alone("process_cpu_seconds_total", "CPU time of all threads, user and system.", true, cpu_seconds());
    return families.take();
}

}  // namespace bayplan::daemon
