// A daemon inside this process, joined to the shim by a DPDK ring pair: for hosts that allow
// neither network namespaces nor privileges. The parts are baypland's own; only the wire differs.
//
// Thread: start, open_port and stop: main, which runs the shim's end. The daemon's end and its
// engines have threads of their own. Owner of all of it: this object, which outlives the client.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bayplan/client.h"
#include "config/config.h"
#include "daemon/engine_thread.h"
#include "daemon/gateway.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "dataplane/data_plane.h"
#include "threads/host_cpus.h"

namespace bayplan::cli {

class EmbeddedDaemon {
public:
    // Where the daemon's end of every ring pair is reached.
    static constexpr const char* kAddress = "10.98.0.1";
    static constexpr std::uint16_t kUdpPort = 4433;

    // Reads a configuration of baypland and starts its engines. Null with the faults in `error`.
    static std::unique_ptr<EmbeddedDaemon> start(const std::string& config_file, std::string& error);
    ~EmbeddedDaemon();

    // Opens the ring pair, starts the daemon's end, and gives the shim's end to the client.
    std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions&, dataplane::FrameHandler&, std::string& error);

    // Ends the engines and says what baypland's status file would, as JSON.
    std::string stop();

private:
    EmbeddedDaemon() = default;
    bool start_engines(std::string& error);

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

}  // namespace bayplan::cli
