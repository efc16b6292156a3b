// Rings between the lcores of one port: a packet that a receive queue hands to the wrong lcore goes
// on to the lcore that its connection id names, so that a connection never changes its lcore.
//
// That happens when a client's address changes (the device hashes it to another queue), and for
// every packet where the device has but one queue: then lcore 0 receives for all, and the first
// byte of the id that a client makes up for its first packet spreads new connections.
//
// Each pair of lcores has a ring of its own, and a second ring that takes the buffers back: nothing
// is allocated once rings have been full. A full ring drops (and the caller counts); QUIC sends
// again.
//
// Thread: hand_over(from, ...) and wake(from): lcore `from`; take(to, ...): lcore `to`. attach():
// before any of them runs. Owner: shared by the loops of the port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/spsc_ring.h"
#include "net/packet_port.h"

namespace bayplan::dataplane {

class Steering {
public:
    static constexpr std::size_t kRingSlots = 1024;
    static constexpr std::size_t kBytesMax = 2048;  // a buffer of the ethdev port holds no more
    static constexpr std::size_t kBurst = 64;       // taken per turn and ring

    Steering(std::size_t lcores, bool one_receives);

    std::size_t lcores() const { return lcores_; }
    // Only lcore 0 takes packets off the port.
    bool one_receives() const { return one_receives_; }
    void attach(std::size_t lcore, PacketPort& port) { ports_[lcore] = &port; }

    // Copies the packet. False: the ring is full, or the packet larger than any port gives.
    bool hand_over(std::size_t from, std::size_t to, const Path&, std::span<const std::uint8_t> payload);
    // Gives what others handed over to the sink, at most a burst per ring; how many.
    std::size_t take(std::size_t to, DatagramSink&);
    // Wakes whom something was handed to since the last call.
    void wake(std::size_t from);

private:
    struct Datagram {
        Path path;
        std::size_t size = 0;
        std::array<std::uint8_t, kBytesMax> bytes;
    };
    using Ring = SpscRing<std::unique_ptr<Datagram>>;
    struct Way {
        Ring there{kRingSlots};
        Ring back{kRingSlots};
        bool touched = false;  // of the giving lcore
    };
    Way& way(std::size_t from, std::size_t to) { return *ways_[from * lcores_ + to]; }

    const std::size_t lcores_;
    const bool one_receives_;
    std::vector<std::unique_ptr<Way>> ways_;
    std::vector<PacketPort*> ports_;
};

}  // namespace bayplan::dataplane
