// Packets that belong to no connection: whom the server lets begin one, and the stateless answers.
// Everything else is dropped and counted. See quic_endpoint.h.
//
// Thread: the data plane's.
#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <string>

#include "quic_endpoint.h"
#include "udp_address.h"

namespace bayplan::dataplane {

namespace {

constexpr std::size_t kInitialBytesMin = 1200;  // RFC 9000 section 14.1
constexpr std::uint64_t kTransportConnectionRefused = 0x2;

}  // namespace

void QuicEndpoint::on_stranger(const Path& path, std::span<const std::uint8_t> packet,
                               const ngtcp2_version_cid& header) {
    const bool short_header = header.version == 0;
    if (!role_.server || short_header) {
        // Late packets of connections that are gone, mostly. No stateless reset: the peer's idle
        // timeout ends its side.
        counters_.add(Count::drop_unknown_connection);
        return;
    }
    if (packet.size() < kInitialBytesMin) {
        counters_.add(Count::drop_short_initial);
        return;
    }
    if (header.version != NGTCP2_PROTO_VER_V1) return answer_version(path, header);
    ngtcp2_pkt_hd first{};
    if (ngtcp2_accept(&first, packet.data(), packet.size()) != 0) {
        counters_.add(Count::drop_not_initial);
        return;
    }
    if (live_ >= options_.connections_max) return refuse_full(path, first);
    accept(path, packet, first);
}

void QuicEndpoint::accept(const Path& path, std::span<const std::uint8_t> packet,
                          const ngtcp2_pkt_hd& first) {
    const auto begin = setup(next_id(), path);
    auto connection = std::make_unique<QuicConnection>(begin);
    std::string error;
    if (!connection->begin_server(begin, first, error)) {
        for (const Cid& cid : connection->cids()) by_cid_.erase(cid);
        counters_.add(Count::drop_initial_broken);
        handler_.on_refused(to_text(path.remote), error);
        return;
    }
    QuicConnection& accepted = *connection;
    adopt(std::move(connection));
    accepted.receive(path, packet, now_);
}

void QuicEndpoint::answer_version(const Path& path, const ngtcp2_version_cid& header) {
    const auto room = port_.begin_send();
    if (room.empty()) {
        counters_.add(Count::drop_no_buffer);
        return;
    }
    const std::uint32_t offered[] = {NGTCP2_PROTO_VER_V1};
    std::uint8_t unused_bits = 0;
    if (gnutls_rnd(GNUTLS_RND_NONCE, &unused_bits, sizeof unused_bits) != 0) unused_bits = 0;
    const ngtcp2_ssize size = ngtcp2_pkt_write_version_negotiation(
        room.data(), room.size(), unused_bits, header.scid, header.scidlen, header.dcid,
        header.dcidlen, offered, std::size(offered));
    port_.commit_send(path, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (size > 0) counters_.add(Count::version_negotiations);
}

void QuicEndpoint::refuse_full(const Path& path, const ngtcp2_pkt_hd& first) {
    counters_.add(Count::drop_connections_max);
    const std::string why =
        "connections_max (" + std::to_string(options_.connections_max) + ") reached";
    const auto room = port_.begin_send();
    if (room.empty()) {
        counters_.add(Count::drop_no_buffer);
    } else {
        const ngtcp2_ssize size = ngtcp2_crypto_write_connection_close(
            room.data(), room.size(), first.version, &first.scid, &first.dcid,
            kTransportConnectionRefused, reinterpret_cast<const std::uint8_t*>(why.data()),
            why.size());
        port_.commit_send(path, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    handler_.on_refused(to_text(path.remote), why);
}

}  // namespace bayplan::dataplane
