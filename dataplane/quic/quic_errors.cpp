// See quic_errors.h.
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

constexpr std::uint64_t kCryptoErrorFirst = 0x100;
constexpr std::uint64_t kCryptoErrorLast = 0x1ff;

const char* alert_name(std::uint8_t alert) {
    switch (alert) {  // RFC 8446 section 6.2
        case 40: return "no common TLS parameters";
        case 42: return "bad certificate";
        case 43: return "unsupported certificate";
        case 44: return "certificate revoked";
        case 45: return "certificate expired";
        case 46: return "certificate unknown";
        case 48: return "unknown CA";
        case 49: return "access denied";
        case 50: return "TLS message cannot be decoded";
        case 51: return "TLS signature or decryption error";
        case 70: return "no common TLS version";
        case 71: return "TLS parameters too weak";
        case 80: return "internal TLS error";
        case 109: return "missing TLS extension";
        case 116: return "no client certificate";
        case 120: return "ALPN mismatch";
        default: return "TLS alert";
    }
}

const char* transport_error_name(std::uint64_t code) {
    switch (code) {  // RFC 9000 section 20.1
        case 0x00: return "no error";
        case 0x01: return "internal error";
        case 0x02: return "connection refused";
        case 0x03: return "flow control error";
        case 0x04: return "stream limit error";
        case 0x05: return "stream state error";
        case 0x06: return "final size error";
        case 0x07: return "frame encoding error";
        case 0x08: return "transport parameter error";
        case 0x0a: return "protocol violation";
        case 0x0c: return "application error";
        case 0x0d: return "crypto buffer exceeded";
        case 0x0e: return "key update error";
        case 0x0f: return "AEAD limit reached";
        default: return "transport error";
    }
}

}  // namespace

std::string printable(std::string_view bytes, std::size_t size_max) {
    std::string out(bytes.substr(0, size_max));
    for (char& c : out) {
        if (c < ' ' || c > '~') c = '?';
    }
    return out;
}

std::string describe_tls_alert(std::uint8_t alert, bool by_peer, bool server) {
    std::string out = by_peer ? (server ? "refused by the client: " : "refused by the server: ") : "";
    out += alert_name(alert);
    out += " (TLS alert " + std::to_string(alert) + ")";
    return out;
}

std::string describe_peer_close(const ngtcp2_connection_close_error& error, bool server) {
    const std::string_view bytes(reinterpret_cast<const char*>(error.reason), error.reasonlen);
    const std::string reason = printable(bytes, 256);
    std::string out;
    if (error.type == NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION) {
        out = "closed by the peer (" + std::to_string(error.error_code) + ")";
    } else if (error.error_code >= kCryptoErrorFirst && error.error_code <= kCryptoErrorLast) {
        out = describe_tls_alert(static_cast<std::uint8_t>(error.error_code - kCryptoErrorFirst), true, server);
    } else {
        out = "closed by the peer: " + std::string(transport_error_name(error.error_code));
    }
    if (!reason.empty()) out += ": " + reason;
    return out;
}

}  // namespace bayplan::dataplane
