// Service, stop.
//
// Thread: main's.
#include "daemon/daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "daemon/metrics.h"
#include "daemon/node_order.h"
#include "daemon/queues_file.h"
#include "daemon/service_manager.h"
#include "daemon/signals.h"
#include "threads/thread_role.h"

namespace bayplan::daemon {
namespace {

constexpr std::chrono::seconds kStatusEvery{1};
constexpr std::chrono::milliseconds kStopPoll{1};
// How much longer than stop_within an engine may take: one long input, the end of its recording.
constexpr std::chrono::seconds kEndsWithout{2};
// By the log's own thread.
constexpr std::chrono::milliseconds kLogIsWritten{200};
constexpr std::chrono::milliseconds kSnapshotWithin{200};

}  // namespace

Daemon::Daemon(config::Config config, const threads::HostCpus& host, std::string status_file)
    : config_(std::move(config)), host_(host), status_file_(std::move(status_file)) {}

Daemon::~Daemon() = default;

Daemon::PortLog::PortLog(Log& log) {
    dataplane::set_port_log([&log](std::string_view line) { log.warning("dpdk", {{"line", line}}); });
}

Daemon::PortLog::~PortLog() { dataplane::set_port_log({}); }

int Daemon::run() {
    if (!boot()) return 1;
    serve();
    stop();
    return 0;
}

void Daemon::serve() {
    log_->info("ready");
    tell_service_manager("READY=1");
    Clock::time_point next_status = Clock::now();
    while (true) {
        const Clock::time_point until = std::min(next_status, admin_.deadline());
        const Signal signal = wait_for_signal(until - Clock::now(), admin_.waits_for());
        admin_.serve();
        if (signal == Signal::stop) return;
        if (signal == Signal::report) report("running");
        if (signal == Signal::dump) dump_flight("a signal");
        if (signal == Signal::reload) reload();
        if (Clock::now() < next_status) continue;
        next_status = Clock::now() + kStatusEvery;
        look_after_threads();
        warn(date_watch_.look(std::time(nullptr)));
        show_condition();
        services_.states.end_overdue();
        if (!status_file_.empty()) write_status_file("running");
        if (rest_) rest_->show_metrics(metrics_text(make_status("running")));
    }
}

void Daemon::look_after_threads() {
    lcores_->look_at_device();
    bool any = false;
    for (const Watchdog::Change& change : watchdog_.look(Clock::now())) {
        if (!change.stuck) {
            log_->warning("a thread goes on again", {{"thread", change.thread}});
            continue;
        }
        log_->error("a thread does not go on",
                    {{"thread", change.thread}, {"doing", change.doing}, {"for_ms", change.silent_for.count()}});
        own_flight_.note(instruments::FlightKind::stuck, 0, static_cast<std::uint64_t>(change.silent_for.count()));
        any = true;
    }
    if (any) dump_flight("a thread that does not go on");
    if (watchdog_.stuck().empty()) tell_service_manager("WATCHDOG=1");
}

// Any thread: an engine that finds a law broken calls it too.
void Daemon::dump_flight(std::string_view why) {
    const std::string& file = config_.operations.flight_recorder;
    if (file.empty()) return;
    std::string error;
    if (flight_.dump_to(file, error)) {
        log_->info("flight recorder written", {{"file", file}, {"because_of", why}});
    } else {
        log_->error("flight recorder not written", {{"reason", error}, {"because_of", why}});
    }
}

void Daemon::stop() {
    const Clock::time_point deadline = Clock::now() + std::chrono::nanoseconds(config_.stop_within_ns);
    tell_service_manager("STOPPING=1");
    log_->info("stopping", {{"within_ms", config_.stop_within_ns / 1'000'000}});
    for (const auto& gateway : gateways_) gateway->stop_input();
    if (rest_) rest_->stop();
    for (const auto& engine : engines_) engine->request_stop(deadline);
    const bool in_a_hurry = wait_for_engines(deadline);
    for (const auto& gateway : gateways_) gateway->expect_no_more_output();
    if (!in_a_hurry) wait_for_output(deadline);
    lcores_->request_stop();
    lcores_->join();
    report("stopped");
    for (const auto& engine : engines_) {
        const EngineSnapshot& end = engine->latest_snapshot();
        log_->info("decisions", {{"partition", engine->partition().name},
                                 {"attempts", end.counters.attempts},
                                 {"placed", end.counters.placed},
                                 {"failed", end.counters.failed},
                                 {"digest", end.digest}});
    }
    if (!status_file_.empty()) write_status_file("stopped");
    log_->info("stopped");
}

std::vector<std::string> Daemon::reload() {
    std::vector<std::string> faults;
    reload_tls(faults);
    reload_rest_tls(faults);
    reload_queues(faults);
    return faults;
}

// Shown is what the engine has taken: it refuses what does not fit what runs.
void Daemon::reload_queues(std::vector<std::string>& all_faults) {
    constexpr std::chrono::seconds kTakenWithin{2};
    for (std::size_t at = 0; at < engines_.size(); ++at) {
        const std::unique_ptr<EngineThread>& engine = engines_[at];
        const config::PartitionConfig& partition = engine->partition();
        if (partition.queues_file.empty()) continue;
        GivenQueues queues;
        std::vector<std::string> faults;
        if (read_queues_file(partition.queues_file, partition.name, queues, faults)) {
            const std::string remark = node_order_remark(queues.text, partition);
            if (!remark.empty())
                log_->warning("queues read again", {{"partition", partition.name}, {"remark", remark}});
            const std::string text = queues.text;
            engine->give_queues(std::move(queues));
            const std::optional<std::string> refused =
                engine->ask([&thread = *engine] { return thread.refused_queues(); }, Clock::now() + kTakenWithin);
            if (!refused)
                all_faults.push_back(
                    fmt::format("partition {}: its engine takes the queues when it goes on", partition.name));
            if (refused && !refused->empty()) {
                all_faults.push_back(fmt::format("{}: {}", partition.queues_file, *refused));
                continue;
            }
            queue_texts_[at] = text;
            services_.configuration.show(at, partition.name, text);
            continue;
        }
        for (const std::string& fault : faults) {
            log_->error("queues not read again, the old ones stay", {{"partition", partition.name}, {"reason", fault}});
        }
        all_faults.insert(all_faults.end(), faults.begin(), faults.end());
    }
    if (rest_) rest_->show(shown_config(config_.partitions, queue_texts_));
}

bool Daemon::wait_for_engines(Clock::time_point deadline) {
    bool in_a_hurry = false;
    const auto ended = [](const auto& engine) { return engine->ended(); };
    while (!std::all_of(engines_.begin(), engines_.end(), ended)) {
        if (Clock::now() >= deadline + kEndsWithout) end_without_engines();
        // A second signal means that somebody is in a hurry.
        if (wait_for_signal(kStopPoll) != Signal::stop) continue;
        in_a_hurry = true;
        deadline = std::min(deadline, Clock::now());
        for (const auto& engine : engines_) engine->request_stop(Clock::now());
    }
    for (const auto& engine : engines_) engine->join();
    return in_a_hurry;
}

// Nothing is lost that a crash would not lose: shims state anew what they know.
void Daemon::end_without_engines() {
    for (const auto& engine : engines_) {
        if (engine->ended()) continue;
        log_->error("an engine does not end, the daemon ends without it", {{"partition", engine->partition().name}});
    }
    std::this_thread::sleep_for(kLogIsWritten);
    std::_Exit(1);
}

void Daemon::wait_for_output(Clock::time_point deadline) {
    lcores_->wake();
    const auto done = [](const auto& gateway) { return gateway->output_done(); };
    while (!std::all_of(gateways_.begin(), gateways_.end(), done)) {
        if (Clock::now() >= deadline) {
            log_->warning(
                "some decisions were not acknowledged in time; their shims state anew what they "
                "know");
            return;
        }
        if (wait_for_signal(kStopPoll) == Signal::stop) return;
    }
}

void Daemon::report(std::string_view state) { log_->info("status", {{"json", status_json(state)}}); }

void Daemon::write_status_file(std::string_view state) {
    std::string error;
    if (replace_file(status_file_, status_json(state), error)) {
        status_file_failed_ = false;
    } else if (!std::exchange(status_file_failed_, true)) {
        log_->error("status not written", {{"reason", error}});
    }
}

std::vector<std::vector<dataplane::Counter>> Daemon::counters_of_lcores() const {
    std::vector<std::vector<dataplane::Counter>> all;
    for (std::size_t lcore = 0; lcore < gateways_.size(); ++lcore) {
        all.push_back(lcores_->counters(lcore));
        gateways_[lcore]->counters().append_to(all.back());
    }
    return all;
}

GatewayCounters Daemon::gateway_counters() const {
    GatewayCounters sum;
    for (const auto& gateway : gateways_) sum += gateway->counters();
    return sum;
}

Status Daemon::make_status(std::string_view state) {
    Status status;
    status.state = state;
    status.uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_).count();
    status.port = lcores_->port_name();
    status.udp_port = lcores_->udp_port();
    status.data_plane = lcores_->counters();
    for (std::size_t lcore = 0; lcore < lcores_->count(); ++lcore) status.lcores.push_back(lcores_->counters(lcore));
    status.certificates = date_watch_.dates().shims;
    status.gateway = gateway_counters();
    if (rest_) status.rest = RestStatus{rest_->port(), rest_->counters(), {}};
    if (rest_ && events_) status.rest->events = events_->counters();
    status.profile = config_.profile;
    status.cpus_allowed = host_.allowed.count();
    status.inbox_frames_max = config_.data_plane.inbox_frames * config_.data_plane.lcores;
    status.inbox_bytes_max = std::size_t{config_.data_plane.inbox_bytes} * config_.data_plane.lcores;
    status.rest_certificate_s = date_watch_.dates().rest_certificate_s;
    status.stuck = watchdog_.stuck();
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        status.drained |= engines_[i]->drained();
        append_stages(status.stages, fmt::format("engine{}", i), engines_[i]->stages());
    }
    for (std::size_t i = 0; i < gateways_.size(); ++i) {
        append_stages(status.stages, fmt::format("lcore{}", i), gateways_[i]->stages());
    }
    // A busy engine answers between two turns of its loop; without an answer its former snapshot is
    // shown.
    const Clock::time_point deadline = Clock::now() + kSnapshotWithin;
    for (const auto& engine : engines_) {
        status.partitions.push_back({engine->partition().name, engine->partition().engine.workers,
                                     engine->partition().engine.victim_workers, engine->refresh_snapshot(deadline),
                                     engine->inbox_depth(), engine->inbox_bytes(), engine->read_model_status()});
    }
    return status;
}

}  // namespace bayplan::daemon
