// How an attacker reaches the daemon: a data plane of its own over kernel UDP, and where the daemon is.
//
// Thread: its caller's. Errors: std::runtime_error with the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "dataplane/data_plane.h"

namespace bayplan::bench {

struct Target {
    std::string address;
    std::uint16_t udp_port = 0;

    explicit Target(const std::string& text) {
        const std::size_t colon = text.rfind(':');
        if (colon == std::string::npos) throw std::runtime_error("'" + text + "' is not ADDRESS:PORT");
        address = text.substr(0, colon);
        udp_port = static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1)));
    }
};

inline std::unique_ptr<dataplane::DataPlane> open_client(const dataplane::TlsFiles& tls,
                                                         dataplane::FrameHandler& handler) {
    dataplane::DataPlaneOptions options;
    options.server = false;
    options.transport.tls = tls;
    std::string error;
    std::unique_ptr<dataplane::DataPlane> plane = dataplane::open_data_plane(options, handler, error);
    if (!plane) throw std::runtime_error(error);
    return plane;
}

}  // namespace bayplan::bench
