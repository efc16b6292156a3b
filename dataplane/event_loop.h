// The data plane over a port that is already open: what open_data_plane() and the DPDK ring pair
// are built from, and how tests run the whole stack over an in-memory port in virtual time.
//
// Thread: one, which calls turn() or run(). Errors: null and a text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dataplane/data_plane.h"
#include "net/packet_port.h"
#include "port/steering.h"

namespace bayplan::dataplane {

// Nanoseconds of a clock that never goes back. Empty: CLOCK_MONOTONIC. Read once per turn.
using NowFunction = std::function<std::uint64_t()>;

// Takes the port over. Of the options, `kernel` and `dpdk` are not looked at. `steering`: to the
// other lcores of the same port, whose number is options.lcore.
std::unique_ptr<DataPlane> make_data_plane(const DataPlaneOptions&, FrameHandler&, std::unique_ptr<PacketPort>,
                                           std::string& error, NowFunction now = {},
                                           std::shared_ptr<Steering> steering = {});

// One data plane per port and handler, with steering between them.
std::vector<std::unique_ptr<DataPlane>> make_data_planes(const DataPlaneOptions&, std::span<FrameHandler* const>,
                                                         PortSet, std::string& error, NowFunction now = {});

}  // namespace bayplan::dataplane
