// Packets of handshakes that wait, in the order in which they came.
//
// A step of a handshake costs a millisecond of signatures, a packet of a connection some microseconds. So one step is done
// per turn, and other packets of handshakes wait here: connections that are open are served between two steps,
// however many handshakes begin at once.
//
// How many steps wait is bounded by the admission (admission.h): a flood's other packets cost little and hold nobody up.
//
// Memory: at most kBytesMax of packets. A packet that finds no room is dropped and counted; clients repeat it.
// Thread: the data plane's. Owner: QuicEndpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "net/packet_port.h"

namespace bayplan::dataplane {

class HandshakeLine {
public:
    static constexpr std::size_t kBytesMax = 1024 * 1500;
    struct Packet {
        Path path;
        std::vector<std::uint8_t> bytes;
    };

    bool empty() const { return packets_.empty(); }
    // False: there is no room.
    bool push(const Path& path, std::span<const std::uint8_t> bytes) {
        if (bytes.size() > kBytesMax - bytes_) return false;
        bytes_ += bytes.size();
        packets_.push_back({path, {bytes.begin(), bytes.end()}});
        return true;
    }
    // Of a line that is not empty.
    Packet pop() {
        Packet first = std::move(packets_.front());
        packets_.pop_front();
        bytes_ -= first.bytes.size();
        return first;
    }

private:
    std::deque<Packet> packets_;
    std::size_t bytes_ = 0;  // of them all
};

}  // namespace bayplan::dataplane
