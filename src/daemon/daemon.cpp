// Boot, service, stop.
//
// Thread: main's.
#include "daemon/daemon.h"
#include "daemon/memory_share.h"

#include <fmt/format.h>
#include <oneapi/tbb/info.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "daemon/allocator.h"
#include "daemon/metrics.h"
#include "daemon/queues_file.h"
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
constexpr const char* kClusterName = "bayplan";  // clusterId of REST

// Tells this run of the daemon from every other, so that a shim's hello can resume only what this
// one knows. Positive as a signed number, because records keep it as one.
std::uint64_t random_instance() {
    std::uint64_t value = 0;
    while (value == 0) {
        if (getrandom(&value, sizeof value, 0) != sizeof value) value = 0;
        value &= ~(std::uint64_t{1} << 63);
    }
    return value;
}

// A white-list of predicates, for the log.
std::string listed(const std::vector<std::string>& predicates) {
    return predicates.empty() ? "all" : fmt::format("{}", fmt::join(predicates, ","));
}

}  // namespace

const Daemon::Step Daemon::kBootSteps[] = {
    {"threads", &Daemon::install_plan},
    {"log", &Daemon::start_log},
    {"allocator", &Daemon::check_allocator},
    {"concurrency", &Daemon::read_concurrency},  // before this thread is pinned
    {"housekeeping", &Daemon::pin_main},
    {"engines", &Daemon::start_engines},  // and their executors: before DPDK pins anything
    {"rest", &Daemon::start_rest},        // somebody may look before anything happens
    {"port", &Daemon::open_port},         // last: from here on shims come in
};

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

bool Daemon::boot() {
    for (const Step& step : kBootSteps) {
        std::string error;
        if ((this->*step.start)(error)) continue;
        if (log_) {
            log_->error("cannot start", {{"step", step.name}, {"reason", error}});
        } else {
            std::fprintf(stderr, "baypland: cannot start: %s: %s\n", std::string(step.name).c_str(), error.c_str());
        }
        return false;
    }
    return true;
}

bool Daemon::install_plan(std::string&) {
    block_signals();
    threads::install_thread_plan(config_.profile.plan, host_.allowed);
    return true;
}

bool Daemon::start_log(std::string&) {
    log_ = std::make_unique<Log>(config_.log);
    port_log_ = std::make_unique<PortLog>(*log_);
    log_->info("baypland starts", {{"version", BAYPLAN_VERSION}, {"config", config_.file}});
    const auto cpus = [this](threads::Role role) { return config_.profile.plan.describe(role); };
    log_->info("profile", {{"source", config_.profile.source},
                           {"data_plane", cpus(threads::Role::data_plane)},
                           {"engine", cpus(threads::Role::engine)},
                           {"teller", cpus(threads::Role::teller)},
                           {"workers", cpus(threads::Role::worker)},
                           {"victim_workers", cpus(threads::Role::victim_worker)},
                           {"housekeeping", cpus(threads::Role::housekeeping)},
                           {"allowed", host_.allowed.to_string()}});
    const bool polling = config_.data_plane.idle == dataplane::IdlePolicy::poll;
    for (const std::string& warning : threads::plan_warnings(config_.profile.plan, polling)) {
        log_->warning("profile", {{"warning", warning}});
    }
    return true;
}

bool Daemon::check_allocator(std::string&) {
    log_->info("allocator", {{"name", allocator_name()}});
    return true;
}

bool Daemon::read_concurrency(std::string&) {
    // The first question fixes TBB's answer for the process; asked from a pinned thread it would
    // be 1.
    log_->info("tbb", {{"concurrency", tbb::info::default_concurrency()}});
    return true;
}

bool Daemon::pin_main(std::string& error) {
    // Main keeps the program's name.
    return threads::pin_current_thread(threads::planned_cpus(threads::Role::housekeeping, 0), error);
}

bool Daemon::start_engines(std::string& error) {
    const std::uint64_t instance = random_instance();
    std::size_t first_worker = 0;
    std::size_t first_victim_worker = 0;
    share_memory(memory_bytes(), config_.partitions);
    make_event_store();
    for (config::PartitionConfig& partition : config_.partitions) {
        partition.engine.daemon_instance = instance;
        wakers_.push_back(std::make_unique<Waker>());
        std::vector<Inbox*> inboxes;
        for (std::uint32_t lcore = 0; lcore < config_.data_plane.lcores; ++lcore) {
            if (lcore == 0) inboxes_.emplace_back();
            inboxes_.back().push_back(std::make_unique<Inbox>(config_.data_plane.inbox_frames,
                                                              config_.data_plane.inbox_bytes, wakers_.back().get()));
            inboxes.push_back(inboxes_.back().back().get());
        }
        const bool poll = config_.data_plane.idle == dataplane::IdlePolicy::poll;
        engines_.push_back(std::make_unique<EngineThread>(
            EngineThreadOptions{partition, engines_.size(), first_worker, first_victim_worker,
                                config::record_file(config_, partition), poll, !config_.rest.listen.empty(),
                                events_.get(), config_.events.node_occupied},
            inboxes, *log_));
        first_worker += partition.engine.workers;
        first_victim_worker += partition.engine.victim_workers;
        if (!engines_.back()->start(error)) {
            error = fmt::format("partition '{}': {}", partition.name, error);
            return false;
        }
        log_->info("partition", {{"name", partition.name},
                                 {"workers", partition.engine.workers},
                                 {"victim_workers", partition.engine.victim_workers},
                                 {"shards", partition.engine.shards},
                                 {"batch", partition.engine.batch},
                                 {"depth", partition.engine.depth},
                                 {"bytes_max", partition.engine.bytes_max},
                                 {"predicates", listed(partition.engine.predicates)},
                                 {"reservation_predicates", listed(partition.engine.reservation_predicates)},
                                 {"record", config::record_file(config_, partition)}});
        if (partition.shims.empty()) {
            log_->warning("no shim may use this partition",
                          {{"partition", partition.name}, {"remedy", "give 'shims'"}});
        }
    }
    return true;
}

void Daemon::make_event_store() {
    if (config_.rest.listen.empty() || !config_.events.tracking) return;
    events_ = std::make_unique<events::EventStore>(
        events::StoreLimits{.events = config_.events.ring_events, .bytes = config_.events.ring_bytes});
    if (config_.events.node_occupied) {
        log_->info("NODE_OCCUPIED events are deprecated", {{"remedy", "set events: {node_occupied: off}"}});
    }
}

bool Daemon::start_rest(std::string& error) {
    if (config_.rest.listen.empty()) return true;
    for (const config::PartitionConfig& partition : config_.partitions) {
        std::vector<std::string> faults;
        queue_texts_.emplace_back();
        if (partition.queues_file.empty()) continue;
        if (read_queues_file(partition.queues_file, queue_texts_.back(), faults)) continue;
        error = faults.front();
        return false;
    }
    rest::ShownPartitions shown;
    for (const auto& engine : engines_) {
        answers::Place place;
        place.partition = engine->partition().name;
        place.cluster = kClusterName;
        place.started_ns = place.zero_tick_ns.emplace(engine->zero_tick_ns());
        shown.push_back({std::move(place), [&engine = *engine] { return engine.shown_version(); }});
    }
    const rest::ShownEvents events{
        events_.get(), {config_.events.batch_events, config_.events.streams, config_.events.streams_of_host}};
    rest_ = std::make_unique<RestService>(config_.rest, config_.stop_within_ns,
                                          shown_config(config_.partitions, queue_texts_), std::move(shown), events);
    const auto begin_watch = [this] {
        std::string unpinned;
        if (!threads::assume_role(threads::Role::housekeeping, 0, unpinned)) {
            log_->warning("thread not pinned", {{"thread", "bp-watch"}, {"reason", unpinned}});
        }
        threads::name_current_thread("bp-watch");
    };
    if (!rest_->start(error, begin_watch)) {
        error +=
            "; see rest_listen, rest_tls_cert, rest_tls_key and rest_token_file in the configuration (rest_listen: "
            "off for none)";
        return false;
    }
    log_->info("rest", {{"listen", config_.rest.listen},
                        {"port", rest_->port()},
                        {"tls", config_.rest.certificate.empty() ? "no" : "yes"},
                        {"token", config_.rest.token_file.empty() ? "no" : "yes"}});
    return true;
}

bool Daemon::open_port(std::string& error) {
    const std::size_t lcores = config_.data_plane.lcores;
    const auto registry = std::make_shared<ShimRegistry>(lcores);
    std::vector<dataplane::FrameHandler*> handlers;
    for (std::size_t lcore = 0; lcore < lcores; ++lcore) {
        std::vector<Inbox*> inboxes;
        for (const auto& of_partition : inboxes_) inboxes.push_back(of_partition[lcore].get());
        gateways_.push_back(
            std::make_unique<Gateway>(config_.partitions, inboxes, config_.data_plane, *log_, registry, lcore));
        handlers.push_back(gateways_.back().get());
    }
    lcores_ =
        std::make_unique<LcoreThreads>(config::data_plane_options(config_.data_plane), std::move(handlers), *log_);
    for (const auto& gateway : gateways_) gateway->tell_counters_of([this] { return counters_of_lcores(); });
    if (!lcores_->start(error)) return false;
    for (const auto& engine : engines_) {
        for (std::size_t lcore = 0; lcore < lcores; ++lcore) engine->attach(lcores_->plane(lcore), lcore);
    }
    note_shims_dates();
    note_rest_date();
    log_->info("port open", {{"port", lcores_->port_name()},
                             {"address", config_.data_plane.address},
                             {"udp_port", lcores_->udp_port()},
                             {"lcores", lcores}});
    return true;
}

void Daemon::serve() {
    log_->info("ready");
    Clock::time_point next_status = Clock::now();
    while (true) {
        const Signal signal = wait_for_signal(next_status - Clock::now());
        if (signal == Signal::stop) return;
        if (signal == Signal::report) report("running");
        if (signal == Signal::reload) {
            reload_tls();
            reload_rest_tls();
            reload_queues();
        }
        if (Clock::now() < next_status) continue;
        next_status = Clock::now() + kStatusEvery;
        if (!status_file_.empty()) write_status_file("running");
        if (rest_) rest_->show_metrics(metrics_text(make_status("running")));
    }
}

void Daemon::stop() {
    const Clock::time_point deadline = Clock::now() + std::chrono::nanoseconds(config_.stop_within_ns);
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

void Daemon::reload_queues() {
    for (std::size_t at = 0; at < engines_.size(); ++at) {
        const std::unique_ptr<EngineThread>& engine = engines_[at];
        const config::PartitionConfig& partition = engine->partition();
        if (partition.queues_file.empty()) continue;
        std::string text;
        std::vector<std::string> faults;
        if (read_queues_file(partition.queues_file, text, faults)) {
            if (rest_) queue_texts_[at] = text;
            engine->give_queues(std::move(text));
            continue;
        }
        for (const std::string& fault : faults) {
            log_->error("queues not read again, the old ones stay", {{"partition", partition.name}, {"reason", fault}});
        }
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
    status.certificates = dates_;
    status.gateway = gateway_counters();
    if (rest_) status.rest = RestStatus{rest_->port(), rest_->counters(), {}};
    if (rest_ && events_) status.rest->events = events_->counters();
    status.profile = config_.profile;
    status.cpus_allowed = host_.allowed.count();
    status.inbox_frames_max = config_.data_plane.inbox_frames * config_.data_plane.lcores;
    status.inbox_bytes_max = std::size_t{config_.data_plane.inbox_bytes} * config_.data_plane.lcores;
    status.rest_certificate_s = rest_certificate_s_;
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
