// One QUIC connection: an ngtcp2_conn, its TLS session, and the three streams with their buffers.
//
// Nothing here knows a socket or a clock: packets and `now` come in, packets go out through a
// PacketPort. The reason to end the connection is only noted (ending()); the endpoint acts on it at
// the end of its turn, so handlers may call send() and close() from inside any callback.
//
//   handshaking --(server: TLS done; client: the server confirmed)--> open --> ended --> lingering
//
// A client is open only once the server has confirmed the handshake: in TLS 1.3 the client is done
// before the server has looked at its certificate. `lingering` keeps the CONNECTION_CLOSE packet
// for a peer that did not hear it; everything else is released.
//
// A client whose address changes (its own doing, or a NAT's on the way) needs to do nothing: the
// server sees its packets come from elsewhere, answers there and has ngtcp2 validate the new path;
// until then no more than three times of what came is sent to it (RFC 9000 sections 8 and 9).
//
// Memory: per stream what flow control admits (inbound: the window and one frame) and
// send_buffer_bytes (outbound). Thread: the data plane's. Owner: QuicEndpoint.
#pragma once

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/data_plane.h"
#include "net/packet_port.h"
#include "quic/cid.h"
#include "quic/counters.h"
#include "quic/frame_reader.h"
#include "quic/handshake_patience.h"
#include "quic/packet_size.h"
#include "quic/quic_path.h"
#include "quic/quic_tls.h"
#include "quic/send_buffer.h"

namespace bayplan::dataplane {

class QuicConnection;
inline constexpr std::size_t kResetTokenBytes = NGTCP2_STATELESS_RESET_TOKENLEN;

// A connection's calls to its endpoint, made from inside ngtcp2's callbacks.
class ConnectionOwner {
public:
    virtual ~ConnectionOwner() = default;
    // TLS is done: whether there is room for the connection, and the peer would also be admitted now, by credentials that
    // may have been replaced meanwhile. If not, the connection has been ended.
    virtual bool may_open(QuicConnection&) = 0;
    virtual void on_established(QuicConnection&) = 0;
    virtual bool on_frame(QuicConnection&, Stream, Frame&) = 0;
    virtual Cid make_cid() = 0;
    virtual void on_cid_added(QuicConnection&, const Cid&) = 0;
    virtual void on_cid_removed(const Cid&) = 0;
    // The token of a stateless reset of this id; the same after a restart of the process.
    virtual bool reset_token(const Cid&, std::span<std::uint8_t, kResetTokenBytes> out) = 0;
    // A server's, for the client's next connection (quic_tokens.h); empty: none.
    virtual std::vector<std::uint8_t> new_token(const UdpAddress& client) = 0;
    virtual void on_new_token(const UdpAddress& server, std::span<const std::uint8_t>) = 0;
};

// How a client has shown that it receives at its address.
struct AddressProof {
    bool token = false;                        // by the one in its first packet
    const ngtcp2_cid* before_retry = nullptr;  // that of a Retry: the id it first asked with
};

struct Ending {
    enum class Kind : std::uint8_t { local_application, local_transport, local_tls, by_peer, silent, dropped };
    Kind kind = Kind::silent;
    std::uint64_t code = 0;
    std::string why;
    bool peers_application = false;  // by_peer: the code is the application's
};

class QuicConnection {
public:
    struct Setup {
        const TransportOptions& options;
        std::shared_ptr<const TlsCredentials> credentials;
        ConnectionOwner& owner;
        Counters& counters;
        ConnectionId id = 0;
        bool server = false;
        std::string_view alpn = kAlpn;
        Path path;
        std::vector<std::uint8_t> token = {};  // client: of an earlier connection
        std::uint64_t now = 0;
    };

    explicit QuicConnection(const Setup&);
    ~QuicConnection();
    QuicConnection(const QuicConnection&) = delete;
    QuicConnection& operator=(const QuicConnection&) = delete;

    // `first` is the header of the client's first packet. False: why is in `error`.
    bool begin_server(const Setup&, const ngtcp2_pkt_hd& first, const AddressProof&, std::string& error);
    bool begin_client(const Setup&, std::string& error);

    void receive(const Path&, std::span<const std::uint8_t> packet, std::uint64_t now);
    void handle_expiry(std::uint64_t now);
    // Writes what may be sent now, at most a burst; true if more is waiting for the next turn.
    bool write(PacketPort&, std::uint64_t now);
    // Offers refused frames again and works off what waits behind them. Returns frames delivered.
    std::size_t resume();
    bool blocked() const;

    bool send(Stream, std::span<const std::byte> payload);
    // After TLS is done: whether the peer would be admitted by these credentials; if not, ends the
    // connection.
    bool verify_again(const TlsCredentials&);
    // The first ending counts.
    void end(Ending::Kind, std::uint64_t code, std::string why);

    // Writes CONNECTION_CLOSE if the ending calls for it, and releases all but that packet.
    void linger(PacketPort&, std::uint64_t now);
    bool lingering() const { return lingering_; }
    std::uint64_t linger_until() const { return linger_until_; }
    void repeat_close(PacketPort&);

    ConnectionId id() const { return id_; }
    bool server() const { return server_; }
    bool tls_done() const { return tls_done_; }
    bool established() const { return established_; }
    const std::optional<Ending>& ending() const { return ending_; }
    const Path& path() const { return paths_.current(); }
    const std::string& peer_name() const { return tls_->peer_name(); }
    TlsDetails tls_details() const { return tls_->details(); }
    const std::vector<Cid>& cids() const { return cids_; }
    std::uint64_t expiry() const;

    const HandshakePatience& patience() const { return patience_; }

    // Bookkeeping of the endpoint.
    std::size_t slot = 0;
    bool touched = false;
    bool on_blocked_list = false;
    bool counted_accepted = false;

private:
    struct StreamState {
        explicit StreamState(const TransportOptions& options)
            : reader(options.frame_bytes_max), out(options.send_buffer_bytes) {}
        FrameReader reader;
        SendBuffer out;
        std::int64_t id = -1;       // fixed by the protocol
        bool can_write = false;     // exists on our side
        bool flow_blocked = false;  // within one write()
        // Of what was sent and is not acknowledged: when it was first sent, or the last acknowledgement. 0: there is none.
        std::uint64_t waits_since = 0;
        void sent(std::size_t bytes, std::uint64_t now) {
            out.mark_sent(bytes);
            if (waits_since == 0) waits_since = now;
        }
        bool sends = false;  // by role
        bool receives = false;
    };

    struct Callbacks;  // ngtcp2's C callbacks, in quic_callbacks.cpp
    static const ngtcp2_callbacks& callbacks(bool server);

    void fill_settings(ngtcp2_settings&, std::uint64_t now) const;
    void fill_parameters(ngtcp2_transport_params&) const;
    void add_cid(const Cid&);
    bool attach_tls(const Setup&, std::string& error);

    bool open_streams();
    void establish();
    int receive_stream(std::int64_t stream_id, std::span<const std::uint8_t> bytes, bool last);
    bool deliver(Stream, Frame&);
    StreamState* stream_by_id(std::int64_t stream_id);
    StreamState* next_to_write();
    ngtcp2_ssize write_packet(std::span<std::uint8_t> room, ngtcp2_path& to, std::uint64_t now);
    void update_keys_if_due(std::size_t packets, std::uint64_t now);
    void follow_path();
    void look_at_packet_size(std::uint64_t now);
    void fail(int error, const char* doing);
    void end_as_expired();
    std::string describe_failure(int error) const;

    const TransportOptions& options_;
    ConnectionOwner& owner_;
    Counters& counters_;
    ConnectionId id_;
    bool server_;
    std::uint64_t certificate_ends_ = UINT64_MAX;  // the peer's: the connection does not live longer
    // Where to send: follows the peer's last authenticated packet; validated when its address has
    // changed.
    PathTable paths_;
    std::unique_ptr<TlsSession> tls_;
    ngtcp2_conn* conn_ = nullptr;
    std::array<StreamState, kStreamCount> streams_;
    std::vector<Cid> cids_;
    bool tls_done_ = false;
    bool established_ = false;
    PacketSize packet_size_;
    std::uint64_t received_at_ = 0;  // the packet in hand
    HandshakePatience patience_;
    bool handshake_forward_ = false;  // by the packet in hand
    bool authenticated_ = false;      // a callback proved that the packet in hand is the peer's
    bool was_reset_ = false;          // the peer has no such connection
    std::uint32_t keys_made_ = 0;
    std::uint64_t packets_on_keys_ = 0;
    bool lingering_ = false;
    std::uint64_t linger_until_ = 0;
    std::uint32_t closes_left_ = 0;
    std::vector<std::uint8_t> close_packet_;
    std::optional<Ending> ending_;
};

}  // namespace bayplan::dataplane
