// Opens the port that the options name and puts the data plane on it.
//
// Thread: the caller's.
#include "dataplane/data_plane.h"

#include "event_loop.h"
#include "port/kernel_port.h"

namespace bayplan::dataplane {

std::unique_ptr<DataPlane> open_data_plane(const DataPlaneOptions& options, FrameHandler& handler, std::string& error) {
    FrameHandler* const one[] = {&handler};
    auto planes = open_data_planes(options, one, error);
    return planes.empty() ? nullptr : std::move(planes.front());
}

std::vector<std::unique_ptr<DataPlane>> open_data_planes(const DataPlaneOptions& options,
                                                         std::span<FrameHandler* const> handlers, std::string& error) {
    PortSet set = options.port == PortKind::kernel ? open_kernel_ports(options.kernel, handlers.size(), options.server,
                                                                       options.transport.payload_bytes_max, error)
                                                   : open_dpdk_ports(options.dpdk, handlers.size(), options.server,
                                                                     options.transport.payload_bytes_max, error);
    if (set.ports.empty()) return {};
    return make_data_planes(options, handlers, std::move(set), error);
}

}  // namespace bayplan::dataplane
