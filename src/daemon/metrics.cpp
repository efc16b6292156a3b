// See metrics.h.
#include "daemon/metrics.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "base/metric_text.h"
#include "daemon/allocator.h"
#include "daemon/engine_fields.h"

namespace bayplan::daemon {
namespace {

constexpr MetricType kCounter = MetricType::counter;
constexpr MetricType kGauge = MetricType::gauge;

// One sample for each partition. `value`: of a PartitionStatus.
template <typename Value>
void by_partition(MetricText& text, const Status& status, std::string_view name, std::string_view help, MetricType type,
                  Value&& value) {
    text.begin(name, help, type);
    for (const PartitionStatus& partition : status.partitions) {
        text.sample({{"partition", partition.name}}, value(partition));
    }
}

void add_engines(MetricText& text, const Status& status) {
    for (const EngineField& field : kEngineFields) {
        by_partition(text, status, fmt::format("bayplan_engine_{}{}", field.name, field.is_now ? "" : "_total"),
                     fmt::format("Of an engine: {}.", field.name), field.is_now ? kGauge : kCounter,
                     [&](const PartitionStatus& partition) { return partition.engine.counters.*field.member; });
    }
}

// Of several partitions each says which.
void add_times(MetricText& text, const Status& status) {
    std::vector<instruments::ShownTimes> shown;
    for (const PartitionStatus& partition : status.partitions) {
        shown.push_back({status.partitions.size() > 1 ? partition.name : std::string(), &partition.engine.times});
    }
    instruments::put_scheduling_times(text, shown);
}

void add_rings(MetricText& text, const Status& status) {
    by_partition(text, status, "bayplan_inbox_frames", "Messages of shims that an engine has not taken yet.", kGauge,
                 [](const PartitionStatus& partition) { return partition.inbox_frames; });
    by_partition(text, status, "bayplan_inbox_bytes", "Their bytes.", kGauge,
                 [](const PartitionStatus& partition) { return partition.inbox_bytes; });
    text.begin("bayplan_inbox_fill_ratio", "How full an engine's inboxes are: 1: shims are pushed back.", kGauge);
    for (const PartitionStatus& partition : status.partitions) {
        const auto fill = [](std::size_t have, std::size_t max) {
            return max == 0 ? 0.0 : static_cast<double>(have) / static_cast<double>(max);
        };
        text.sample({{"partition", partition.name}, {"of", "frames"}},
                    fill(partition.inbox_frames, status.inbox_frames_max));
        text.sample({{"partition", partition.name}, {"of", "bytes"}},
                    fill(partition.inbox_bytes, status.inbox_bytes_max));
    }
}

void add_read_models(MetricText& text, const Status& status) {
    if (status.partitions.empty() || !status.partitions.front().read_model) return;
    using read_model::ReadModelStatus;
    const auto family = [&](std::string_view name, std::string_view help, MetricType type, auto member) {
        by_partition(text, status, name, help, type,
                     [&](const PartitionStatus& partition) { return (*partition.read_model).*member; });
    };
    family("bayplan_read_model_records_behind", "Changes of the engine that are not in the newest version.", kGauge,
           &ReadModelStatus::records_behind);
    by_partition(text, status, "bayplan_read_model_lag_seconds", "From the engine's last tick to the newest version's.",
                 kGauge, [](const PartitionStatus& partition) { return partition.read_model->ms_behind / 1e3; });
    by_partition(text, status, "bayplan_read_model_stale", "1: changes were lost, a snapshot is under way.", kGauge,
                 [](const PartitionStatus& partition) { return partition.read_model->stale ? 1 : 0; });
    family("bayplan_read_model_losses_total", "Times that the ring to the read model was full.", kCounter,
           &ReadModelStatus::losses);
    family("bayplan_read_model_snapshots_total", "Snapshots that it took in, the first one included.", kCounter,
           &ReadModelStatus::snapshots);
    family("bayplan_read_model_versions_total", "Versions that it made for readers.", kCounter,
           &ReadModelStatus::versions);
}

// By name of the counter; drop_* are drops.
void add_data_plane(MetricText& text, const Status& status) {
    text.begin("bayplan_data_plane", "Counters of the data plane, by name.", kGauge);
    for (const auto& [name, value] : status.data_plane) text.sample({{"counter", name}}, value);
}

void add_gateway(MetricText& text, const GatewayCounters& counters) {
    text.alone("bayplan_shims_connected", "Connections of shims and observers now.", kGauge, counters.connections);
    text.alone("bayplan_shim_hellos_total", "Hellos of shims that were accepted.", kCounter, counters.hellos);
    text.alone("bayplan_shim_connections_displaced_total",
               "Connections that were closed before their hello was accepted, since others came.", kCounter,
               counters.displaced);
    text.alone("bayplan_shim_hellos_refused_total", "Hellos of shims that were refused.", kCounter,
               counters.hellos_refused);
    text.alone("bayplan_shim_handshakes_refused_total", "Handshakes that were refused.", kCounter,
               counters.handshakes_refused);
    text.alone("bayplan_shim_frames_in_total", "Messages from shims.", kCounter, counters.frames_in);
    text.alone("bayplan_shim_frames_out_total", "Messages to shims.", kCounter, counters.frames_out);
    text.alone("bayplan_shim_frames_pushed_back_total", "Messages not taken because an inbox was full.", kCounter,
               counters.pushed_back);
    text.alone("bayplan_shims_broken_total", "Connections ended for bytes that are no message.", kCounter,
               counters.broken);
    text.alone("bayplan_shims_cut_total", "Connections of shims that the daemon ended.", kCounter, counters.cuts);
}

void add_events(MetricText& text, const events::StoreCounters& events) {
    text.alone("yunikorn_event_total_created", "Events made.", kGauge, events.created);
    text.alone("yunikorn_event_total_channeled", "The same: none waits on its way to the store.", kGauge,
               events.created);
    text.alone("yunikorn_event_total_processed", "The same.", kGauge, events.created);
    text.alone("yunikorn_event_total_stored", "Events kept.", kGauge, events.stored);
    text.alone("yunikorn_event_total_not_stored", "Events that were too large to be kept.", kGauge,
               events.created - events.stored);
    text.alone("bayplan_event_gaps_total", "Times that events were lost.", kCounter, events.gaps);
    text.alone("bayplan_event_streams_cut_total", "Streams ended because their reader was slow.", kCounter,
               events.streams_cut);
}

void add_rest(MetricText& text, const RestStatus& rest) {
    const http::CounterValues& counters = rest.counters;
    text.alone("bayplan_rest_connections", "Open connections of the REST interface.", kGauge,
               counters.connections_open);
    text.begin("bayplan_rest_refused_total", "Connections refused because there were too many.", kCounter);
    text.sample({{"of", "all"}}, counters.refused_overall);
    text.sample({{"of", "address"}}, counters.refused_of_address);
    text.alone("bayplan_rest_requests_total", "Requests.", kCounter, counters.requests);
    text.begin("bayplan_rest_answers_total", "Answers, by status.", kCounter);
    for (const auto& [code, count] : counters.answers) text.sample({{"status", fmt::format("{}", code)}}, count);
    text.begin("bayplan_rest_timeouts_total", "Connections ended because a client was slow.", kCounter);
    text.sample({{"when", "reading"}}, counters.timeouts_reading);
    text.sample({{"when", "idle"}}, counters.timeouts_idle);
    text.sample({{"when", "writing"}}, counters.timeouts_writing);
    text.alone("bayplan_rest_tokens_refused_total", "Requests without the right token.", kCounter,
               counters.tokens_refused);
    if (rest.events) add_events(text, *rest.events);
}

void add_certificates(MetricText& text, const Status& status) {
    constexpr double kDay_s = 86'400;
    text.alone("bayplan_revocations_due_timestamp_seconds", "When newer revocation lists are due; 0: no date.", kGauge,
               static_cast<double>(status.certificates.revoked_s));
    const std::int64_t now_s =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    text.begin("bayplan_certificate_days_left",
               "Until an own certificate, or the authority of the shims', ends; negative: it has ended.", kGauge);
    const auto add = [&](std::string_view whom, std::int64_t end_s) {
        if (end_s != 0) text.sample({{"for", whom}}, static_cast<double>(end_s - now_s) / kDay_s);
    };
    add("shims", status.certificates.certificate_s);
    add("authority", status.certificates.authority_s);
    add("rest", status.rest_certificate_s);
}

// Quantiles since the start: a scraper that wants a minute alone has the sums and counts.
void add_stages(MetricText& text, const Status& status) {
    constexpr double kSecond_ns = 1e9;
    text.begin("bayplan_stage_seconds", "How long a stage takes, by thread.", MetricType::summary);
    for (const StageFigures& one : status.stages) {
        const auto quantile = [&](std::string_view share, std::uint64_t ns) {
            text.sample({{"thread", one.thread}, {"stage", one.stage}, {"quantile", share}},
                        static_cast<double>(ns) / kSecond_ns);
        };
        quantile("0.5", one.p50_ns);
        quantile("0.99", one.p99_ns);
        quantile("0.999", one.p999_ns);
        quantile("1", one.max_ns);
        text.summary({{"thread", one.thread}, {"stage", one.stage}}, static_cast<double>(one.sum_ns) / kSecond_ns,
                     one.count);
    }
}

void add_watch(MetricText& text, const Status& status) {
    text.alone("bayplan_threads_stuck", "Threads that do not go on.", kGauge, status.stuck.size());
    text.alone("bayplan_drained", "1: no attempts are made, as an operator wants it.", kGauge, status.drained ? 1 : 0);
    by_partition(text, status, "bayplan_audits_total", "Recounts of all that an engine knows.", kCounter,
                 [](const PartitionStatus& partition) { return partition.engine.audits; });
    by_partition(text, status, "bayplan_audits_put_off_total", "Audits that would have taken too long.", kCounter,
                 [](const PartitionStatus& partition) { return partition.engine.audits_put_off; });
    by_partition(text, status, "bayplan_laws_broken_total", "Laws that audits found broken.", kCounter,
                 [](const PartitionStatus& partition) { return partition.engine.laws_broken; });
}

void add_process(MetricText& text, const Status& status) {
    text.alone("bayplan_uptime_seconds", "Since the daemon started.", kGauge,
               static_cast<double>(status.uptime_ms) / 1'000);
    text.alone("process_resident_memory_bytes", "Resident memory.", kGauge, resident_bytes());
    text.alone("process_cpu_seconds_total", "CPU time of all threads, user and system.", kCounter, cpu_seconds());
    const auto bytes = allocator_bytes();
    if (bytes.empty()) return;
    text.begin("bayplan_jemalloc_bytes", "Bytes as jemalloc counts them, by its names.", kGauge);
    for (const auto& [name, value] : bytes) text.sample({{"stat", name}}, value);
}

}  // namespace

std::string metrics_text(const Status& status) {
    MetricText text;
    add_engines(text, status);
    add_times(text, status);
    add_stages(text, status);
    add_watch(text, status);
    add_rings(text, status);
    add_read_models(text, status);
    add_data_plane(text, status);
    add_gateway(text, status.gateway);
    if (status.rest) add_rest(text, *status.rest);
    add_certificates(text, status);
    add_process(text, status);
    return text.take();
}

}  // namespace bayplan::daemon
