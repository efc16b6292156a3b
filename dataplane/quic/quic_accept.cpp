// Packets that belong to no connection: whom the server lets begin one, and the stateless answers.
// Everything else is dropped and counted. See quic_endpoint.h.
//
// Thread: the data plane's.
#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"
#include "net/udp_address.h"
#include "quic/quic_endpoint.h"
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

// More than a port receives in a turn, so that a line of packets that cost little becomes shorter.
constexpr std::size_t kHandshakePacketsPerTurn = 64;
constexpr std::size_t kInitialBytesMin = 1200;  // RFC 9000 section 14.1
constexpr std::uint64_t kTransportInvalidToken = 0xb;
// A reset must be shorter than what it answers, or two hosts without state would answer each other
// for ever, and look like a packet (RFC 9000 section 10.3).
constexpr std::size_t kResetBytesMin = 21;
constexpr std::size_t kResetBytesMax = 43;

}  // namespace

void QuicEndpoint::on_stranger(const Path& path, std::span<const std::uint8_t> packet,
                               const ngtcp2_version_cid& header) {
    if (is_short_header(packet)) return on_short_stranger(path, packet, Cid(std::span(header.dcid, header.dcidlen)));
    if (!role_.server || header.version == 0) {  // 0: somebody's version negotiation
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
    put_in_line(path, packet);
}

// --- the line of handshakes

void QuicEndpoint::put_in_line(const Path& path, std::span<const std::uint8_t> packet) {
    if (!line_.push(path, packet)) counters_.add(Count::drop_handshake_line);
}

// Until one packet has brought a handshake forward. Others cost little, and must not hold the line up.
std::size_t QuicEndpoint::serve_line() {
    std::size_t served = 0;
    for (bool step = false; !step && served < kHandshakePacketsPerTurn && !line_.empty(); ++served) {
        const HandshakeLine::Packet next = line_.pop();
        step = serve_handshake(next.path, next.bytes);
    }
    return served;
}

// True for a step.
bool QuicEndpoint::serve_handshake(const Path& path, std::span<const std::uint8_t> packet) {
    ngtcp2_version_cid header{};
    // It could be read before; of another version of QUIC it gives the ids too.
    const int rc = ngtcp2_pkt_decode_version_cid(&header, packet.data(), packet.size(), kOwnCidBytes);
    BP_CHECK(rc == 0 || rc == NGTCP2_ERR_VERSION_NEGOTIATION);
    const auto it = by_cid_.find(Cid(std::span(header.dcid, header.dcidlen)));
    if (it == by_cid_.end()) {
        ngtcp2_pkt_hd first{};
        // Of a handshake that ended while its packet waited.
        if (is_short_header(packet) || ngtcp2_accept(&first, packet.data(), packet.size()) != 0) {
            counters_.add(Count::drop_unknown_connection);
            return false;
        }
        return on_attempt(path, packet, first);
    }
    QuicConnection& connection = *it->second;
    if (!is_of(connection, path, packet)) {
        counters_.add(Count::drop_remote_changed);
        return false;
    }
    const std::uint32_t before = connection.patience().steps();
    deliver(connection, path, packet);
    return connection.patience().steps() != before;  // a refused certificate too
}

// Of a connection that is gone, or that a former life of this process had.
void QuicEndpoint::on_short_stranger(const Path& path, std::span<const std::uint8_t> packet, const Cid& cid) {
    if (!role_.server) {
        // Perhaps such a reset: it shows nothing but a token that one of our connections knows.
        for (const Slot& slot : slots_) {
            QuicConnection& connection = *slot.connection;
            if (connection.lingering() || !(connection.path().remote == path.remote)) continue;
            connection.receive(path, packet, now_);
            touch(connection);
        }
        counters_.add(Count::drop_unknown_connection);
        return;
    }
    counters_.add(Count::drop_unknown_connection);
    if (packet.size() <= kResetBytesMin) return;
    const bool sent = answer(path, [&](std::span<std::uint8_t> room) -> ngtcp2_ssize {
        std::array<std::uint8_t, kResetTokenBytes> token;
        std::array<std::uint8_t, kResetBytesMax - kResetTokenBytes> unpredictable;
        const std::size_t size = std::min(packet.size() - 1, kResetBytesMax);
        if (!reset_token(cid, token) || gnutls_rnd(GNUTLS_RND_NONCE, unpredictable.data(), unpredictable.size()) != 0) {
            return 0;
        }
        return ngtcp2_pkt_write_stateless_reset(room.data(), room.size(), token.data(), unpredictable.data(),
                                                size - kResetTokenBytes);
    });
    if (sent) counters_.add(Count::stateless_resets);
}

// --- handshakes

// Exactly one of the four outcomes is counted for each attempt. True if a handshake began.
bool QuicEndpoint::on_attempt(const Path& path, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd& first) {
    counters_.add(Count::handshake_attempts);
    const Count outcome = attempt(path, packet, first);
    counters_.add(outcome);
    return outcome == Count::attempts_accepted;
}

Count QuicEndpoint::attempt(const Path& path, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd& first) {
    if (shutting_down_) {
        return refuse(path, first, kTransportConnectionRefused, "shutting down");
    }
    if (live_ - pending_ >= options_.connections_max) {
        counters_.add(Count::drop_connections_max);
        return refuse(path, first, kTransportConnectionRefused, too_many_connections());
    }
    ngtcp2_cid before_retry{};
    const bool retried = AddressTokens::is_retry(first);
    if (retried && !tokens_.verify_retry(path.remote, first, before_retry, now_)) {
        counters_.add(Count::drop_token_invalid);
        return refuse(path, first, kTransportInvalidToken, "the Retry token is not valid (any more)");
    }
    const bool known = tokens_.verify(path.remote, first, now_);
    const Admission::Proof proof = known     ? Admission::Proof::earlier_connection
                                   : retried ? Admission::Proof::retry
                                             : Admission::Proof::none;
    switch (judge(path, proof)) {
        case Admission::Verdict::accept:
            if (known) counters_.add(Count::tokens_accepted);
            if (retried) tokens_.use_retry(first, now_);
            return accept(path, packet, first, {retried || known, retried ? &before_retry : nullptr});
        case Admission::Verdict::retry: return retry(path, first);
        case Admission::Verdict::rate_exceeded: counters_.add(Count::drop_handshake_rate); break;
        case Admission::Verdict::source_exceeded: counters_.add(Count::drop_network_rate); break;
        case Admission::Verdict::pending_max:
        case Admission::Verdict::pending_max_network: counters_.add(Count::drop_handshakes_pending); break;
    }
    return Count::attempts_lost;
}

Admission::Verdict QuicEndpoint::judge(const Path& path, Admission::Proof proof) {
    const auto verdict = [&] {
        return admission_.judge(path.remote, proof, {pending_, pending_of(path.remote)}, now_);
    };
    const Admission::Verdict first = verdict();
    const bool of_network = first == Admission::Verdict::pending_max_network;
    if (!of_network && first != Admission::Verdict::pending_max) return first;
    return displace_silent(of_network ? &path.remote : nullptr) ? verdict() : first;
}

// Ends the handshake that has been silent for longest, if any has; of one network only, or of all. Its client is told, and
// may try again.
bool QuicEndpoint::displace_silent(const UdpAddress* of_network_of) {
    QuicConnection* oldest = nullptr;
    for (const Slot& slot : slots_) {
        QuicConnection& each = *slot.connection;
        if (!is_pending(each) || !each.patience().silent(now_)) continue;
        if (of_network_of != nullptr && !Admission::same_network(each.path().remote, *of_network_of)) continue;
        if (oldest == nullptr || each.patience().since(now_) < oldest->patience().since(now_)) oldest = &each;
    }
    if (oldest == nullptr) return false;
    counters_.add(Count::handshakes_displaced);
    oldest->end(Ending::Kind::local_transport, kTransportConnectionRefused,
                "too many handshakes under way, and this one was silent");
    touch(*oldest);
    finish(*oldest);
    return true;
}

bool QuicEndpoint::is_pending(const QuicConnection& connection) {
    return connection.counted_accepted && !connection.established() && !connection.lingering();
}

// Handshakes are few: at most pending_max.
std::size_t QuicEndpoint::pending_of(const UdpAddress& from) const {
    if (pending_ == 0) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(slots_, [&](const Slot& slot) {
        return is_pending(*slot.connection) && Admission::same_network(slot.connection->path().remote, from);
    }));
}

std::string QuicEndpoint::too_many_connections() const {
    return "connections_max (" + std::to_string(options_.connections_max) + ") reached";
}

void QuicEndpoint::set_pending(std::size_t pending) {
    BP_CHECK_OP(pending, <=, slots_.size() + 1);  // a connection is counted once, and taken off once
    pending_ = pending;
    counters_.set(Count::handshakes_pending, pending);
}

Count QuicEndpoint::accept(const Path& path, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd& first,
                           const AddressProof& proof) {
    const auto begin = setup(next_id(), path);
    auto connection = std::make_unique<QuicConnection>(begin);
    std::string error;
    if (!connection->begin_server(begin, first, proof, error)) {
        for (const Cid& cid : connection->cids()) by_cid_.erase(cid);
        counters_.add(Count::drop_initial_broken);
        handler_.on_refused(to_text(path.remote), error);
        return Count::attempts_lost;
    }
    QuicConnection& accepted = *connection;
    adopt(std::move(connection));
    accepted.counted_accepted = true;
    set_pending(pending_ + 1);
    accepted.receive(path, packet, now_);
    const auto& ending = accepted.ending();
    if (!ending || ending->kind != Ending::Kind::dropped) return Count::attempts_accepted;
    accepted.counted_accepted = false;  // garbage in the shape of a first packet
    set_pending(pending_ - 1);
    return Count::attempts_lost;
}

// --- answers without state

template <class Write>
bool QuicEndpoint::answer(const Path& path, Write&& write) {
    if (!admission_.may_answer(now_)) {
        counters_.add(Count::drop_answer_rate);
        return false;
    }
    const auto room = port_.begin_send();
    if (room.empty()) {
        counters_.add(Count::drop_no_buffer);
        return false;
    }
    const ngtcp2_ssize size = write(room);
    port_.commit_send(path, size > 0 ? static_cast<std::size_t>(size) : 0);
    return size > 0;
}

void QuicEndpoint::answer_version(const Path& path, const ngtcp2_version_cid& header) {
    const bool sent = answer(path, [&](std::span<std::uint8_t> room) {
        const std::uint32_t offered[] = {NGTCP2_PROTO_VER_V1};
        std::uint8_t unused_bits = 0;
        if (gnutls_rnd(GNUTLS_RND_NONCE, &unused_bits, sizeof unused_bits) != 0) unused_bits = 0;
        return ngtcp2_pkt_write_version_negotiation(room.data(), room.size(), unused_bits, header.scid, header.scidlen,
                                                    header.dcid, header.dcidlen, offered, std::size(offered));
    });
    counters_.add(sent ? Count::version_negotiations : Count::drop_version);
}

// The id in it is one of ours, so that what comes back finds this lcore.
Count QuicEndpoint::retry(const Path& path, const ngtcp2_pkt_hd& first) {
    const Cid own = make_cid();
    ngtcp2_cid source;
    ngtcp2_cid_init(&source, own.bytes.data(), own.size);
    const bool sent = answer(path, [&](std::span<std::uint8_t> room) {
        return tokens_.write_retry(room, path.remote, first, source, now_);
    });
    return sent ? Count::attempts_retried : Count::attempts_lost;
}

Count QuicEndpoint::refuse(const Path& path, const ngtcp2_pkt_hd& first, std::uint64_t error, const std::string& why) {
    const bool sent = answer(path, [&](std::span<std::uint8_t> room) {
        return ngtcp2_crypto_write_connection_close(room.data(), room.size(), first.version, &first.scid, &first.dcid,
                                                    error, reinterpret_cast<const std::uint8_t*>(why.data()),
                                                    why.size());
    });
    if (!sent) return Count::attempts_lost;
    handler_.on_refused(to_text(path.remote), why);
    return Count::attempts_refused;
}

}  // namespace bayplan::dataplane
