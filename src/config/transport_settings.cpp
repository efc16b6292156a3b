// See transport_settings.h.
#include "config/transport_settings.h"

#include "config/setting_values.h"

namespace bayplan::config {
namespace {

constexpr auto kPlainNumber = NumberForm::plain;
constexpr auto kSizeNumber = NumberForm::size;
constexpr std::int64_t kMebibyte = 1 << 20;

const Settings<dataplane::HandshakeLimits>& handshake_settings() {
    static const Settings<dataplane::HandshakeLimits> table = [] {
        using H = dataplane::HandshakeLimits;
        Settings<H> result;
        result.push_back(number("retry_above", MEMBER(H, retry_above), kPlainNumber, {0, 65'536}, "handshakes",
                                "Under way; from then on clients first prove their address (QUIC Retry)."));
        result.push_back(
            number("pending_max", MEMBER(H, pending_max), kPlainNumber, {1, 65'536}, "handshakes",
                   "Under way at most; clients repeat theirs. The last quarter is for clients with a token of "
                   "an earlier connection."));
        result.push_back(number("pending_max_of_network", MEMBER(H, pending_max_of_network), kPlainNumber, {1, 65'536},
                                "handshakes", "Of these, from one /24 of IPv4 or /56 of IPv6."));
        result.push_back(number("per_s", MEMBER(H, per_s), kPlainNumber, {1, 1'000'000}, "handshakes/s",
                                "Begun per second; each costs 0.75 ms of CPU."));
        result.push_back(number("per_s_of_network", MEMBER(H, per_s_of_network), kPlainNumber, {1, 1'000'000},
                                "handshakes/s", "Begun per second from one /24 of IPv4 or /56 of IPv6."));
        result.push_back(number("answers_per_s", MEMBER(H, answers_per_s), kPlainNumber, {1, 10'000'000}, "packets/s",
                                "Answers to strangers: Retry, refusals, stateless resets."));
        return result;
    }();
    return table;
}

}  // namespace

const Settings<dataplane::TlsFiles>& tls_settings() {
    static const Settings<dataplane::TlsFiles> table = [] {
        using T = dataplane::TlsFiles;
        Settings<T> result;
        result.push_back(input_file("certificate", MEMBER(T, certificate), "Own certificate chain, PEM."));
        result.push_back(input_file("key", MEMBER(T, key), "Its private key, PEM."));
        result.push_back(input_file("authority", MEMBER(T, authority),
                                    "The authority that shims' certificates must be signed by, PEM."));
        for (auto& setting : result) setting.required = true;
        result.push_back(
            input_file("revoked", MEMBER(T, revoked),
                       "Revocation lists of that authority, PEM. All four files are read again on SIGHUP; "
                       "connections stay, but for those whose certificate would now be refused. Secrets of "
                       "tokens and resets change with key and certificate; former ones are good for a day."));
        return result;
    }();
    return table;
}

void append_transport_settings(Settings<DataPlaneConfig>& table) {
    using D = DataPlaneConfig;
    table.push_back(number("frame_bytes_max", MEMBER(D, transport.frame_bytes_max), kSizeNumber,
                           {kMebibyte, 64 * kMebibyte}, "bytes",
                           "Largest message; a longer one breaks the connection. Shims count on "
                           "1Mi."));
    table.push_back(number("send_buffer", MEMBER(D, transport.send_buffer_bytes), kSizeNumber,
                           {64 << 10, 1024 * kMebibyte}, "bytes",
                           "Per connection and stream: sent and not yet acknowledged by QUIC."));
    table.push_back(number("receive_window", MEMBER(D, transport.receive_window_bytes), kSizeNumber,
                           {64 << 10, 1024 * kMebibyte}, "bytes",
                           "Per stream: what a shim may send ahead of what has been taken."));
    table.push_back(number("connections_max", MEMBER(D, transport.connections_max), kPlainNumber, {1, 65'536},
                           "connections",
                           "Connections of shims and observers at a time, per lcore; more are refused."));
    table.push_back(number("observers_max", MEMBER(D, observers_max), kPlainNumber, {0, 65'536}, "connections",
                           "Of these, those that only ask for counters."));
    table.push_back(number("unadmitted_max", MEMBER(D, unadmitted_max), kPlainNumber, {1, 65'536}, "connections",
                           "Besides these, per lcore: connections whose hello has not been accepted, half of them "
                           "of one certificate. When more come, the oldest is closed."));
    table.push_back(section("handshakes", handshake_settings(), MEMBER(D, transport.handshakes),
                            "How many clients may begin, per lcore."));
    table.push_back(number("key_update_packets", MEMBER(D, transport.key_update_packets), kSizeNumber,
                           {100, 8 * kMebibyte}, "packets", "New keys after so many packets sent on a connection."));
    table.push_back(milliseconds("idle_timeout", MEMBER(D, transport.idle_timeout_ms), {kSecond, 3600 * kSecond},
                                 "A connection from which nothing was heard for so long is closed."));
    table.push_back(
        number("payload_bytes_max", MEMBER(D, transport.payload_bytes_max), kPlainNumber, {1'200, 8'900}, "bytes",
               "UDP payload of one packet: the MTU minus 28, with IPv6 minus 48. A DPDK device is told a larger MTU."));
    table.push_back(
        number("inbox_frames", MEMBER(D, inbox_frames), kSizeNumber, {2, kMebibyte}, "messages",
               "Messages on their way to each engine; when full, shims are pushed back by flow control. A connection "
               "has half of the room that others leave, but one message at least."));
    table.push_back(number("inbox_bytes", MEMBER(D, inbox_bytes), kSizeNumber, {64 << 10, 1024 * kMebibyte}, "bytes",
                           "Bytes of such messages, and of what they hold when read; likewise."));
    table.push_back(number("outbox_batches", MEMBER(D, outbox_batches), kSizeNumber, {8, 65'536}, "batches",
                           "Batches of decisions on their way to each connection; when full, "
                           "the teller keeps the rest."));
}

}  // namespace bayplan::config
