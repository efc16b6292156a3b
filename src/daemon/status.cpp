// JSON of the state, and the file it goes to.
//
// Thread: main.
#include "daemon/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "daemon/engine_fields.h"

namespace bayplan::daemon {
namespace {

// An object under construction; values are JSON already.
class JsonObject {
public:
    void add(std::string_view key, std::string_view json) {
        text_ += text_.empty() ? "{" : ",";
        text_ += json_text(key) + ":";
        text_ += json;
    }
    void number(std::string_view key, std::uint64_t value) { add(key, fmt::format("{}", value)); }
    void text(std::string_view key, std::string_view value) { add(key, json_text(value)); }
    std::string take() { return text_.empty() ? "{}" : std::move(text_) + "}"; }

private:
    std::string text_;
};

constexpr std::string_view kDropPrefix = "drop_";

std::string certificates_json(const dataplane::CertificateDates& dates) {
    JsonObject json;
    json.number("certificate_expires_s", static_cast<std::uint64_t>(dates.certificate_s));
    json.number("authority_expires_s", static_cast<std::uint64_t>(dates.authority_s));
    json.number("revocations_due_s", static_cast<std::uint64_t>(dates.revoked_s));
    return json.take();
}

void add_port(JsonObject& json, const Status& status) {
    JsonObject all;
    JsonObject drops;
    std::uint64_t dropped = 0;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    for (const auto& [name, value] : status.data_plane) {
        all.number(name, value);
        if (name == "rx_packets") received = value;
        if (name == "tx_packets") sent = value;
        if (!name.starts_with(kDropPrefix)) continue;
        drops.number(name.substr(kDropPrefix.size()), value);
        dropped += value;
    }
    json.text("port", status.port);
    json.number("udp_port", status.udp_port);
    json.number("rx_packets", received);
    json.number("tx_packets", sent);
    json.number("dropped", dropped);
    json.add("drops", drops.take());
    json.add("data_plane", all.take());
    std::string lcores;
    for (const std::vector<dataplane::Counter>& counters : status.lcores) {
        JsonObject each;
        for (const auto& [name, value] : counters) each.number(name, value);
        lcores += (lcores.empty() ? "" : ",") + each.take();
    }
    json.add("lcores", "[" + lcores + "]");
}

std::string gateway_json(const GatewayCounters& counters) {
    JsonObject json;
    json.number("connections", counters.connections);
    json.number("hellos", counters.hellos);
    json.number("hellos_refused", counters.hellos_refused);
    json.number("displaced", counters.displaced);
    json.number("handshakes_refused", counters.handshakes_refused);
    json.number("broken", counters.broken);
    json.number("frames_in", counters.frames_in);
    json.number("frames_out", counters.frames_out);
    json.number("pushed_back", counters.pushed_back);
    json.number("cuts", counters.cuts);
    return json.take();
}

std::string rest_json(const RestStatus& rest) {
    JsonObject json;
    json.number("port", rest.port);
    json.number("connections", rest.counters.connections);
    json.number("connections_open", rest.counters.connections_open);
    json.number("refused_overall", rest.counters.refused_overall);
    json.number("refused_of_address", rest.counters.refused_of_address);
    json.number("requests", rest.counters.requests);
    json.number("bytes_in", rest.counters.bytes_in);
    json.number("bytes_out", rest.counters.bytes_out);
    json.number("timeouts_reading", rest.counters.timeouts_reading);
    json.number("timeouts_idle", rest.counters.timeouts_idle);
    json.number("timeouts_writing", rest.counters.timeouts_writing);
    json.number("handshakes_failed", rest.counters.handshakes_failed);
    json.number("tokens_refused", rest.counters.tokens_refused);
    JsonObject answers;
    for (const auto& [status, count] : rest.counters.answers) answers.number(fmt::format("{}", status), count);
    json.add("answers", answers.take());
    if (rest.events) {
        JsonObject events;
        events.number("created", rest.events->created);
        events.number("stored", rest.events->stored);
        events.number("gaps", rest.events->gaps);
        events.number("streams_cut", rest.events->streams_cut);
        json.add("events", events.take());
    }
    return json.take();
}

// As a list of numbers.
std::string cpus_json(const std::vector<std::uint32_t>& cpus) { return fmt::format("[{}]", fmt::join(cpus, ",")); }

// Shims that state themselves anew, and whether all others wait for them.
std::string resyncs_json(const std::vector<OpenResync>& resyncs) {
    std::string all;
    for (const OpenResync& one : resyncs) {
        JsonObject json;
        json.text("shim", one.shim);
        json.add("holds", one.holds ? "true" : "false");
        all += (all.empty() ? "" : ",") + json.take();
    }
    return "[" + all + "]";
}

std::string partition_json(const PartitionStatus& partition) {
    JsonObject json;
    json.text("name", partition.name);
    json.text("digest", partition.engine.digest);
    json.number("workers", partition.workers);
    json.number("victim_workers", partition.victim_workers);
    json.add("victim_cpus", cpus_json(partition.engine.victim_cpus));
    for (const EngineField& field : kEngineFields) json.number(field.name, partition.engine.counters.*field.member);
    json.number("inbox_frames", partition.inbox_frames);
    json.number("inbox_bytes", partition.inbox_bytes);
    json.text("record_error", partition.engine.record_error);
    json.number("record_waits", partition.engine.record_waits);
    json.add("resyncs", resyncs_json(partition.engine.open_resyncs));
    json.number("audits", partition.engine.audits);
    json.number("audits_put_off", partition.engine.audits_put_off);
    json.number("audit_last_ns", partition.engine.audit_last_ns);
    json.number("laws_broken", partition.engine.laws_broken);
    return json.take();
}

// {"engine0": {"inbox": {"count": ...}}}
std::string stages_json(const std::vector<StageFigures>& stages) {
    JsonObject all;
    for (std::size_t first = 0; first < stages.size();) {
        JsonObject of_thread;
        std::size_t at = first;
        for (; at < stages.size() && stages[at].thread == stages[first].thread; ++at) {
            JsonObject one;
            one.number("count", stages[at].count);
            one.number("p50_ns", stages[at].p50_ns);
            one.number("p99_ns", stages[at].p99_ns);
            one.number("p999_ns", stages[at].p999_ns);
            one.number("max_ns", stages[at].max_ns);
            of_thread.add(stages[at].stage, one.take());
        }
        all.add(stages[first].thread, of_thread.take());
        first = at;
    }
    return all.take();
}

std::string texts_json(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ",") + json_text(text);
    return "[" + all + "]";
}

void add_partitions(JsonObject& json, const Status& status) {
    std::uint64_t workers = 0;
    std::string all;
    for (const PartitionStatus& partition : status.partitions) {
        workers += partition.workers;
        all += (all.empty() ? "" : ",") + partition_json(partition);
    }
    json.number("workers", workers);
    for (const EngineField& field : kEngineFields) {
        std::uint64_t sum = 0;
        for (const PartitionStatus& partition : status.partitions) sum += partition.engine.counters.*field.member;
        json.number(field.name, sum);
    }
    if (status.partitions.size() == 1) json.text("digest", status.partitions.front().engine.digest);
    json.add("partitions", "[" + all + "]");
}

}  // namespace

std::string to_json(const Status& status) {
    JsonObject json;
    json.text("version", BAYPLAN_VERSION);
    json.number("pid", static_cast<std::uint64_t>(getpid()));
    json.number("uptime_ms", static_cast<std::uint64_t>(status.uptime_ms));
    json.text("state", status.state);
    json.text("profile", status.profile.source);
    add_port(json, status);
    json.add("gateway", gateway_json(status.gateway));
    json.add("certificates", certificates_json(status.certificates));
    if (status.rest) json.add("rest", rest_json(*status.rest));
    add_partitions(json, status);
    json.add("drained", status.drained ? "true" : "false");
    json.add("stuck", texts_json(status.stuck));
    json.add("stages", stages_json(status.stages));
    json.number("resident_bytes", resident_bytes());
    json.add("cpu_seconds", fmt::format("{:.6f}", cpu_seconds()));
    json.number("cpus_allowed", status.cpus_allowed);
    JsonObject cpus;
    for (std::size_t role = 0; role < threads::kRoleCount; ++role) {
        const auto each = static_cast<threads::Role>(role);
        cpus.text(threads::to_string(each), status.profile.plan.describe(each));
    }
    json.add("cpus", cpus.take());
    return json.take();
}

bool replace_file(const std::string& file, std::string_view text, std::string& error) {
    const std::string fresh = file + ".new";
    std::ofstream stream(fresh, std::ios::binary | std::ios::trunc);
    stream << text << '\n';
    stream.close();
    if (stream && std::rename(fresh.c_str(), file.c_str()) == 0) return true;
    error = fmt::format("cannot write {}: {}", file, std::strerror(errno));
    return false;
}

double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::uint64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    statm >> total_pages >> resident_pages;
    return statm ? resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace bayplan::daemon
