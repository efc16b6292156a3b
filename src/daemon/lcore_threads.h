// The threads that own the data planes of the port, one per lcore, from opening it to closing it.
//
// The first thread opens the port for all, because DPDK looks at the CPUs of the thread that starts it; once EAL has
// started, the thread is put back on the CPUs of its role.
//
// Thread: start, request_stop, join: main; the accessors: main, between start and the end; counters of one lcore
// also: the lcores' own.
// Owner of each data plane: its thread while that runs; join() destroys them, after the last packet
// of all.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "daemon/log.h"
#include "dataplane/data_plane.h"

namespace bayplan::daemon {

// By name, of lists that have the same names in the same order, or nearly.
std::vector<dataplane::Counter> sum_of(const std::vector<std::vector<dataplane::Counter>>&);

class LcoreThreads {
public:
    // A thread per handler.
    LcoreThreads(dataplane::DataPlaneOptions, std::vector<dataplane::FrameHandler*>, Log&);
    ~LcoreThreads();
    LcoreThreads(const LcoreThreads&) = delete;
    LcoreThreads& operator=(const LcoreThreads&) = delete;

    // Returns when the port is open; packets are taken from then on. False: `error` says what
    // failed.
    bool start(std::string& error);
    // The loops end, and every connection is closed gracefully.
    void request_stop();
    void join();

    std::size_t count() const { return handlers_.size(); }
    dataplane::DataPlane& plane(std::size_t lcore) { return *planes_[lcore]; }  // until join()
    void wake();                                                                // all of them
    // Certificates anew, on all lcores. False: not on one of them nor on those after it; that is on
    // none, unless the files changed between two readings.
    bool reload_tls(std::string& error);
    const std::string& port_name() const { return port_name_; }
    std::uint16_t udp_port() const { return udp_port_; }
    // Reads the numbers of the device that counters() tells: now and then, by main.
    void look_at_device();
    // Of one lcore; after join(): of the end.
    std::vector<dataplane::Counter> counters(std::size_t lcore) const;
    std::vector<dataplane::Counter> counters() const;  // of all, by name

private:
    void open(std::promise<std::string> ready);
    void run(std::size_t lcore);
    void take_role(std::size_t lcore);

    const dataplane::DataPlaneOptions options_;
    const std::vector<dataplane::FrameHandler*> handlers_;
    Log& log_;
    std::vector<std::thread> threads_;
    std::vector<std::unique_ptr<dataplane::DataPlane>> planes_;
    std::vector<std::vector<dataplane::Counter>> final_counters_;
    std::string port_name_;
    std::uint16_t udp_port_ = 0;
};

}  // namespace bayplan::daemon
