// A daemon that says what a test tells it to, over real QUIC on loopback: it decodes what the
// client sends with the real codec, resolves the dictionary as the engine would, and keeps all of
// it as text.
//
// Thread: the test's, which turns it. Owner: the test.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bayplan/messages.h"
#include "dataplane/data_plane.h"
#include "wire/codec.h"

namespace bayplan::testing {

// The fields of a hello, with texts owned.
struct SeenHello {
    std::string partition;
    std::uint64_t shim_instance = 0;
    std::uint64_t daemon_instance = 0;
    std::uint64_t decisions_received = 0;
    std::uint64_t features = 0;
};

class ScriptedDaemon final : public dataplane::FrameHandler {
public:
    ScriptedDaemon();

    std::uint16_t udp_port() const { return plane_->udp_port(); }
    void turn() { plane_->turn(); }

    // Called for each hello, unless empty; the test answers with reply().
    std::function<void(const SeenHello&)> when_greeted;

    void reply(HelloReply);
    // False: the stream has no room now.
    bool decide(std::uint64_t first_sequence, std::uint64_t state_applied, const std::vector<Decision>&);
    bool applied(std::uint64_t up_to);
    void hang_up(std::uint64_t code = 0);
    // State frames stay unread while false.
    void set_reading(bool reading) { reading_ = reading; }

    // Seen so far. State messages as `SEQUENCE what`, with names, not ids.
    std::vector<SeenHello> hellos;
    std::vector<std::string> state;
    std::vector<std::uint64_t> acknowledged;
    std::vector<std::string> faults;  // unknown ids, broken frames: a test expects none
    std::uint64_t last_sequence = 0;
    std::size_t closed = 0;

    void on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) override;
    bool on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, ConnectionId, std::string_view why) override;
    void on_refused(std::string_view address, std::string_view why) override;
    std::size_t on_turn(dataplane::DataPlane&) override { return 0; }

private:
    void take_state(const wire::StateFrame&);
    std::string describe(const StateBody&);
    std::string describe(const AskItem&);
    std::string describe(const NodeItem&);
    template <typename Record>
    std::string texts(const Record&);
    std::string text(DictId);

    std::unique_ptr<dataplane::DataPlane> plane_;
    ConnectionId connection_ = 0;
    bool reading_ = true;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
    std::map<DictId, std::string> dictionary_;
};

}  // namespace bayplan::testing
