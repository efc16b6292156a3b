// The life of a QuicConnection between its beginning and its end: packets in and out, streams,
// paths.
//
// Thread: the data plane's. See quic_connection.h.
#include "quic/quic_connection.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "net/udp_address.h"
#include "port/port_log.h"
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

// Per connection and turn: other connections and the engine's ring are served in between.
constexpr std::size_t kPacketsPerTurnMax = 64;

}  // namespace

// --- streams

bool QuicConnection::open_streams() {
    const auto open_one = [this](Stream which, bool bidirectional) {
        auto& stream = streams_[static_cast<std::size_t>(which)];
        std::int64_t id = -1;
        const int rc = bidirectional ? ngtcp2_conn_open_bidi_stream(conn_, &id, nullptr)
                                     : ngtcp2_conn_open_uni_stream(conn_, &id, nullptr);
        if (rc != 0 || id != stream.id) {
            end(Ending::Kind::local_application, kErrorStream, "the peer does not admit our streams");
            return false;
        }
        stream.can_write = true;
        return true;
    };
    if (server_) return open_one(Stream::decisions, false);
    return open_one(Stream::control, true) && open_one(Stream::state, false);
}

void QuicConnection::establish() {
    if (established_ || ending_) return;
    established_ = true;
    packet_size_.opened();
    owner_.on_established(*this);
}

QuicConnection::StreamState* QuicConnection::stream_by_id(std::int64_t stream_id) {
    for (auto& stream : streams_) {
        if (stream.id == stream_id) return &stream;
    }
    return nullptr;
}

bool QuicConnection::deliver(Stream which, Frame& frame) {
    if (ending_) return false;
    const std::size_t size = frame.size();
    if (owner_.on_frame(*this, which, frame)) {
        counters_.add(Count::frames_in);
        counters_.add(Count::frame_bytes_in, size);
        return true;
    }
    if (!streams_[static_cast<std::size_t>(which)].reader.blocked()) counters_.add(Count::frames_pushed_back);
    return false;
}

int QuicConnection::receive_stream(std::int64_t stream_id, std::span<const std::uint8_t> bytes, bool last) {
    authenticated_ = true;
    auto* stream = stream_by_id(stream_id);
    if (stream == nullptr || !stream->receives) {
        end(Ending::Kind::local_application, kErrorStream, "data on a stream that is not ours to read");
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    establish();                                  // a client: the server speaks only to whom it has accepted
    if (stream->sends) stream->can_write = true;  // a server's control stream exists from now on
    const auto which = static_cast<Stream>(stream - streams_.data());
    const std::size_t consumed = stream->reader.feed(bytes, [&](Frame& frame) { return deliver(which, frame); });
    if (stream->reader.failed()) {
        end(Ending::Kind::local_application, kErrorFraming, stream->reader.error_text());
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    if (last) {
        end(Ending::Kind::local_application, kErrorStream,
            stream->reader.between_frames() ? "the peer finished a stream"
                                            : "the peer finished a stream inside a frame");
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    // The peer is given as much credit as was consumed: more would let it send past the limit of the backlog.
    BP_CHECK_OP(consumed, <=, bytes.size());
    if (consumed > 0) {
        ngtcp2_conn_extend_max_stream_offset(conn_, stream_id, consumed);
        ngtcp2_conn_extend_max_offset(conn_, consumed);
    }
    return 0;
}

bool QuicConnection::blocked() const {
    return std::any_of(streams_.begin(), streams_.end(),
                       [](const StreamState& stream) { return stream.reader.blocked(); });
}

std::size_t QuicConnection::resume() {
    std::size_t delivered = 0;
    if (lingering_) return 0;
    for (auto& stream : streams_) {
        if (!stream.reader.blocked() || ending_) continue;
        const auto which = static_cast<Stream>(&stream - streams_.data());
        const std::size_t consumed = stream.reader.resume([&](Frame& frame) {
            const bool taken = deliver(which, frame);
            delivered += taken ? 1 : 0;
            return taken;
        });
        if (stream.reader.failed()) {
            end(Ending::Kind::local_application, kErrorFraming, stream.reader.error_text());
        } else if (consumed > 0) {
            ngtcp2_conn_extend_max_stream_offset(conn_, stream.id, consumed);
            ngtcp2_conn_extend_max_offset(conn_, consumed);
        }
    }
    return delivered;
}

bool QuicConnection::send(Stream which, std::span<const std::byte> payload) {
    auto& stream = streams_[static_cast<std::size_t>(which)];
    if (ending_ || lingering_ || !stream.sends) {
        counters_.add(Count::send_to_nobody);
        return false;
    }
    if (payload.size() > options_.frame_bytes_max) {
        // It could never be sent; ending the connection is loud where "try again" would hang.
        end(Ending::Kind::local_application, kErrorOversize,
            "own frame of " + std::to_string(payload.size()) + " bytes exceeds the limit of " +
                std::to_string(options_.frame_bytes_max));
        return false;
    }
    if (!stream.out.append_frame(payload)) {
        counters_.add(Count::send_buffer_full);
        return false;
    }
    counters_.add(Count::frames_out);
    counters_.add(Count::frame_bytes_out, payload.size());
    return true;
}

// --- packets

void QuicConnection::receive(const Path& path, std::span<const std::uint8_t> packet, std::uint64_t now) {
    if (ending_) return;
    const ngtcp2_pkt_info info{};
    authenticated_ = false;
    handshake_forward_ = false;
    received_at_ = now;
    // A client's own address may change below it without its port knowing; it has one server.
    const bool usual = !server_ || paths_.is_current(path);
    const ngtcp2_path& from = usual ? paths_.current_place() : paths_.place_of(path);
    const int rc = ngtcp2_conn_read_pkt(conn_, &from, &info, packet.data(), packet.size(), now);
    counters_.add(Count::quic_packets_in);
    if (handshake_forward_) patience_.heard(now);
    if (rc != 0) return fail(rc, "reading");
    if (established_ && certificate_ends_ == UINT64_MAX) certificate_ends_ = now + tls_->peer_valid_ns();
    // Same address, other way to it (a router failed over): follow, but only on the peer's own
    // word.
    if (usual && authenticated_) paths_.refresh_current(path);
    follow_path();
}

void QuicConnection::follow_path() {
    if (!server_ || !paths_.follow(*ngtcp2_conn_get_path(conn_))) return;
    counters_.add(Count::path_changes);
    packet_size_.moved();
}

void QuicConnection::look_at_packet_size(std::uint64_t now) {
    for (const StreamState& stream : streams_) {
        if (stream.waits_since == 0 || !packet_size_.waiting(stream.waits_since, now)) continue;
        counters_.add(Count::paths_too_small);
        log_of_port("packets of more than " + std::to_string(PacketSize::kLeast) + " bytes do not reach " +
                    to_text(paths_.current().remote) + ", smaller ones are sent: payload_bytes_max, " +
                    std::to_string(options_.payload_bytes_max) + ", is more than the path takes");
    }
}

void QuicConnection::handle_expiry(std::uint64_t now) {
    if (ending_ || lingering_) return;
    if (now >= certificate_ends_) return end_as_expired();
    const int rc = ngtcp2_conn_handle_expiry(conn_, now);
    if (rc != 0) fail(rc, "timer");
    if (!ending_) follow_path();
}

std::uint64_t QuicConnection::expiry() const {
    if (lingering_) return linger_until_;
    if (ending_ || conn_ == nullptr) return 0;
    return std::min<std::uint64_t>(ngtcp2_conn_get_expiry(conn_), certificate_ends_);
}

QuicConnection::StreamState* QuicConnection::next_to_write() {
    for (auto& stream : streams_) {  // control first: it is small and others wait for it
        if (stream.can_write && !stream.flow_blocked && stream.out.unsent_bytes() > 0) return &stream;
    }
    return nullptr;
}

ngtcp2_ssize QuicConnection::write_packet(std::span<std::uint8_t> room, ngtcp2_path& to, std::uint64_t now) {
    for (;;) {
        StreamState* stream = next_to_write();
        std::array<SendBuffer::Piece, 2> pieces;
        std::array<ngtcp2_vec, 2> vectors;
        std::size_t count = 0;
        if (stream != nullptr) {
            count = stream->out.unsent(pieces, room.size());
            for (std::size_t i = 0; i < count; ++i) {
                vectors[i] = {const_cast<std::uint8_t*>(pieces[i].data()), pieces[i].size()};
            }
        }
        ngtcp2_ssize taken = -1;
        const ngtcp2_ssize written =
            ngtcp2_conn_writev_stream(conn_, &to, nullptr, room.data(), room.size(), &taken,
                                      stream != nullptr ? NGTCP2_WRITE_STREAM_FLAG_MORE : NGTCP2_WRITE_STREAM_FLAG_NONE,
                                      stream != nullptr ? stream->id : -1, vectors.data(), count, now);
        if (stream != nullptr && taken > 0) stream->sent(static_cast<std::size_t>(taken), now);
        if (written == NGTCP2_ERR_WRITE_MORE) continue;
        if (written == NGTCP2_ERR_STREAM_DATA_BLOCKED) {
            stream->flow_blocked = true;
            continue;
        }
        return written;
    }
}

bool QuicConnection::write(PacketPort& port, std::uint64_t now) {
    if (ending_ || lingering_) return false;
    look_at_packet_size(now);
    for (auto& stream : streams_) stream.flow_blocked = false;
    const std::size_t quantum = ngtcp2_conn_get_send_quantum(conn_);
    std::size_t packets = 0;
    std::size_t bytes = 0;
    bool more = false;
    for (;;) {
        if (packets == kPacketsPerTurnMax || bytes >= quantum) {
            more = true;
            break;
        }
        auto room = port.begin_send();
        if (room.empty()) {
            more = true;
            break;
        }
        room = room.first(std::min(room.size(), packet_size_.most(now)));
        ngtcp2_path_storage to;
        ngtcp2_path_storage_zero(&to);
        const ngtcp2_ssize written = write_packet(room, to.path, now);
        BP_CHECK(written <= static_cast<ngtcp2_ssize>(room.size()));
        // Challenges and answers to them go to a path of their own.
        const Path* path = written > 0 ? paths_.path_to(to.path) : nullptr;
        if (path == nullptr && written > 0) counters_.add(Count::drop_path_forgotten);
        port.commit_send(path != nullptr ? *path : paths_.current(),
                         path != nullptr ? static_cast<std::size_t>(written) : 0);
        if (written < 0) fail(static_cast<int>(written), "writing");
        if (written <= 0) break;
        ++packets;
        bytes += static_cast<std::size_t>(written);
        packet_size_.sent(static_cast<std::size_t>(written), now);
    }
    if (packets > 0) {
        if (!ending_) ngtcp2_conn_update_pkt_tx_time(conn_, now);
        counters_.add(Count::quic_packets_out, packets);
        update_keys_if_due(packets, now);
    }
    return more;
}

void QuicConnection::update_keys_if_due(std::size_t packets, std::uint64_t now) {
    packets_on_keys_ += packets;
    if (packets_on_keys_ < options_.key_update_packets || !established_ || ending_) return;
    // Not possible while the last one is unconfirmed: then after one of the next packets.
    if (ngtcp2_conn_initiate_key_update(conn_, now) == 0) packets_on_keys_ = 0;
}

}  // namespace bayplan::dataplane
