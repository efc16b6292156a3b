// The data plane as the rest of the program sees it: authenticated connections that carry frames.
// No DPDK, ngtcp2 or GnuTLS type appears here, and no type of Bayplan's domain.
//
// Thread: one DataPlane belongs to one thread (its lcore). Every call below, and every call of the
// handler, happens on that thread. Only counters(), request_stop(), reload_tls() and wake() may come
// from others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/frame.h"

namespace bayplan::dataplane {

using ConnectionId = std::uint64_t;  // never used twice in a process

// The ordered streams of a connection. On `control` the client speaks first: until it has, what the
// server sends there waits.
enum class Stream : std::uint8_t {
    control = 0,    // bidirectional: hello, acknowledgements
    state = 1,      // client to server
    decisions = 2,  // server to client
};
inline constexpr int kStreamCount = 3;

// Outcome of the handshake and the peer's certificate, for people.
struct TlsDetails {
    std::string version;  // TLS1.3
    std::string cipher;   // AES-128-GCM
    std::string subject;  // distinguished names, RFC 4514
    std::string issuer;
    std::int64_t valid_from_s = 0;  // seconds since 1970
    std::int64_t valid_until_s = 0;
};

struct Peer {
    std::string common_name;  // subject of the certificate that TLS verified
    std::string address;      // for logs
    TlsDetails tls = {};      // told to clients alone: a server has no use for it
};

class DataPlane;

// Callbacks that a user of the data plane implements.
class FrameHandler {
public:
    virtual ~FrameHandler() = default;
    virtual void on_open(DataPlane&, ConnectionId, const Peer&) = 0;
    // Takes the frame and returns true, or leaves it untouched and returns false: then this stream
    // of this connection is not read further (flow control pushes the peer back) and the same frame
    // is offered again on later turns of the loop.
    virtual bool on_frame(DataPlane&, ConnectionId, Stream, Frame&) = 0;
    // After on_open, or for a client's connect() that failed. The id is not used again.
    virtual void on_close(DataPlane&, ConnectionId, std::string_view why) = 0;
    // Before on_close, if the peer closed with a code of the application's.
    virtual void on_closed_with(DataPlane&, ConnectionId, std::uint64_t /*code*/) {}
    // A handshake that failed, for the log (no certificate, wrong CA, ...). On either side; on a
    // client on_close follows.
    virtual void on_refused(std::string_view address, std::string_view why) = 0;
    // Once per turn of the loop: the handler drains its own rings and calls send(). Returns how
    // much it did; 0 lets the loop sleep.
    virtual std::size_t on_turn(DataPlane&) = 0;
};

struct TlsFiles {
    std::string certificate;   // PEM, own chain
    std::string key;           // PEM
    std::string authority;     // PEM, the CA that peers must be signed by
    std::string revoked = {};  // PEM, revocation lists of that CA; empty: none
};

enum class IdlePolicy : std::uint8_t { adaptive, poll };

// Limits on handshakes with unknown peers, per lcore of a server. Defaults: a handshake costs 0.75 ms of CPU, an answer
// without state a few microseconds.
struct HandshakeLimits {
    std::uint32_t retry_above = 32;             // under way; from then on addresses are proven by Retry
    std::uint32_t pending_max = 128;            // under way; more are not begun
    std::uint32_t pending_max_of_network = 48;  // of these, from one /24 of IPv4 or /56 of IPv6
    std::uint32_t per_s = 500;                  // from all sources together
    std::uint32_t per_s_of_network = 100;       // from one /24 of IPv4 or /56 of IPv6
    std::uint32_t answers_per_s = 10'000;       // Retry, refusal, version negotiation, stateless reset
};

// Limits and timers of QUIC and framing. Defaults: measured, dataplane/README.md.
struct TransportOptions {
    TlsFiles tls;
    std::uint32_t frame_bytes_max = 1u << 20;       // payload of one frame
    std::uint32_t send_buffer_bytes = 8u << 20;     // per stream, until acknowledged by QUIC
    std::uint32_t receive_window_bytes = 4u << 20;  // per stream: credit given to the peer
    std::uint32_t connections_max = 256;
    std::uint32_t idle_timeout_ms = 30'000;
    std::uint16_t payload_bytes_max = 1452;  // UDP payload of one packet
    // New keys after so many packets sent on a connection. QUIC itself demands it at 2^23.
    std::uint32_t key_update_packets = 1u << 20;
    HandshakeLimits handshakes;
    std::string alpn = "bayplan/1";  // both sides must name the same protocol
    // A client's: DNS name or IP address that the server's certificate must have; empty: any name of the CA's.
    std::string server_name;
};

struct KernelPortOptions {
    // Server: where to listen; client: local address. IPv4 or IPv6; :: is every address of both.
    std::string address = "0.0.0.0";
    std::uint16_t udp_port = 0;  // 0 = any (clients)
};

struct DpdkPortOptions {
    std::vector<std::string> eal_arguments;  // without the program name
    std::string device;                      // net_af_packet0, 0000:3b:00.0; empty = first
    std::string address;                     // own IPv4 address; empty: none
    std::uint16_t udp_port = 4433;
    std::string address6;  // own IPv6 address; empty: none. One of the two is needed
    // Peers outside the prefix are reached through the gateway. 0: every peer is on the link. A
    // server answers along the path that a packet came by and needs neither.
    std::uint8_t prefix_length = 0;
    std::uint8_t prefix_length6 = 0;
    std::string gateway;
    std::string gateway6;
    std::uint16_t vlan = 0;  // 1..4094: frames carry this tag (802.1Q); 0: none
    bool telemetry = false;  // dpdk-telemetry.py may ask this process, by a socket of the runtime directory
    bool capture = false;    // dpdk-dumpcap may copy this process's packets: other processes share its memory
};

enum class PortKind : std::uint8_t { kernel, dpdk };

struct DataPlaneOptions {
    PortKind port = PortKind::kernel;
    KernelPortOptions kernel;
    DpdkPortOptions dpdk;
    TransportOptions transport;
    IdlePolicy idle = IdlePolicy::adaptive;
    bool server = true;
    std::uint8_t lcore = 0;  // index among the data planes of a port: byte 0 of its connection ids
};

using Counter = std::pair<std::string, std::uint64_t>;

class DataPlane {
public:
    virtual ~DataPlane() = default;

    // Client only: begins a handshake; on_open or on_close of the returned id follows, and on_open
    // means that the server has accepted our certificate. An IP address or a name (looked up: may
    // block).
    virtual ConnectionId connect(std::string_view address, std::uint16_t udp_port) = 0;

    // Queues one frame. False: the stream's send buffer has no room for it now, try again on a
    // later turn; or the connection is closed, which on_close tells; or the stream is the peer's to
    // write. A payload over frame_bytes_max closes the connection: it could never be sent.
    virtual bool send(ConnectionId, Stream, std::span<const std::byte> payload) = 0;
    // Tells the peer and ends the connection at the end of this turn; on_close follows. Frames
    // queued and not yet sent are lost. `error` below 0x10000 is the caller's to define.
    virtual void close(ConnectionId, std::uint64_t error, std::string_view why) = 0;

    // One turn: receive a burst, handshakes, frames, on_turn, timers, transmit. Returns work done.
    virtual std::size_t turn() = 0;
    // turn() until request_stop(), idling by policy; on return every connection was closed
    // gracefully. May be called again.
    virtual void run() = 0;
    virtual void request_stop() = 0;  // any thread
    // Wakes a sleeping adaptive loop early (any thread); a hint, loops wake by themselves soon.
    virtual void wake() = 0;

    // Reads the files of TlsFiles again, for handshakes from now on. Connections stay, but for those
    // whose peer would now be refused (revoked, or its CA is gone): they are closed, and handshakes
    // under way with such a peer fail. False: why is
    // in `error`, and everything stays as it was. Any thread; reads files on the caller's.
    virtual bool reload_tls(std::string& error) = 0;

    // Reads what the device counts and whether its link is up, for counters() from then on; before the first call counters()
    // reads that itself. One thread, about once a second: drivers take long, and are not made for several at once.
    virtual void look_at_device() = 0;

    // Driver or "kernel-udp", for reports: af_packet, ring, kernel-udp, ixgbe...
    virtual std::string port_name() const = 0;
    virtual std::uint16_t udp_port() const = 0;  // the bound port
    // Named counters (rx_packets, tx_packets, drop_*, ...); any thread. They only rise, but for the
    // few that tell how it is now: connections_open, handshakes_pending, mbufs_in_use.
    virtual std::vector<Counter> counters() const = 0;
};

// Opens the port and prepares TLS. Throws nothing: on failure returns null and says why in `error`.
std::unique_ptr<DataPlane> open_data_plane(const DataPlaneOptions&, FrameHandler&, std::string& error);

// One data plane per handler on one port, each for a thread (lcore) of its own. New connections are
// spread by the device or the kernel, and a connection never changes its lcore. All must have
// stopped before one of them is destroyed. Empty and `error` on failure.
std::vector<std::unique_ptr<DataPlane>> open_data_planes(const DataPlaneOptions&,
                                                         std::span<FrameHandler* const> handlers, std::string& error);

// Called with each log line of the libraries below a port (DPDK), on any thread of the process;
// must not call back. Empty (the default): standard error, after "dpdk: ". Any thread; once it
// returns the former one is not called any more.
using PortLog = std::function<void(std::string_view line)>;
void set_port_log(PortLog);

// A client and a server in one process over an in-process DPDK ring pair (rte_eth_from_rings):
// where network namespaces are not allowed. EAL starts once per process.
struct RingPair {
    std::unique_ptr<DataPlane> server;
    std::unique_ptr<DataPlane> client;
};
RingPair open_ring_pair(const DataPlaneOptions& server, FrameHandler& server_handler, const DataPlaneOptions& client,
                        FrameHandler& client_handler, std::string& error);

}  // namespace bayplan::dataplane
