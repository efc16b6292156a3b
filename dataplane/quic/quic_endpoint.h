// All QUIC connections of one data plane: the table by connection id, who may open one, their
// timers, and the order in which they are served.
//
//   per turn: begin_turn(now) -> the port hands datagrams in -> resume_blocked()
//             -> the user's sends -> end_turn(): timers, writing, endings
//
// A connection on which anything happened in a turn is put on the touched list once and is served
// at its end: so a whole received burst is answered by one acknowledgement. Endings are acted on
// last, outside every callback.
//
// Timers: one array of expiries, and a time that none of them is before. The array is scanned when
// that time has come, so that a turn costs nothing for connections that are silent or linger; a heap
// that moves on every packet would cost more than these scans.
//
// Thread: the data plane's. Owner: the event loop.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/data_plane.h"
#include "net/packet_port.h"
#include "port/steering.h"
#include "quic/admission.h"
#include "quic/cid.h"
#include "quic/counters.h"
#include "quic/handshake_line.h"
#include "quic/quic_connection.h"
#include "quic/quic_tls.h"
#include "quic/quic_tokens.h"

namespace bayplan::dataplane {

class QuicEndpoint final : public DatagramSink, private ConnectionOwner {
public:
    struct Role {
        bool server = false;
        std::uint8_t lcore = 0;         // index, byte 0 of our connection ids
        std::string_view alpn = kAlpn;  // another value only to be refused, in tests
        Steering* steering = nullptr;   // to the other lcores, if there are any
    };

    // `plane` is what handlers get to see as DataPlane.
    QuicEndpoint(const TransportOptions&, Role, std::shared_ptr<const TlsCredentials>, PacketPort&, DataPlane& plane,
                 FrameHandler&, Counters&);
    ~QuicEndpoint() override;

    ConnectionId connect(std::string_view address, std::uint16_t udp_port);
    bool send(ConnectionId, Stream, std::span<const std::byte> payload);
    void close(ConnectionId, std::uint64_t error, std::string_view why);
    // And refuses new ones until reopen().
    void close_all(std::uint64_t error, std::string_view why);
    void reopen() { shutting_down_ = false; }
    // For handshakes from now on; connections whose peer would now be refused are closed, or,
    // during their handshake, when TLS is done.
    void replace_credentials(std::shared_ptr<const TlsCredentials>);

    void begin_turn(std::uint64_t now) { now_ = now; }
    void on_datagram(const Path&, std::span<const std::uint8_t> payload) override;
    // Packets that other lcores received and that are ours. How many.
    std::size_t receive_steered();
    // Frames delivered that a handler had refused before.
    std::size_t resume_blocked();
    // Returns work done; more of it if some connection could not send all it may.
    std::size_t end_turn();

    // Nothing open, beginning or lingering.
    bool empty() const { return slots_.empty() && connecting_.empty(); }
    // Before that nothing must happen without a packet; UINT64_MAX: never.
    std::uint64_t next_expiry() const { return next_expiry_; }

private:
    struct Slot {
        std::uint64_t expiry;
        QuicConnection* connection;
    };
    struct Connecting {  // waits for the port to resolve the way to the server
        ConnectionId id;
        UdpAddress remote;
        std::uint64_t give_up;
        std::string address;
        std::string why;  // set: it has already failed
    };
    using ById = boost::unordered_flat_map<ConnectionId, QuicConnection*>;
    using ByCid = boost::unordered_flat_map<Cid, QuicConnection*, CidHash>;

    // ConnectionOwner
    bool may_open(QuicConnection&) override;
    void on_established(QuicConnection&) override;
    bool on_frame(QuicConnection&, Stream, Frame&) override;
    Cid make_cid() override;
    void on_cid_added(QuicConnection&, const Cid&) override;
    void on_cid_removed(const Cid&) override;
    bool reset_token(const Cid&, std::span<std::uint8_t, kResetTokenBytes> out) override;
    std::vector<std::uint8_t> new_token(const UdpAddress& client) override { return tokens_.make(client, now_); }
    void on_new_token(const UdpAddress& server, std::span<const std::uint8_t> token) override {
        tokens_.keep(server, token);
    }

    // True if the packet was another lcore's and is no longer our business.
    bool steer(const Path&, std::span<const std::uint8_t> packet, const ngtcp2_version_cid&);
    static ConnectionId next_id();
    QuicConnection::Setup setup(ConnectionId, const Path&);
    void adopt(std::unique_ptr<QuicConnection>);
    bool is_of(const QuicConnection&, const Path&, std::span<const std::uint8_t> packet) const;
    void deliver(QuicConnection&, const Path&, std::span<const std::uint8_t> packet);
    void touch(QuicConnection&);
    QuicConnection* find(ConnectionId);

    // quic_accept.cpp: packets that belong to no connection.
    void on_stranger(const Path&, std::span<const std::uint8_t> packet, const ngtcp2_version_cid&);
    void put_in_line(const Path&, std::span<const std::uint8_t> packet);
    std::size_t serve_line();
    bool serve_handshake(const Path&, std::span<const std::uint8_t> packet);
    void on_short_stranger(const Path&, std::span<const std::uint8_t> packet, const Cid&);
    bool on_attempt(const Path&, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd&);
    Count attempt(const Path&, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd&);
    Count accept(const Path&, std::span<const std::uint8_t> packet, const ngtcp2_pkt_hd&, const AddressProof&);
    template <class Write>
    bool answer(const Path&, Write&&);
    void answer_version(const Path&, const ngtcp2_version_cid&);
    Count retry(const Path&, const ngtcp2_pkt_hd&);
    Count refuse(const Path&, const ngtcp2_pkt_hd&, std::uint64_t error, const std::string& why);
    void set_pending(std::size_t);
    Admission::Verdict judge(const Path&, Admission::Proof);
    bool displace_silent(const UdpAddress* of_network_of);
    static bool is_pending(const QuicConnection&);
    std::string too_many_connections() const;
    std::size_t pending_of(const UdpAddress& from) const;  // handshakes under way of its network

    std::size_t advance_connecting();
    std::size_t run_timers();
    std::size_t write_touched();
    void finish_ended();
    void finish(QuicConnection&);
    void forget(QuicConnection&);
    void sweep_lingering();
    void refresh_expiries();

    const TransportOptions& options_;
    Role role_;
    std::shared_ptr<const TlsCredentials> credentials_;
    PacketPort& port_;
    DataPlane& plane_;
    FrameHandler& handler_;
    Counters& counters_;

    Admission admission_;
    RotatedSecrets secrets_;
    AddressTokens tokens_;
    bool shutting_down_ = false;
    bool taking_steered_ = false;
    std::size_t pending_ = 0;  // handshakes accepted and under way
    HandshakeLine line_;

    std::uint64_t now_ = 0;
    std::uint64_t next_expiry_ = UINT64_MAX;
    std::vector<Slot> slots_;                             // all that the timer scan reads
    std::vector<std::unique_ptr<QuicConnection>> owned_;  // same index
    std::size_t live_ = 0;                                // slots that do not linger
    ById by_id_;
    ByCid by_cid_;
    std::vector<QuicConnection*> touched_;
    std::vector<QuicConnection*> served_;  // in this turn: their expiry has changed
    std::vector<QuicConnection*> blocked_;
    std::vector<Connecting> connecting_;
};

}  // namespace bayplan::dataplane
