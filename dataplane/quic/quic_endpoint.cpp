// See quic_endpoint.h.
#include "quic/quic_endpoint.h"

#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "net/udp_address.h"
#include "quic/quic_errors.h"

namespace bayplan::dataplane {

namespace {

constexpr std::uint64_t kResolveTimeoutNs = 5'000'000'000;
// While a resolution is under way the loop looks again this often.
constexpr std::uint64_t kResolveRetryNs = 1'000'000;

std::uint64_t random_key() {
    std::uint64_t key = 0;
    // Without randomness the table still works; only hardening against chosen ids is lost.
    if (gnutls_rnd(GNUTLS_RND_KEY, &key, sizeof key) != 0) key = 0x5851f42d4c957f2dull;
    return key;
}

}  // namespace

QuicEndpoint::QuicEndpoint(const TransportOptions& options, Role role,
                           std::shared_ptr<const TlsCredentials> credentials, PacketPort& port, DataPlane& plane,
                           FrameHandler& handler, Counters& counters)
    : options_(options),
      role_(role),
      credentials_(std::move(credentials)),
      port_(port),
      plane_(plane),
      handler_(handler),
      counters_(counters),
      admission_(options.handshakes, random_key()),
      secrets_(*credentials_),
      tokens_(secrets_),
      by_cid_(0, CidHash(random_key())) {}

QuicEndpoint::~QuicEndpoint() = default;

// Ids are unique in the process, across data planes.
ConnectionId QuicEndpoint::next_id() {
    static std::atomic<ConnectionId> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

// --- the user's side

ConnectionId QuicEndpoint::connect(std::string_view address, std::uint16_t udp_port) {
    Connecting wish{next_id(), {}, now_ + kResolveTimeoutNs, std::string(address), {}};
    if (role_.server) {
        wish.why = "a server does not connect";
    } else if (!resolve_name(address, udp_port, wish.remote)) {
        wish.why = "address '" + printable(address, 100) + "' is not known";
    }
    connecting_.push_back(std::move(wish));
    return connecting_.back().id;
}

QuicConnection* QuicEndpoint::find(ConnectionId id) {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : it->second;
}

bool QuicEndpoint::send(ConnectionId id, Stream stream, std::span<const std::byte> payload) {
    QuicConnection* connection = find(id);
    if (connection == nullptr || !connection->established()) {
        counters_.add(Count::send_to_nobody);
        return false;
    }
    const bool queued = connection->send(stream, payload);
    // Not when the buffer is full: a user that tries again each turn must not keep the loop awake.
    if (queued || connection->ending()) touch(*connection);
    return queued;
}

void QuicEndpoint::close(ConnectionId id, std::uint64_t error, std::string_view why) {
    if (QuicConnection* connection = find(id)) {
        connection->end(Ending::Kind::local_application, error, std::string(why));
        touch(*connection);
        return;
    }
    for (auto& wish : connecting_) {
        if (wish.id == id && wish.why.empty()) wish.why = why;
    }
}

void QuicEndpoint::close_all(std::uint64_t error, std::string_view why) {
    shutting_down_ = true;
    for (auto& slot : slots_) {
        if (!slot.connection->lingering()) close(slot.connection->id(), error, why);
    }
    for (auto& wish : connecting_) {
        if (wish.why.empty()) wish.why = why;
    }
}

void QuicEndpoint::replace_credentials(std::shared_ptr<const TlsCredentials> credentials) {
    credentials_ = std::move(credentials);
    counters_.add(Count::tls_reloads);
    if (secrets_.rotate(*credentials_, now_)) counters_.add(Count::secrets_rotated);
    for (const Slot& slot : slots_) {
        QuicConnection& connection = *slot.connection;
        if (!connection.tls_done() || connection.verify_again(*credentials_)) continue;
        counters_.add(Count::connections_revoked);
        touch(connection);
    }
}

// --- packets

void QuicEndpoint::on_datagram(const Path& path, std::span<const std::uint8_t> payload) {
    ngtcp2_version_cid header{};
    // An empty datagram would trip an assertion inside ngtcp2, that is, end the process.
    const int rc = payload.empty()
                       ? NGTCP2_ERR_INVALID_ARGUMENT
                       : ngtcp2_pkt_decode_version_cid(&header, payload.data(), payload.size(), kOwnCidBytes);
    if (rc != 0 && rc != NGTCP2_ERR_VERSION_NEGOTIATION) {
        counters_.add(Count::drop_malformed_header);
        return;
    }
    const auto it =
        header.dcidlen <= NGTCP2_MAX_CIDLEN ? by_cid_.find(Cid(std::span(header.dcid, header.dcidlen))) : by_cid_.end();
    if (it == by_cid_.end()) {
        if (!steer(path, payload, header)) on_stranger(path, payload, header);
        return;
    }
    QuicConnection& connection = *it->second;
    if (!is_of(connection, path, payload)) return counters_.add(Count::drop_remote_changed);
    if (is_pending(connection)) return put_in_line(path, payload);
    deliver(connection, path, payload);
}

// Whether a packet with the connection's id comes from where it may.
bool QuicEndpoint::is_of(const QuicConnection& connection, const Path& path,
                         std::span<const std::uint8_t> packet) const {
    // A client that moves sends short headers, and only once its handshake is done.
    const bool may_move =
        role_.server && is_short_header(packet) && connection.established() && !connection.lingering();
    return may_move || connection.path().remote == path.remote;
}

void QuicEndpoint::deliver(QuicConnection& connection, const Path& path, std::span<const std::uint8_t> packet) {
    if (connection.lingering()) return connection.repeat_close(port_);
    connection.receive(path, packet, now_);
    touch(connection);
}

bool QuicEndpoint::steer(const Path& path, std::span<const std::uint8_t> packet, const ngtcp2_version_cid& header) {
    if (role_.steering == nullptr || taking_steered_ || header.dcidlen == 0) return false;
    Steering& steering = *role_.steering;
    std::size_t to = header.dcid[0];
    if (!is_short_header(packet)) {
        // Ours or made up by the client, which only the owner can tell. Where each lcore receives,
        // a handshake stays with the lcore that the device chose.
        if (!steering.one_receives()) return false;
        to %= steering.lcores();
    }
    if (to == role_.lcore || to >= steering.lcores()) return false;
    const bool taken = steering.hand_over(role_.lcore, to, path, packet);
    counters_.add(taken ? Count::steered_out : Count::drop_steering_full);
    return true;
}

std::size_t QuicEndpoint::receive_steered() {
    if (role_.steering == nullptr) return 0;
    taking_steered_ = true;  // a packet from another lcore is not handed over again
    const std::size_t taken = role_.steering->take(role_.lcore, *this);
    taking_steered_ = false;
    counters_.add(Count::steered_in, taken);
    return taken;
}

// --- what connections tell

// Handshakes under way do not count as connections; so it is asked again when one is done.
bool QuicEndpoint::may_open(QuicConnection& connection) {
    if (role_.server && live_ - pending_ >= options_.connections_max) {
        counters_.add(Count::drop_connections_max);
        connection.end(Ending::Kind::local_transport, kTransportConnectionRefused, too_many_connections());
        return false;
    }
    return connection.verify_again(*credentials_);
}

void QuicEndpoint::on_established(QuicConnection& connection) {
    if (role_.server) set_pending(pending_ - 1);
    counters_.add(Count::handshakes_ok);
    counters_.add(Count::connections_opened);
    counters_.set(Count::connections_open, counters_.get(Count::connections_open) + 1);
    handler_.on_open(plane_, connection.id(),
                     {connection.peer_name(), to_text(connection.path().remote),
                      role_.server ? TlsDetails{} : connection.tls_details()});
}

bool QuicEndpoint::on_frame(QuicConnection& connection, Stream stream, Frame& frame) {
    if (handler_.on_frame(plane_, connection.id(), stream, frame)) return true;
    if (!connection.on_blocked_list) {
        connection.on_blocked_list = true;
        blocked_.push_back(&connection);
    }
    return false;
}

Cid QuicEndpoint::make_cid() {
    std::array<std::uint8_t, kOwnCidBytes> bytes{};
    do {
        if (gnutls_rnd(GNUTLS_RND_NONCE, bytes.data(), bytes.size()) != 0) return {};
        bytes[0] = role_.lcore;
        secrets_.mark(bytes);
    } while (by_cid_.contains(Cid(bytes)));
    return Cid(bytes);
}

void QuicEndpoint::on_cid_added(QuicConnection& connection, const Cid& cid) {
    by_cid_.insert_or_assign(cid, &connection);
}

void QuicEndpoint::on_cid_removed(const Cid& cid) { by_cid_.erase(cid); }

bool QuicEndpoint::reset_token(const Cid& cid, std::span<std::uint8_t, kResetTokenBytes> out) {
    ngtcp2_cid wanted;
    ngtcp2_cid_init(&wanted, cid.bytes.data(), cid.size);
    const Secrets::Bytes& secret = secrets_.of(cid, now_).reset;
    return ngtcp2_crypto_generate_stateless_reset_token(out.data(), secret.data(), secret.size(), &wanted) == 0;
}

// --- the turn

void QuicEndpoint::touch(QuicConnection& connection) {
    if (connection.touched) return;
    connection.touched = true;
    touched_.push_back(&connection);
}

QuicConnection::Setup QuicEndpoint::setup(ConnectionId id, const Path& path) {
    return {options_, credentials_, *this, counters_, id, role_.server, role_.alpn, path, {}, now_};
}

void QuicEndpoint::adopt(std::unique_ptr<QuicConnection> connection) {
    const bool is_new = by_id_.emplace(connection->id(), connection.get()).second;
    BP_CHECK(is_new);
    touch(*connection);
    ++live_;
    connection->slot = slots_.size();
    slots_.push_back({UINT64_MAX, connection.get()});
    owned_.push_back(std::move(connection));
}

std::size_t QuicEndpoint::advance_connecting() {
    std::size_t done = 0;
    for (std::size_t i = 0; i < connecting_.size();) {
        auto& wish = connecting_[i];
        Path path;
        if (wish.why.empty() && port_.resolve(wish.remote, path)) {
            auto begin = setup(wish.id, path);
            begin.token = tokens_.take(wish.remote);
            auto connection = std::make_unique<QuicConnection>(begin);
            if (connection->begin_client(begin, wish.why)) {
                adopt(std::move(connection));
                connecting_.erase(connecting_.begin() + static_cast<std::ptrdiff_t>(i));
                ++done;
                continue;
            }
            for (const Cid& cid : connection->cids()) by_cid_.erase(cid);
        }
        if (wish.why.empty() && now_ >= wish.give_up)
            wish.why = "no way to the server found (nobody on the link answers for it, or no gateway is set)";
        if (wish.why.empty()) {
            ++i;
            continue;
        }
        const Connecting failed = std::move(wish);
        connecting_.erase(connecting_.begin() + static_cast<std::ptrdiff_t>(i));
        handler_.on_close(plane_, failed.id, failed.why);
        ++done;
    }
    return done;
}

std::size_t QuicEndpoint::resume_blocked() {
    std::size_t delivered = 0;
    for (std::size_t i = 0; i < blocked_.size();) {
        QuicConnection& connection = *blocked_[i];
        const std::size_t n = connection.resume();
        if (n > 0) touch(connection);  // the credit just given must be sent
        delivered += n;
        if (connection.blocked() && !connection.ending()) {
            ++i;
            continue;
        }
        if (connection.ending()) touch(connection);
        connection.on_blocked_list = false;
        blocked_.erase(blocked_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return delivered;
}

std::size_t QuicEndpoint::run_timers() {
    std::size_t fired = 0;
    if (next_expiry_ > now_) return 0;
    for (auto& slot : slots_) {
        if (slot.expiry > now_ || slot.connection->lingering()) continue;
        slot.connection->handle_expiry(now_);
        touch(*slot.connection);
        ++fired;
    }
    return fired;
}

std::size_t QuicEndpoint::write_touched() {
    std::size_t work = 0;
    std::vector<QuicConnection*> again;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        QuicConnection& connection = *touched_[i];
        connection.touched = false;
        served_.push_back(&connection);
        if (connection.write(port_, now_)) {
            again.push_back(&connection);
            ++work;
        }
        if (connection.ending()) again.push_back(&connection);
    }
    touched_.clear();
    for (QuicConnection* connection : again) touch(*connection);
    return work;
}

void QuicEndpoint::finish(QuicConnection& connection) {
    const Ending& ending = *connection.ending();
    const std::string address = to_text(connection.path().remote);
    const bool established = connection.established();
    const ConnectionId id = connection.id();
    connection.linger(port_, now_);
    served_.push_back(&connection);  // a handler may have closed it since the writing
    BP_CHECK_OP(by_id_.erase(id), ==, 1u);
    --live_;
    if (established) {
        counters_.add(Count::connections_closed);
        counters_.set(Count::connections_open, counters_.get(Count::connections_open) - 1);
    } else {
        if (connection.counted_accepted) set_pending(pending_ - 1);
        if (connection.counted_accepted || !role_.server) counters_.add(Count::handshakes_refused);
        if (ending.kind != Ending::Kind::dropped) handler_.on_refused(address, ending.why);
    }
    // A server's handshake that failed was never announced, so there is nothing to take back.
    if (!established && role_.server) return;
    if (ending.peers_application) handler_.on_closed_with(plane_, id, ending.code);
    handler_.on_close(plane_, id, ending.why);
}

void QuicEndpoint::finish_ended() {
    // Handlers may close others meanwhile: those are appended and met later in this same loop.
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        QuicConnection& connection = *touched_[i];
        if (connection.ending() && !connection.lingering()) finish(connection);
    }
    // A connection that lingers has nothing to write, and must not keep the loop from its sleep.
    std::erase_if(touched_, [](QuicConnection* connection) {
        if (connection->lingering()) connection->touched = false;
        return connection->lingering();
    });
}

void QuicEndpoint::forget(QuicConnection& connection) {
    for (const Cid& cid : connection.cids()) {
        const auto it = by_cid_.find(cid);
        if (it != by_cid_.end() && it->second == &connection) by_cid_.erase(it);
    }
    std::erase(touched_, &connection);
    std::erase(blocked_, &connection);
    const std::size_t slot = connection.slot;
    BP_CHECK(slots_.size() == owned_.size() && slots_[slot].connection == &connection);
    slots_.back().connection->slot = slot;
    std::swap(slots_[slot], slots_.back());
    std::swap(owned_[slot], owned_.back());
    slots_.pop_back();
    owned_.pop_back();
}

void QuicEndpoint::sweep_lingering() {
    for (std::size_t i = slots_.size(); i-- > 0;) {
        if (i >= slots_.size() || !slots_[i].connection->lingering()) continue;
        // Lingering connections are bounded too: a stream of failing handshakes must not fill the
        // memory.
        const bool too_many = slots_.size() - live_ > options_.connections_max;
        if (too_many || slots_[i].connection->linger_until() <= now_) forget(*slots_[i].connection);
    }
}

void QuicEndpoint::refresh_expiries() {
    for (const QuicConnection* connection : served_) {
        BP_CHECK(slots_[connection->slot].connection == connection);
        slots_[connection->slot].expiry = connection->expiry();
        next_expiry_ = std::min(next_expiry_, connection->expiry());
    }
    served_.clear();
    if (!connecting_.empty()) next_expiry_ = std::min(next_expiry_, now_ + kResolveRetryNs);
    const bool too_many_linger = slots_.size() - live_ > options_.connections_max;
    if (next_expiry_ > now_ && !too_many_linger) return;
    sweep_lingering();
    next_expiry_ = connecting_.empty() ? UINT64_MAX : now_ + kResolveRetryNs;
    for (const Slot& slot : slots_) next_expiry_ = std::min(next_expiry_, slot.expiry);
}

std::size_t QuicEndpoint::end_turn() {
    std::size_t work = serve_line();
    if (!connecting_.empty()) work += advance_connecting();
    work += run_timers();
    work += touched_.size();
    const std::size_t unfinished = write_touched();
    finish_ended();
    refresh_expiries();
    return work + unfinished;
}

}  // namespace bayplan::dataplane
