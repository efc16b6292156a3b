// Named counters of one data plane.
//
// Thread: written by the data plane's thread alone, read by any. Relaxed atomics without a locked
// instruction: there is one writer, and a reader wants a recent value, not an ordering.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {

enum class Count : std::uint8_t {
    turns,
    sleeps,
    connections_open,       // now, the only one that also goes down
    connections_opened,
    connections_closed,
    handshakes_ok,
    handshakes_refused,
    frames_in,
    frames_out,
    frame_bytes_in,         // payload
    frame_bytes_out,
    frames_pushed_back,     // a handler refused a frame: its stream stops being read
    send_buffer_full,       // send() returned false
    send_to_nobody,         // send() on a connection that is gone, or a stream of the other side
    quic_packets_in,
    quic_packets_out,
    version_negotiations,
    closes_repeated,        // CONNECTION_CLOSE sent again to a peer that did not hear it
    drop_malformed_header,
    drop_unknown_connection,
    drop_not_initial,       // long header of no connection that cannot open one
    drop_short_initial,     // below 1200 bytes: a forged source would be amplified
    drop_connections_max,
    drop_remote_changed,    // right connection id, other address: connections do not migrate
    drop_initial_broken,    // an Initial that does not decrypt, or a handshake that cannot begin
    drop_no_buffer,         // the port had no buffer for a stateless answer
    kCount
};

inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::kCount);

inline constexpr std::array<std::string_view, kCounts> kCountNames = {
    "turns",
    "sleeps",
    "connections_open",
    "connections_opened",
    "connections_closed",
    "handshakes_ok",
    "handshakes_refused",
    "frames_in",
    "frames_out",
    "frame_bytes_in",
    "frame_bytes_out",
    "frames_pushed_back",
    "send_buffer_full",
    "send_to_nobody",
    "quic_packets_in",
    "quic_packets_out",
    "version_negotiations",
    "closes_repeated",
    "drop_malformed_header",
    "drop_unknown_connection",
    "drop_not_initial",
    "drop_short_initial",
    "drop_connections_max",
    "drop_remote_changed",
    "drop_initial_broken",
    "drop_no_buffer",
};
static_assert(!kCountNames.back().empty(), "a name for each counter");

class Counters {
public:
    void add(Count which, std::uint64_t n = 1) {
        auto& value = values_[static_cast<std::size_t>(which)];
        value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    void set(Count which, std::uint64_t n) {
        values_[static_cast<std::size_t>(which)].store(n, std::memory_order_relaxed);
    }
    std::uint64_t get(Count which) const {
        return values_[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
    }
    void append_to(std::vector<Counter>& out) const {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            out.emplace_back(kCountNames[i], values_[i].load(std::memory_order_relaxed));
        }
    }

private:
    std::array<std::atomic<std::uint64_t>, kCounts> values_{};
};

}  // namespace bayplan::dataplane
