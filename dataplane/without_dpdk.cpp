// Linked in place of dataplane_dpdk by programs that carry no DPDK (shims): asking for its ports is
// an operating error with a clear text.
//
// Thread: any.
#include "dataplane/data_plane.h"
#include "net/packet_port.h"

namespace bayplan::dataplane {

namespace {
constexpr const char* kAbsent = "this program was built without DPDK; use the kernel port";
}

std::unique_ptr<PacketPort> open_dpdk_port(const DpdkPortOptions&, bool, std::string& error) {
    error = kAbsent;
    return nullptr;
}

PortSet open_dpdk_ports(const DpdkPortOptions&, std::size_t, bool, std::uint16_t, std::string& error) {
    error = kAbsent;
    return {};
}

RingPair open_ring_pair(const DataPlaneOptions&, FrameHandler&, const DataPlaneOptions&, FrameHandler&,
                        std::string& error) {
    error = kAbsent;
    return {};
}

}  // namespace bayplan::dataplane
