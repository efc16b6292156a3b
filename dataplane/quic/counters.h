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
    connections_open,  // now: like handshakes_pending it also goes down
    connections_opened,
    connections_closed,
    handshakes_ok,
    handshakes_refused,
    handshakes_pending,    // now: accepted and not yet ok or refused
    handshakes_displaced,  // of the refused: silent while others wanted to begin
    // First packets of clients; each is counted in exactly one of the four below it.
    handshake_attempts,
    attempts_accepted,  // a connection was begun
    attempts_retried,   // answered by Retry: the client comes back with a token
    attempts_refused,   // answered by CONNECTION_CLOSE
    attempts_lost,      // not answered; a drop_* counter says why
    tokens_accepted,    // of the accepted: with a token of an earlier connection, so no Retry
    chains_known,       // of the accepted: their certificates were verified within the last minute
    frames_in,
    frames_out,
    frame_bytes_in,  // payload
    frame_bytes_out,
    frames_pushed_back,  // a handler refused a frame: its stream stops being read
    send_buffer_full,    // send() returned false
    send_to_nobody,      // send() on a connection that is gone, or a stream of the other side
    quic_packets_in,
    quic_packets_out,
    version_negotiations,
    closes_repeated,   // CONNECTION_CLOSE sent again to a peer that did not hear it
    stateless_resets,  // sent, for packets of connections that are not ours (any more)
    key_updates,
    path_changes,     // a peer's address changed, and the connection followed
    paths_too_small,  // connections whose path swallows packets of payload_bytes_max
    tls_reloads,
    secrets_rotated,      // by a reload that brought another key or certificate
    connections_revoked,  // closed by a reload
    steered_out,          // packets handed to the lcore that their connection id names
    steered_in,           // and taken from others
    stalls,               // the loop was not run for a while: what had arrived was read first
    clock_went_back,      // and was taken to stand still
    drop_malformed_header,
    drop_unknown_connection,
    drop_not_initial,    // long header of no connection that cannot open one
    drop_short_initial,  // below 1200 bytes: a forged source would be amplified
    drop_connections_max,
    drop_remote_changed,      // right connection id, other address, of a connection that may not move
    drop_initial_broken,      // an Initial that does not decrypt, or a handshake that cannot begin
    drop_version,             // another QUIC version, and no answer could be sent
    drop_no_buffer,           // the port had no buffer for a stateless answer
    drop_handshake_rate,      // new handshakes of all sources
    drop_network_rate,        // new handshakes of one network of sources
    drop_handshakes_pending,  // too many under way
    drop_handshake_line,      // too many packets of handshakes wait for their turn
    drop_answer_rate,         // answers to strangers
    drop_token_invalid,       // a Retry token that is not ours, too old, used before, or of another address
    drop_steering_full,       // the ring to the right lcore is full
    drop_path_forgotten,      // a packet for an address of which there were too many
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
    "handshakes_pending",
    "handshakes_displaced",
    "handshake_attempts",
    "attempts_accepted",
    "attempts_retried",
    "attempts_refused",
    "attempts_lost",
    "tokens_accepted",
    "chains_known",
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
    "stateless_resets",
    "key_updates",
    "path_changes",
    "paths_too_small",
    "tls_reloads",
    "secrets_rotated",
    "connections_revoked",
    "steered_out",
    "steered_in",
    "stalls",
    "clock_went_back",
    "drop_malformed_header",
    "drop_unknown_connection",
    "drop_not_initial",
    "drop_short_initial",
    "drop_connections_max",
    "drop_remote_changed",
    "drop_initial_broken",
    "drop_version",
    "drop_no_buffer",
    "drop_handshake_rate",
    "drop_network_rate",
    "drop_handshakes_pending",
    "drop_handshake_line",
    "drop_answer_rate",
    "drop_token_invalid",
    "drop_steering_full",
    "drop_path_forgotten",
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
