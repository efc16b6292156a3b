// A daemon inside this process, joined to the shim by a DPDK ring pair: for hosts that allow
// neither network namespaces nor privileges. The parts are baypland's own; only the wire differs.
//
// Thread: start, open_port and stop: main, which runs the shim's end. The daemon's end and its
// engines have threads of their own. Owner of all of it: this object, which outlives the client.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bayplan/client.h"
#include "dataplane/data_plane.h"

namespace bayplan::cli {

class EmbeddedDaemon {
public:
    // Where the daemon's end of every ring pair is reached.
    static constexpr const char* kAddress = "10.98.0.1";
    static constexpr std::uint16_t kUdpPort = 4433;

    // Reads a configuration of baypland and starts its engines. Null with the faults in `error`.
    static std::unique_ptr<EmbeddedDaemon> start(const std::string& config_file, std::string& error);
    virtual ~EmbeddedDaemon() = default;

    // Opens the ring pair, starts the daemon's end, and gives the shim's end to the client.
    virtual std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions&, dataplane::FrameHandler&,
                                                            std::string& error) = 0;

    // Ends the engines and says what baypland's status file would, as JSON.
    virtual std::string stop() = 0;
};

}  // namespace bayplan::cli
