// See embedded_daemon.h.
#include "cli/embedded_daemon.h"

#include <oneapi/tbb/info.h>

#include <chrono>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "daemon/engine_thread.h"
#include "daemon/gateway.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "daemon/scheduler_files.h"
#include "daemon/status.h"
#include "threads/host_cpus.h"
#include "threads/thread_role.h"

namespace bayplan::cli {

namespace {

class Parts final : public EmbeddedDaemon {
public:
    ~Parts() override;

    bool read(const std::string& config_file, std::string& error);
    bool start_engines(std::string& error);
    std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions&, dataplane::FrameHandler&,
                                                    std::string& error) override;
    std::string stop() override;

private:
    config::Config config_;
    threads::HostCpus host_;
    std::unique_ptr<daemon::Log> log_;
    std::vector<std::unique_ptr<daemon::Inbox>> inboxes_;
    std::unique_ptr<daemon::Gateway> gateway_;
    std::unique_ptr<dataplane::DataPlane> plane_;
    std::thread plane_thread_;
    std::vector<std::unique_ptr<daemon::EngineThread>> engines_;  // they wake the plane: end first
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    bool stopped_ = false;
};

bool Parts::read(const std::string& config_file, std::string& error) {
    host_ = threads::read_host_cpus();
    config::Faults faults;
    if (!daemon::load_config(config_file, host_, config_, faults)) {
        for (const config::Fault& fault : faults) {
            error += (error.empty() ? "" : "\n") + fault.to_string();
        }
        return false;
    }
    // The first question fixes TBB's answer for the process; from a pinned thread it would be 1.
    tbb::info::default_concurrency();
    threads::install_thread_plan(config_.profile.plan, host_.allowed);
    config_.log.level = config::LogLevel::warning;  // the rest would run into the report
    log_ = std::make_unique<daemon::Log>(config_.log);
    return true;
}

bool Parts::start_engines(std::string& error) {
    std::random_device random;
    const std::uint64_t instance = (std::uint64_t{random() >> 1} << 32) | random() | 1;
    std::vector<daemon::Inbox*> inboxes;
    std::size_t first_worker = 0;
    std::size_t first_victim_worker = 0;
    for (config::PartitionConfig& partition : config_.partitions) {
        partition.engine.daemon_instance = instance;
        inboxes_.push_back(
            std::make_unique<daemon::Inbox>(config_.data_plane.inbox_frames, config_.data_plane.inbox_bytes));
        inboxes.push_back(inboxes_.back().get());
        daemon::EngineThreadOptions options;
        options.partition = partition;
        options.index = engines_.size();
        options.first_worker = first_worker;
        options.first_victim_worker = first_victim_worker;
        options.record = config::record_file(config_, partition);
        options.poll = config_.data_plane.idle == dataplane::IdlePolicy::poll;
        first_worker += partition.engine.workers;
        first_victim_worker += partition.engine.victim_workers;
        engines_.push_back(std::make_unique<daemon::EngineThread>(options, *inboxes_.back(), *log_));
        if (!engines_.back()->start(error)) {
            return false;
        }
    }
    gateway_ = std::make_unique<daemon::Gateway>(config_.partitions, inboxes, config_.data_plane, *log_);
    return true;
}

std::unique_ptr<dataplane::DataPlane> Parts::open_port(const ClientOptions& client, dataplane::FrameHandler& shim,
                                                       std::string& error) {
    dataplane::DataPlaneOptions server_end = config::data_plane_options(config_.data_plane);
    server_end.dpdk.udp_port = kUdpPort;
    dataplane::DataPlaneOptions client_end;
    client_end.server = false;
    client_end.port = dataplane::PortKind::dpdk;
    client_end.idle = server_end.idle;
    client_end.transport.tls = {client.certificate, client.key, client.authority};
    client_end.transport.idle_timeout_ms = client.idle_timeout_ms;
    dataplane::RingPair pair = dataplane::open_ring_pair(server_end, *gateway_, client_end, shim, error);
    if (pair.client == nullptr) {
        return nullptr;
    }
    plane_ = std::move(pair.server);
    for (const auto& engine : engines_) {
        engine->attach(*plane_);
    }
    plane_thread_ = std::thread([this] {
        std::string unpinned;
        if (!threads::assume_role(threads::Role::data_plane, 0, unpinned)) {
            log_->warning("thread not pinned", {{"role", "data_plane"}, {"reason", unpinned}});
        }
        plane_->run();
    });
    return std::move(pair.client);
}

std::string Parts::stop() {
    if (!stopped_) {
        stopped_ = true;
        gateway_->stop_input();
        for (const auto& engine : engines_) {
            engine->request_stop(std::chrono::steady_clock::now());
        }
        for (const auto& engine : engines_) {
            engine->join();
        }
        gateway_->expect_no_more_output();
        if (plane_thread_.joinable()) {
            plane_->request_stop();
            plane_thread_.join();
        }
    }
    daemon::Status status;
    status.state = "stopped";
    status.uptime_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_).count();
    if (plane_ != nullptr) {
        status.port = plane_->port_name();
        status.udp_port = plane_->udp_port();
        status.data_plane = plane_->counters();
    }
    status.gateway = gateway_->counters();
    status.profile = config_.profile;
    status.cpus_allowed = host_.allowed.count();
    for (const auto& engine : engines_) {
        status.partitions.push_back({engine->partition().name, engine->partition().engine.workers,
                                     engine->partition().engine.victim_workers, engine->latest_snapshot(),
                                     engine->inbox_depth(), engine->inbox_bytes(), engine->read_model_status()});
    }
    return daemon::to_json(status);
}

Parts::~Parts() {
    // Engines that did not start have nothing to end.
    if (gateway_ != nullptr) {
        Parts::stop();
    }
}

}  // namespace

std::unique_ptr<EmbeddedDaemon> EmbeddedDaemon::start(const std::string& config_file, std::string& error) {
    auto daemon = std::make_unique<Parts>();
    if (!daemon->read(config_file, error) || !daemon->start_engines(error)) return nullptr;
    return daemon;
}

}  // namespace bayplan::cli
