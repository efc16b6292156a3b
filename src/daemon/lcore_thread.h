// The thread that owns the data plane, from opening the port to closing it.
//
// The port is opened on this thread because DPDK's EAL pins whoever starts it, and because a data
// plane belongs to one thread. After EAL has had its say the thread is put back on the CPUs of its
// role.
//
// Thread: start, request_stop, join: main; the accessors: main, between start and the end.
// Owner of the data plane: this thread; join() destroys it, after its last packet.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/log.h"
#include "dataplane/data_plane.h"

namespace bayplan::daemon {

class LcoreThread {
public:
    LcoreThread(dataplane::DataPlaneOptions, dataplane::FrameHandler&, Log&);
    ~LcoreThread();
    LcoreThread(const LcoreThread&) = delete;
    LcoreThread& operator=(const LcoreThread&) = delete;

    // Returns when the port is open; packets are taken from then on. False: `error` says what
    // failed.
    bool start(std::string& error);
    // The loop ends, and every connection is closed gracefully.
    void request_stop();
    void join();

    dataplane::DataPlane& plane() { return *plane_; }  // until join()
    const std::string& port_name() const { return port_name_; }
    std::uint16_t udp_port() const { return udp_port_; }
    std::vector<dataplane::Counter> counters() const;  // after join(): of the end

private:
    void body(std::promise<std::string> ready);

    const dataplane::DataPlaneOptions options_;
    dataplane::FrameHandler& handler_;
    Log& log_;
    std::thread thread_;
    std::unique_ptr<dataplane::DataPlane> plane_;
    std::string port_name_;
    std::uint16_t udp_port_ = 0;
    std::vector<dataplane::Counter> final_counters_;
};

}  // namespace bayplan::daemon
