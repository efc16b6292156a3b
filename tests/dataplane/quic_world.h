// Several data planes in one process over an in-memory network in virtual time: the whole stack but
// the sockets, with loss, duplication, reordering and corruption drawn from a seed.
//
// Thread: one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/data_plane.h"
#include "event_loop.h"
#include "net/packet_port.h"

namespace bayplan::dataplane::testing {

// Makes the certificates once per run (tests/support/make_certs); the directory goes with the
// process.
const std::string& certificates();
TlsFiles tls_of(std::string_view name);  // server, a shim's name, other-client, other-server
TlsFiles tls_without_certificate();

struct Weather {
    double loss = 0;
    double duplicate = 0;
    double corrupt = 0;
    std::uint64_t delay_ns = 20'000;
    std::uint64_t jitter_ns = 0;     // uniform on top of the delay: reorders
    std::size_t bytes_max = 65'507;  // of a datagram's payload: larger ones are swallowed
};

class Network {
public:
    explicit Network(std::uint64_t seed) : random_(seed) {}

    std::unique_ptr<PacketPort> attach(const UdpAddress&);
    // A port of several queues: senders are spread over them by their address, or all meet at the
    // first.
    PortSet attach_queues(const UdpAddress&, std::size_t count, bool one_receives);
    std::uint64_t now() const { return now_; }
    void advance(std::uint64_t ns) { now_ += ns; }
    // When the next packet arrives; UINT64_MAX: none is on its way.
    std::uint64_t next_arrival() const { return arrivals_.empty() ? UINT64_MAX : arrivals_.begin()->first; }
    // Puts a datagram of a test's own making on the wire.
    void inject(const UdpAddress& from, const UdpAddress& to, std::vector<std::uint8_t> bytes);
    // From now on the host behind `port` is seen at `seen_at`, and its old address is nobody's, as
    // when a NAT forgets or a machine gets another lease. The host itself does not notice.
    void move(const UdpAddress& port, const UdpAddress& seen_at) {
        for (Move& move : moved_) {
            if (move.seen_at == port) {
                move.seen_at = seen_at;  // moved again
                return;
            }
        }
        moved_.push_back({port, seen_at});
    }

    Weather weather;
    std::uint64_t carried = 0;
    std::uint64_t lost = 0;
    // If set, sees each datagram that a port sends (the Initial of a handshake, ...).
    std::function<void(const UdpAddress& from, const std::vector<std::uint8_t>&)> tap;
    std::function<void(const UdpAddress& to, const std::vector<std::uint8_t>&)> tap_to;

private:
    friend class FakePort;
    struct Datagram {
        UdpAddress from;
        UdpAddress to;
        std::vector<std::uint8_t> bytes;
    };
    struct Move {
        UdpAddress port;
        UdpAddress seen_at;
    };
    void carry(Datagram);
    bool chance(double probability);

    std::mt19937_64 random_;
    std::uint64_t now_ = 1'000'000'000;
    std::multimap<std::uint64_t, Datagram> arrivals_;
    std::vector<Move> moved_;
    std::vector<UdpAddress> attached_;  // to others nothing is carried
};

// Sends a numbered, checkable series of frames and checks what arrives.
class SeriesPeer final : public FrameHandler {
public:
    struct Series {
        std::uint64_t count = 0;
        std::size_t size_min = 200;
        std::size_t size_max = 200;
    };

    void on_open(DataPlane&, ConnectionId, const Peer&) override;
    bool on_frame(DataPlane&, ConnectionId, Stream, Frame&) override;
    void on_close(DataPlane&, ConnectionId, std::string_view why) override;
    void on_refused(std::string_view address, std::string_view why) override;
    std::size_t on_turn(DataPlane&) override;

    // Sends the series on the stream of the connection opened last.
    void send_series(Stream, Series);
    std::uint64_t sent(Stream stream) const { return outgoing_[static_cast<int>(stream)].next; }
    std::uint64_t received(Stream stream) const { return incoming_[static_cast<int>(stream)]; }
    bool all_sent() const;

    bool refuse_frames = false;
    std::uint64_t refusals = 0;
    std::uint64_t sends_refused = 0;
    std::vector<ConnectionId> open;
    std::vector<Peer> peers;
    std::vector<std::string> closed;
    std::vector<std::string> refused;
    std::vector<std::string> refused_addresses;  // of each of them
    std::string fault;                           // set when what arrived is not what was sent
    bool check_content = true;
    std::vector<std::vector<std::byte>> kept;  // frames that arrived when check_content is off

private:
    struct Outgoing {
        Series series;
        std::uint64_t next = 0;
        std::mt19937_64 sizes{7};
        std::vector<std::byte> pending;
    };
    Outgoing outgoing_[kStreamCount];
    std::uint64_t incoming_[kStreamCount] = {};
};

// The n-th frame of a series: its number, then bytes that follow from it.
std::vector<std::byte> numbered_frame(std::uint64_t number, std::size_t size);
// The number, or the reason why the bytes are not such a frame.
bool check_numbered(std::span<const std::byte> bytes, std::uint64_t expected, std::string& fault);

class World {
public:
    explicit World(std::uint64_t seed = 1);

    DataPlaneOptions options(bool server) const;
    // Opens the server at 10.0.0.1:4433, or a client at 10.0.0.2, 10.0.0.3, ...
    DataPlane& add(const DataPlaneOptions&, FrameHandler&);
    DataPlane& add_at(const UdpAddress&, const DataPlaneOptions&, FrameHandler&);
    ConnectionId connect(DataPlane& client) { return client.connect("10.0.0.1", 4433); }

    // Turns all planes, virtual time passing, until the condition holds; false when `limit_ns` of
    // virtual time went by first.
    bool run_until(const std::function<bool()>& condition, std::uint64_t limit_ns = 60'000'000'000);
    void run_for(std::uint64_t ns);
    // Removes a plane without a word to its peers: a crash.
    void crash(DataPlane&);
    // A server of as many lcores as handlers.
    std::vector<DataPlane*> add_lcores(const DataPlaneOptions&, std::vector<FrameHandler*>, bool one_receives);
    // Stops turning a plane (kill -STOP), or goes on with it.
    void pause(DataPlane& plane) { paused_ = &plane; }
    void resume() { paused_ = nullptr; }

    Network network;
    // Added to the planes' clock: what a clock that jumps shows them.
    std::int64_t clock_offset_ns = 0;
    SeriesPeer server_user;
    SeriesPeer client_user;

private:
    void step();
    std::vector<std::unique_ptr<DataPlane>> planes_;
    std::uint32_t next_host_ = 2;
    const DataPlane* paused_ = nullptr;
};

std::uint64_t counter(const DataPlane&, std::string_view name);

// First packets of clients that mean it, each with ids of its own; nobody waits for the answers.
std::vector<std::vector<std::uint8_t>> first_packets(std::size_t count);

}  // namespace bayplan::dataplane::testing
