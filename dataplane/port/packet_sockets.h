// The packet sockets that a driver (af_packet) of this process has open on a kernel interface, whose rings it alone knows.
//
// A frame that the link refuses (a veth whose far end has a smaller MTU does) stays the first of its socket's ring: the kernel
// takes a refusal for congestion, and tries it again before every other one, for ever. Here that is noticed, and what
// waits is sent to the loopback interface, where nobody listens for it: lost packets are QUIC's daily bread, a silent
// port is not.
//
// Thread: any; the kernel settles who has a ring.
#pragma once

#include <string>
#include <vector>

namespace bayplan::dataplane {

class PacketSockets {
public:
    // Of no interface: none.
    PacketSockets() = default;
    explicit PacketSockets(const std::string& interface);

    bool empty() const { return sockets_.empty(); }
    // The kernel tries once more to send what waits; true: it refuses.
    bool refused() const;
    // All frames that wait are thrown away. False: that failed (no loopback interface that is up).
    bool discard() const;

private:
    std::vector<int> sockets_;  // the driver's
};

}  // namespace bayplan::dataplane
