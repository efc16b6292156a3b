// A shim that says exactly what a test tells it to, right or wrong, over real QUIC on loopback.
//
// Thread: the test's, which turns it. Owner: the test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bayplan/messages.h"
#include "dataplane/data_plane.h"
#include "wire/codec.h"

namespace bayplan::testing {

struct SeenDecision {
    std::uint64_t sequence = 0;
    DecisionKind kind = DecisionKind::allocated;
    std::string name;
    std::string node;
    std::string text;
};

class RawShim final : public dataplane::FrameHandler {
public:
    RawShim(const std::string& certificate_name, std::uint16_t udp_port);

    void turn() { plane_->turn(); }
    bool send(dataplane::Stream, const wire::Message&);
    bool send_bytes(dataplane::Stream, std::span<const std::byte>);
    bool hello(const std::string& partition);
    bool state(std::uint64_t sequence, StateBody);
    bool acknowledge(std::uint64_t up_to);
    void hang_up();
    // While false the decisions stream is not read, and flow control stops the daemon.
    void set_reading(bool reading) { reading_ = reading; }

    bool open = false;
    bool closed = false;
    std::string why_closed;
    std::vector<HelloOutcome> replies;
    std::string refusal;
    std::vector<SeenDecision> decisions;
    std::size_t decision_frames = 0;
    std::size_t largest_frame = 0;
    std::uint64_t state_applied = 0;
    std::map<std::string, std::uint64_t> counters;  // as told last

    void on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) override;
    bool on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, ConnectionId, std::string_view why) override;
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(dataplane::DataPlane&) override { return 0; }

private:
    std::unique_ptr<dataplane::DataPlane> plane_;
    ConnectionId connection_ = 0;
    bool reading_ = true;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
};

}  // namespace bayplan::testing
