// A shim that says what a history tells it to, right or wrong, over QUIC on loopback to a daemon that runs.
//
// Thread: the player's, which turns it. Owner: the player. Errors: std::runtime_error when no port opens; a
// connection that breaks is seen in `closed`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bayplan/messages.h"
#include "dataplane/data_plane.h"
#include "wire/codec.h"

namespace bayplan::recordings {

struct Daemon {
    std::uint16_t udp_port = 0;
    std::string certificates;  // folder, made by tests/support/make_certs
};

class LiveShim final : public dataplane::FrameHandler {
public:
    LiveShim(const std::string& name, const Daemon&);

    void turn() { plane_->turn(); }
    void hello(std::uint64_t instance, std::uint64_t daemon_instance, std::uint64_t decisions_received);
    void state(std::uint64_t sequence, const StateBody&);
    void acknowledge(std::uint64_t up_to);
    void hang_up();
    // While false the decisions are not read, and flow control stops the daemon.
    void set_reading(bool reading) { reading_ = reading; }

    bool open = false;
    bool closed = false;
    bool greeted = false;
    HelloReply reply;  // without its texts
    std::uint64_t state_applied = 0;
    std::uint64_t decisions_received = 0;
    std::uint64_t acknowledged = 0;

    void on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) override { open = true; }
    bool on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, ConnectionId, std::string_view) override { closed = true; }
    void on_refused(std::string_view, std::string_view) override { closed = true; }
    std::size_t on_turn(dataplane::DataPlane&) override { return 0; }

private:
    void send(dataplane::Stream, const wire::Message&);

    std::unique_ptr<dataplane::DataPlane> plane_;
    ConnectionId connection_ = 0;
    bool reading_ = true;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
};

}  // namespace bayplan::recordings
