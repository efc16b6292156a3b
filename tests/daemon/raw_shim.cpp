// See raw_shim.h.
#include "raw_shim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "certificates.h"

namespace bayplan::testing {

RawShim::RawShim(const std::string& certificate_name, std::uint16_t udp_port) {
    dataplane::DataPlaneOptions options;
    options.server = false;
    options.kernel.address = "127.0.0.1";
    options.transport.tls = tls_of(certificate_name);
    // Small, so that a shim which does not read stops the daemon after little.
    options.transport.receive_window_bytes = 256u << 10;
    options.transport.frame_bytes_max = 128u << 10;
    std::string error;
    plane_ = dataplane::open_data_plane(options, *this, error);
    if (!plane_) {
        ADD_FAILURE() << error;
        return;
    }
    connection_ = plane_->connect("127.0.0.1", udp_port);
}

bool RawShim::send(dataplane::Stream stream, const wire::Message& message) {
    return send_bytes(stream, encoder_.encode(message));
}

bool RawShim::send_bytes(dataplane::Stream stream, std::span<const std::byte> bytes) {
    return plane_->send(connection_, stream, bytes);
}

bool RawShim::hello(const std::string& partition) {
    wire::Hello hello;
    hello.partition = partition;
    hello.shim_instance = 7;
    hello.version = "raw";
    return send(dataplane::Stream::control, hello);
}

bool RawShim::state(std::uint64_t sequence, StateBody body) {
    return send(dataplane::Stream::state, wire::StateFrame{sequence, std::move(body)});
}

bool RawShim::acknowledge(std::uint64_t up_to) {
    return send(dataplane::Stream::control, wire::AcknowledgeFrame{up_to});
}

void RawShim::hang_up() { plane_->close(connection_, 0, "the test hangs up"); }

void RawShim::on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) { open = true; }

bool RawShim::on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream stream, dataplane::Frame& frame) {
    if (stream == dataplane::Stream::decisions && !reading_) return false;
    std::string error;
    EXPECT_TRUE(decoded_.decode(frame.bytes(), wire::Limits{}, error)) << error;
    const wire::Message& message = decoded_.message();
    if (const auto* reply = std::get_if<wire::HelloReplyFrame>(&message)) {
        replies.push_back(reply->outcome);
        refusal = reply->reason;
    } else if (const auto* got = std::get_if<wire::DecisionsFrame>(&message)) {
        ++decision_frames;
        largest_frame = std::max(largest_frame, frame.size());
        state_applied = got->state_applied;
        std::uint64_t sequence = got->first_sequence;
        for (const Decision& each : got->decisions) {
            decisions.push_back(
                {sequence++, each.kind, std::string(each.name), std::string(each.node), std::string(each.text)});
        }
    } else if (const auto* applied = std::get_if<wire::StateAppliedFrame>(&message)) {
        state_applied = applied->up_to;
    } else if (const auto* told = std::get_if<wire::CountersFrame>(&message)) {
        counters.clear();
        for (const wire::NamedCounter& each : told->counters) counters.emplace(each.name, each.value);
    }
    return true;
}

void RawShim::on_close(dataplane::DataPlane&, ConnectionId, std::string_view why) {
    closed = true;
    why_closed = why;
}

}  // namespace bayplan::testing
