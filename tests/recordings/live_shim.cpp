// See live_shim.h.
#include "live_shim.h"

#include <stdexcept>

namespace bayplan::recordings {

LiveShim::LiveShim(const std::string& name, const Daemon& daemon) {
    const std::string stem = daemon.certificates + "/" + name;
    dataplane::DataPlaneOptions options;
    options.server = false;
    options.kernel.address = "127.0.0.1";
    options.transport.tls = {stem + ".pem", stem + ".key", daemon.certificates + "/ca.pem"};
    std::string error;
    plane_ = dataplane::open_data_plane(options, *this, error);
    if (plane_ == nullptr) {
        throw std::runtime_error(error);
    }
    connection_ = plane_->connect("127.0.0.1", daemon.udp_port);
}

void LiveShim::send(dataplane::Stream stream, const wire::Message& message) {
    plane_->send(connection_, stream, encoder_.encode(message));
}

void LiveShim::hello(std::uint64_t instance, std::uint64_t daemon_instance, std::uint64_t decisions_received_before) {
    wire::Hello hello;
    hello.features = wire::kFeatures & ~(wire::kFeatureVictims | wire::kFeaturesOfInformation);
    hello.partition = "default";
    hello.shim_instance = instance;
    hello.daemon_instance = daemon_instance;
    hello.decisions_received = decisions_received_before;
    hello.version = "recording";
    decisions_received = acknowledged = decisions_received_before;
    send(dataplane::Stream::control, hello);
}

void LiveShim::state(std::uint64_t sequence, const StateBody& body) {
    send(dataplane::Stream::state, wire::StateFrame{sequence, body});
}

void LiveShim::acknowledge(std::uint64_t up_to) {
    acknowledged = up_to;
    send(dataplane::Stream::control, wire::AcknowledgeFrame{up_to});
}

void LiveShim::hang_up() { plane_->close(connection_, 0, "the history says so"); }

bool LiveShim::on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream stream, dataplane::Frame& frame) {
    if (stream == dataplane::Stream::decisions && !reading_) {
        return false;
    }
    std::string error;
    if (!decoded_.decode(frame.bytes(), wire::Limits{}, error)) {
        throw std::runtime_error(error);
    }
    const wire::Message& message = decoded_.message();
    if (const auto* answer = std::get_if<wire::HelloReplyFrame>(&message)) {
        greeted = true;
        reply = *answer;
        reply.reason = {};
        state_applied = answer->state_applied;
        if (answer->outcome == HelloOutcome::resync) {
            decisions_received = acknowledged = 0;
        }
    } else if (const auto* told = std::get_if<wire::DecisionsFrame>(&message)) {
        decisions_received = told->first_sequence + told->decisions.size() - 1;
        state_applied = told->state_applied;
    } else if (const auto* applied = std::get_if<wire::StateAppliedFrame>(&message)) {
        state_applied = applied->up_to;
    }
    return true;
}

}  // namespace bayplan::recordings
