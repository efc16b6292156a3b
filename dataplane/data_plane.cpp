// Opens the port that the options name and puts the data plane on it.
//
// Thread: the caller's.
#include "dataplane/data_plane.h"

#include "event_loop.h"
#include "kernel_port.h"

namespace bayplan::dataplane {

std::unique_ptr<DataPlane> open_data_plane(const DataPlaneOptions& options, FrameHandler& handler,
                                           std::string& error) {
    std::unique_ptr<PacketPort> port =
        options.port == PortKind::kernel
            ? open_kernel_port(options.kernel, options.server, options.transport.payload_bytes_max,
                               error)
            : open_dpdk_port(options.dpdk, options.server, error);
    if (!port) return nullptr;
    return make_data_plane(options, handler, std::move(port), error);
}

}  // namespace bayplan::dataplane
