// The daemon: its parts, the order they are started in, and how it stops.
//
//   threads -> few privileges -> log -> allocator -> concurrency -> housekeeping -> engines -> rest -> port ->
//   no privileges -> service -> stop
//
// Boot is a table of named steps (daemon.cpp); the first that fails is named in the log and ends
// it.
//
// Thread: main's. Owner of everything: this object; members are destroyed in reverse order, so
// users before what they use.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "daemon/admin_socket.h"
#include "daemon/date_watch.h"
#include "daemon/engine_thread.h"
#include "daemon/gateway.h"
#include "daemon/inbox.h"
#include "daemon/lcore_threads.h"
#include "daemon/log.h"
#include "daemon/rest_service.h"
#include "daemon/status.h"
#include "daemon/watchdog.h"
#include "instruments/flight_recorder.h"
#include "threads/host_cpus.h"

namespace bayplan::daemon {

class Daemon {
public:
    // `status_file`: replaced every second; empty: none.
    Daemon(config::Config, const threads::HostCpus&, std::string status_file);
    ~Daemon();

    // Boots, serves until a signal to stop, stops. The exit status of the process.
    int run();

private:
    using Clock = std::chrono::steady_clock;
    struct Step {
        std::string_view name;
        bool (Daemon::*start)(std::string& error);
    };
    static const Step kBootSteps[];

    bool boot();
    bool install_plan(std::string& error);
    bool take_few_privileges(std::string& error);
    bool start_log(std::string& error);
    bool check_allocator(std::string& error);
    bool read_concurrency(std::string& error);
    bool pin_main(std::string& error);
    bool start_engines(std::string& error);
    void make_event_store();
    bool prepare_services(std::string& error);
    bool start_rest(std::string& error);
    bool open_port(std::string& error);
    bool drop_privileges(std::string& error);

    void serve();
    void look_after_threads();
    void dump_flight(std::string_view why);
    bool all_is_well(std::string& why_not);
    bool takes_work(std::string& why_not);

    // --- orders of operators, daemon_admin.cpp
    using Words = AdminSocket::Words;
    using Order = AdminAnswer (Daemon::*)(const Words&);
    static const Order kOrders[11];  // of kAdminOrders
    bool open_admin_socket(std::string& error);
    AdminAnswer take_order(const Words&, const AdminPeer&);
    AdminAnswer list_orders(const Words&);
    AdminAnswer tell_status(const Words&);
    AdminAnswer tell_counters(const Words&);
    AdminAnswer tell_live(const Words&);
    AdminAnswer tell_ready(const Words&);
    AdminAnswer set_drained(const Words&);
    AdminAnswer set_log_level(const Words&);
    void show_condition();  // to REST
    AdminAnswer reload_on_order(const Words&);
    AdminAnswer forget_shim(const Words&);
    AdminAnswer dump_on_order(const Words&);
    AdminAnswer audit_partitions(const Words&);
    void stop();
    // Certificates and queues; why some stay as they were.
    std::vector<std::string> reload();
    void reload_tls(std::vector<std::string>& faults);
    void warn(const std::vector<DateWatch::Warning>&);
    void note_shims_dates();
    void note_rest_date();
    void reload_rest_tls(std::vector<std::string>& faults);
    void reload_queues(std::vector<std::string>& faults);
    // True: a second signal ended the wait. Long after the deadline the process ends here.
    bool wait_for_engines(Clock::time_point deadline);
    [[noreturn]] void end_without_engines();
    void wait_for_output(Clock::time_point deadline);
    void report(std::string_view state);
    void write_status_file(std::string_view state);
    GatewayCounters gateway_counters() const;
    std::vector<std::vector<dataplane::Counter>> counters_of_lcores() const;  // any lcore's thread
    Status make_status(std::string_view state);
    std::string status_json(std::string_view state) { return to_json(make_status(state)); }

    config::Config config_;
    const threads::HostCpus host_;
    const std::string status_file_;
    const Clock::time_point started_ = Clock::now();
    bool status_file_failed_ = false;
    DateWatch date_watch_;

    // While one exists, DPDK's log lines go to the log.
    struct PortLog {
        explicit PortLog(Log&);
        ~PortLog();
    };

    std::unique_ptr<Log> log_;
    std::unique_ptr<PortLog> port_log_;   // before the port: until that is closed
    instruments::FlightRecorder flight_;  // before the threads, which write its rings
    instruments::FlightRing& own_flight_ = flight_.make_ring("main", 1'024);
    Watchdog watchdog_{std::chrono::nanoseconds(config_.operations.watchdog_ns)};
    AdminSocket admin_{[this](const Words& words, const AdminPeer& peer) { return take_order(words, peer); },
                       [this](const AdminPeer& peer) {
                           log_->warning("admin request refused", {{"uid", peer.uid}, {"pid", peer.pid}});
                       }};
    // inboxes_[partition][lcore]; wakers_[partition].
    std::vector<std::unique_ptr<Waker>> wakers_;
    std::vector<std::vector<std::unique_ptr<Inbox>>> inboxes_;
    std::shared_ptr<ShimRegistry> shim_registry_ = std::make_shared<ShimRegistry>(config_.data_plane.lcores);
    std::unique_ptr<events::EventStore> events_;      // null: not tracked. Before all who write or read it.
    ShimServices services_;                           // likewise
    std::vector<std::unique_ptr<Gateway>> gateways_;  // one per lcore
    std::unique_ptr<LcoreThreads> lcores_;
    // After the port: engines wake it, so they must end first.
    std::vector<std::unique_ptr<EngineThread>> engines_;
    std::vector<std::string> queue_texts_;  // of each partition, as REST shows them; empty: none
    std::unique_ptr<RestService> rest_;     // null: off. After what it asks.
};

}  // namespace bayplan::daemon
