// How a QuicConnection ends: why, what the peer is told, and what stays behind for a while.
//
// Thread: the data plane's. See quic_connection.h.
#include <algorithm>

#include "quic/quic_connection.h"
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

constexpr std::uint32_t kCloseRepeatsMax = 8;
constexpr std::size_t kReasonBytesMax = 200;
constexpr std::uint64_t kTransportInternalError = 0x1;
constexpr std::uint64_t kAlertCertificateRevoked = 44;
constexpr std::uint64_t kAlertCertificateExpired = 45;

}  // namespace

void QuicConnection::end(Ending::Kind kind, std::uint64_t code, std::string why) {
    if (!ending_) ending_ = Ending{kind, code, std::move(why), false};
}

bool QuicConnection::verify_again(const TlsCredentials& credentials) {
    std::string why;
    if (ending_ || lingering_ || tls_->verify_again(credentials, why)) return true;
    end(Ending::Kind::local_tls, kAlertCertificateRevoked, std::move(why));
    return false;
}

void QuicConnection::end_as_expired() {
    end(Ending::Kind::local_tls, kAlertCertificateExpired,
        std::string(server_ ? "client" : "server") + " certificate \"" + tls_->peer_name() + "\" has expired");
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
            if (was_reset_) {
                return end(Ending::Kind::by_peer, 0, "the peer has no such connection any more (stateless reset)");
            }
            ngtcp2_connection_close_error closed{};
            ngtcp2_conn_get_connection_close_error(conn_, &closed);
            end(Ending::Kind::by_peer, closed.error_code, describe_peer_close(closed, server_));
            ending_->peers_application = closed.type == NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION;
            return;
        }
        case NGTCP2_ERR_IDLE_CLOSE:
            return end(Ending::Kind::silent, 0,
                       established_
                           ? "idle timeout: nothing heard for " + std::to_string(options_.idle_timeout_ms) + " ms"
                           : "no answer to the handshake");
        case NGTCP2_ERR_HANDSHAKE_TIMEOUT: return end(Ending::Kind::silent, 0, "handshake timed out");
        case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
            return end(Ending::Kind::silent, 0, "the server does not speak QUIC version 1");
        case NGTCP2_ERR_DROP_CONN:
        case NGTCP2_ERR_RETRY:
            counters_.add(Count::drop_initial_broken);
            return end(Ending::Kind::dropped, 0, "first packet cannot be read");
        case NGTCP2_ERR_CRYPTO:
            return end(Ending::Kind::local_tls, ngtcp2_conn_get_tls_alert(conn_), describe_failure(error));
        case NGTCP2_ERR_CALLBACK_FAILURE:
            return end(Ending::Kind::local_transport, kTransportInternalError, "internal error");
        default:
            return end(Ending::Kind::local_transport, ngtcp2_err_infer_quic_transport_error_code(error),
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
            ngtcp2_connection_close_error_set_application_error(&error, ending_->code, reason, reason_size);
            break;
        case Ending::Kind::local_transport:
            ngtcp2_connection_close_error_set_transport_error(&error, ending_->code, reason, reason_size);
            break;
        case Ending::Kind::local_tls:
            ngtcp2_connection_close_error_set_transport_error_tls_alert(
                &error, static_cast<std::uint8_t>(ending_->code), reason, reason_size);
            break;
        case Ending::Kind::by_peer:
        case Ending::Kind::silent:
        case Ending::Kind::dropped: tell = false; break;
    }
    auto room = tell ? port.begin_send() : std::span<std::uint8_t>{};
    if (!room.empty()) {
        room = room.first(std::min(room.size(), packet_size_.most(now)));
        const ngtcp2_ssize written =
            ngtcp2_conn_write_connection_close(conn_, nullptr, nullptr, room.data(), room.size(), &error, now);
        if (written > 0) {
            close_packet_.assign(room.begin(), room.begin() + written);
            linger_until_ = now + 3 * ngtcp2_conn_get_pto(conn_);
            closes_left_ = kCloseRepeatsMax;
            counters_.add(Count::quic_packets_out);
        }
        port.commit_send(paths_.current(), written > 0 ? static_cast<std::size_t>(written) : 0);
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
    port.commit_send(paths_.current(), close_packet_.size());
    --closes_left_;
    counters_.add(Count::closes_repeated);
}

}  // namespace bayplan::dataplane
