// The life of a QuicConnection after its beginning: packets in and out, streams, endings.
//
// Thread: the data plane's. See quic_connection.h.
#include "quic_connection.h"

#include <algorithm>
#include <cstring>

#include "quic_errors.h"

namespace bayplan::dataplane {

namespace {

// Per connection and turn: other connections and the engine's ring are served in between.
constexpr std::size_t kPacketsPerTurnMax = 64;
constexpr std::uint32_t kCloseRepeatsMax = 8;
constexpr std::size_t kReasonBytesMax = 200;
constexpr std::uint64_t kTransportInternalError = 0x1;

}  // namespace

// --- streams

bool QuicConnection::open_streams() {
    const auto open_one = [this](Stream which, bool bidirectional) {
        auto& stream = streams_[static_cast<std::size_t>(which)];
        std::int64_t id = -1;
        const int rc = bidirectional ? ngtcp2_conn_open_bidi_stream(conn_, &id, nullptr)
                                     : ngtcp2_conn_open_uni_stream(conn_, &id, nullptr);
        if (rc != 0 || id != stream.id) {
            end(Ending::Kind::local_application, kErrorStream,
                "the peer does not admit our streams");
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
    if (!streams_[static_cast<std::size_t>(which)].reader.blocked())
        counters_.add(Count::frames_pushed_back);
    return false;
}

int QuicConnection::receive_stream(std::int64_t stream_id, std::span<const std::uint8_t> bytes,
                                   bool last) {
    authenticated_ = true;
    auto* stream = stream_by_id(stream_id);
    if (stream == nullptr || !stream->receives) {
        end(Ending::Kind::local_application, kErrorStream,
            "data on a stream that is not ours to read");
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    establish();  // a client: the server speaks only to whom it has accepted
    if (stream->sends) stream->can_write = true;  // a server's control stream exists from now on
    const auto which = static_cast<Stream>(stream - streams_.data());
    const std::size_t consumed =
        stream->reader.feed(bytes, [&](Frame& frame) { return deliver(which, frame); });
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

void QuicConnection::receive(const Path& path, std::span<const std::uint8_t> packet,
                             std::uint64_t now) {
    if (ending_) return;
    const ngtcp2_pkt_info info{};
    authenticated_ = false;
    const int rc =
        ngtcp2_conn_read_pkt(conn_, &fixed_path_.ngtcp2, &info, packet.data(), packet.size(), now);
    counters_.add(Count::quic_packets_in);
    if (rc != 0) return fail(rc, "reading");
    // Same address, other way to it (a router failed over): follow, but only on the peer's own
    // word.
    if (authenticated_) path_ = path;
}

void QuicConnection::handle_expiry(std::uint64_t now) {
    if (ending_ || lingering_) return;
    const int rc = ngtcp2_conn_handle_expiry(conn_, now);
    if (rc != 0) fail(rc, "timer");
}

std::uint64_t QuicConnection::expiry() const {
    if (lingering_) return linger_until_;
    if (ending_ || conn_ == nullptr) return 0;
    return ngtcp2_conn_get_expiry(conn_);
}

QuicConnection::StreamState* QuicConnection::next_to_write() {
    for (auto& stream : streams_) {  // control first: it is small and others wait for it
        if (stream.can_write && !stream.flow_blocked && stream.out.unsent_bytes() > 0)
            return &stream;
    }
    return nullptr;
}

ngtcp2_ssize QuicConnection::write_packet(std::span<std::uint8_t> room, std::uint64_t now) {
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
        const ngtcp2_ssize written = ngtcp2_conn_writev_stream(
            conn_, nullptr, nullptr, room.data(), room.size(), &taken,
            stream != nullptr ? NGTCP2_WRITE_STREAM_FLAG_MORE : NGTCP2_WRITE_STREAM_FLAG_NONE,
            stream != nullptr ? stream->id : -1, vectors.data(), count, now);
        if (stream != nullptr && taken > 0) stream->out.mark_sent(static_cast<std::size_t>(taken));
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
        room = room.first(std::min<std::size_t>(room.size(), options_.payload_bytes_max));
        const ngtcp2_ssize written = write_packet(room, now);
        port.commit_send(path_, written > 0 ? static_cast<std::size_t>(written) : 0);
        if (written < 0) fail(static_cast<int>(written), "writing");
        if (written <= 0) break;
        ++packets;
        bytes += static_cast<std::size_t>(written);
    }
    if (packets > 0) {
        if (!ending_) ngtcp2_conn_update_pkt_tx_time(conn_, now);
        counters_.add(Count::quic_packets_out, packets);
    }
    return more;
}

// --- endings

void QuicConnection::end(Ending::Kind kind, std::uint64_t code, std::string why) {
    if (!ending_) ending_ = Ending{kind, code, std::move(why)};
}

std::string QuicConnection::describe_failure(int error) const {
    if (!tls_->refusal().empty()) return tls_->refusal();
    if (error == NGTCP2_ERR_CRYPTO) {
        return describe_tls_alert(ngtcp2_conn_get_tls_alert(conn_), false, server_);
    }
    return ngtcp2_strerror(error);
}

void QuicConnection::fail(int error, const char* doing) {
    if (ending_) return;
    switch (error) {
        case NGTCP2_ERR_DRAINING: {
            ngtcp2_connection_close_error closed{};
            ngtcp2_conn_get_connection_close_error(conn_, &closed);
            return end(Ending::Kind::by_peer, closed.error_code,
                       describe_peer_close(closed, server_));
        }
        case NGTCP2_ERR_IDLE_CLOSE:
            return end(Ending::Kind::silent, 0,
                       established_ ? "idle timeout: nothing heard for " +
                                          std::to_string(options_.idle_timeout_ms) + " ms"
                                    : "no answer to the handshake");
        case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
            return end(Ending::Kind::silent, 0, "handshake timed out");
        case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
            return end(Ending::Kind::silent, 0, "the server does not speak QUIC version 1");
        case NGTCP2_ERR_DROP_CONN:
        case NGTCP2_ERR_RETRY:
            counters_.add(Count::drop_initial_broken);
            return end(Ending::Kind::dropped, 0, "first packet cannot be read");
        case NGTCP2_ERR_CRYPTO:
            return end(Ending::Kind::local_tls, ngtcp2_conn_get_tls_alert(conn_),
                       describe_failure(error));
        case NGTCP2_ERR_CALLBACK_FAILURE:
            return end(Ending::Kind::local_transport, kTransportInternalError, "internal error");
        default:
            return end(Ending::Kind::local_transport,
                       ngtcp2_err_infer_quic_transport_error_code(error),
                       std::string(doing) + ": " + describe_failure(error));
    }
}

void QuicConnection::linger(PacketPort& port, std::uint64_t now) {
    lingering_ = true;
    linger_until_ = now;
    ngtcp2_connection_close_error error;
    ngtcp2_connection_close_error_default(&error);
    const auto* reason = reinterpret_cast<const std::uint8_t*>(ending_->why.data());
    const std::size_t reason_size = std::min(ending_->why.size(), kReasonBytesMax);
    bool tell = true;
    switch (ending_->kind) {
        case Ending::Kind::local_application:
            ngtcp2_connection_close_error_set_application_error(&error, ending_->code, reason,
                                                                reason_size);
            break;
        case Ending::Kind::local_transport:
            ngtcp2_connection_close_error_set_transport_error(&error, ending_->code, reason,
                                                              reason_size);
            break;
        case Ending::Kind::local_tls:
            ngtcp2_connection_close_error_set_transport_error_tls_alert(
                &error, static_cast<std::uint8_t>(ending_->code), reason, reason_size);
            break;
        case Ending::Kind::by_peer:
        case Ending::Kind::silent:
        case Ending::Kind::dropped:
            tell = false;
            break;
    }
    auto room = tell ? port.begin_send() : std::span<std::uint8_t>{};
    if (!room.empty()) {
        room = room.first(std::min<std::size_t>(room.size(), options_.payload_bytes_max));
        const ngtcp2_ssize written = ngtcp2_conn_write_connection_close(
            conn_, nullptr, nullptr, room.data(), room.size(), &error, now);
        if (written > 0) {
            close_packet_.assign(room.begin(), room.begin() + written);
            linger_until_ = now + 3 * ngtcp2_conn_get_pto(conn_);
            closes_left_ = kCloseRepeatsMax;
            counters_.add(Count::quic_packets_out);
        }
        port.commit_send(path_, written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    ngtcp2_conn_del(conn_);
    conn_ = nullptr;
    tls_.reset();
    for (auto& stream : streams_) stream = StreamState(options_);
}

void QuicConnection::repeat_close(PacketPort& port) {
    if (closes_left_ == 0 || close_packet_.empty()) return;
    const auto room = port.begin_send();
    if (room.empty()) return;
    std::copy(close_packet_.begin(), close_packet_.end(), room.begin());
    port.commit_send(path_, close_packet_.size());
    --closes_left_;
    counters_.add(Count::closes_repeated);
}

}  // namespace bayplan::dataplane
