// The steps of the boot, in their order.
//
// Thread: main's.
#include "daemon/daemon.h"

#include <fmt/format.h>
#include <oneapi/tbb/info.h>
#include <sys/random.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "daemon/allocator.h"
#include "daemon/memory_share.h"
#include "daemon/privileges.h"
#include "daemon/queues_file.h"
#include "daemon/signals.h"
#include "threads/thread_role.h"

namespace bayplan::daemon {
namespace {

constexpr std::size_t kLcoreRecords = 1u << 12;  // hellos that were refused
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
    {"few privileges", &Daemon::take_few_privileges},  // before there is another thread
    {"log", &Daemon::start_log},
    {"allocator", &Daemon::check_allocator},
    {"concurrency", &Daemon::read_concurrency},  // before this thread is pinned
    {"housekeeping", &Daemon::pin_main},
    {"engines", &Daemon::start_engines},  // and their executors: before DPDK pins anything
    {"rest", &Daemon::start_rest},        // somebody may look before anything happens
    {"port", &Daemon::open_port},         // from here on shims come in
    {"admin", &Daemon::open_admin_socket},
    {"no privileges", &Daemon::drop_privileges},
};

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

bool Daemon::take_few_privileges(std::string& error) {
    flight_.dump_when_killed(config_.operations.flight_recorder);
    return begin_with_few_privileges(config_.privileges, config_.profile.lock_memory, error);
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
    for (const std::string& remark : config_.remarks) log_->warning("scheduler_config", {{"warning", remark}});
    for (const config::PartitionConfig& partition : config_.partitions) {
        if (partition.scheduler_config.empty()) continue;
        log_->info("scheduler_config", {{"partition", partition.name}, {"file", partition.scheduler_config}});
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
        engines_.push_back(
            std::make_unique<EngineThread>(EngineThreadOptions{partition,
                                                               engines_.size(),
                                                               first_worker,
                                                               first_victim_worker,
                                                               config::record_file(config_, partition),
                                                               poll,
                                                               !config_.rest.listen.empty(),
                                                               events_.get(),
                                                               config_.events.node_occupied,
                                                               {config_.record_bytes_max, config_.record_runs},
                                                               config_.operations.audit_longest_ns,
                                                               &flight_,
                                                               [this] { dump_flight("a broken law"); }},
                                           inboxes, *log_));
        first_worker += partition.engine.workers;
        first_victim_worker += partition.engine.victim_workers;
        watchdog_.watch(fmt::format("engine{}", engines_.size() - 1), engines_.back()->heartbeat());
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

// Events are of all partitions, and a partition is a domain of trust.
bool Daemon::prepare_services(std::string& error) {
    services_.events = config_.partitions.size() == 1 ? events_.get() : nullptr;
    services_.shows_states = !config_.rest.listen.empty();
    for (const config::PartitionConfig& partition : config_.partitions) {
        std::vector<std::string> faults;
        std::string& text = queue_texts_.emplace_back();
        if (partition.queues_file.empty()) continue;
        if (!read_queues_file(partition.queues_file, text, faults)) {
            error = faults.front();
            return false;
        }
        services_.configuration.show(queue_texts_.size() - 1, partition.name, text);
    }
    return true;
}

bool Daemon::start_rest(std::string& error) {
    if (!prepare_services(error)) return false;
    if (config_.rest.listen.empty()) return true;
    rest::ShownPartitions shown;
    for (const auto& engine : engines_) {
        answers::Place place;
        place.partition = engine->partition().name;
        place.cluster = kClusterName;
        place.started_ns = place.zero_tick_ns.emplace(engine->zero_tick_ns());
        place.build_of = [registry = shim_registry_, partition = shown.size()](const std::string& shim) {
            return registry->build_of(partition, shim);
        };
        shown.push_back({std::move(place), [&engine = *engine] { return engine.shown_version(); }});
    }
    const rest::ShownEvents events{
        events_.get(), {config_.events.batch_events, config_.events.streams, config_.events.streams_of_host}};
    rest_ = std::make_unique<RestService>(config_.rest, config_.stop_within_ns,
                                          shown_config(config_.partitions, queue_texts_), std::move(shown), events,
                                          services_.states);
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
    std::vector<dataplane::FrameHandler*> handlers;
    for (std::size_t lcore = 0; lcore < lcores; ++lcore) {
        std::vector<Inbox*> inboxes;
        for (const auto& of_partition : inboxes_) inboxes.push_back(of_partition[lcore].get());
        gateways_.push_back(
            std::make_unique<Gateway>(config_.partitions, inboxes, config_.data_plane, *log_, shim_registry_, lcore));
        gateways_.back()->inform_by(services_);
        gateways_.back()->note_in(flight_.make_ring(fmt::format("lcore{}", lcore), kLcoreRecords));
        watchdog_.watch(fmt::format("lcore{}", lcore), gateways_.back()->heartbeat());
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

bool Daemon::drop_privileges(std::string& error) {
    if (!give_up_privileges(config_.privileges, error)) return false;
    const Privileges now = read_privileges();
    log_->info("privileges", {{"user", now.user},
                              {"capabilities", now.capabilities},
                              {"no_new_privileges", now.no_new_privileges ? "yes" : "no"},
                              {"system_calls", now.system_calls_limited ? "limited" : "all"},
                              {"locked", now.locked}});
    if (now.user == "root") {
        log_->warning("runs as root", {{"remedy", "give privileges: {user: NAME}, or start it as another user"}});
    }
    return true;
}

}  // namespace bayplan::daemon
