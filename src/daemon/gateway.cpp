// The gateway: what comes in, and the life of a connection. Admission is in gateway_hello.cpp, the
// way out in gateway_send.cpp.
//
// Thread: the lcore.
#include "daemon/gateway.h"

namespace bayplan::daemon {
namespace {

constexpr std::chrono::seconds kHelloWithin{10};

}  // namespace

Gateway::Gateway(const std::vector<config::PartitionConfig>& partitions, std::vector<Inbox*> inboxes,
                 const config::DataPlaneConfig& data_plane, Log& log, std::shared_ptr<ShimRegistry> registry,
                 std::size_t lcore)
    : partitions_(partitions),
      inboxes_(std::move(inboxes)),
      frame_bytes_max_(data_plane.transport.frame_bytes_max),
      outbox_batches_(data_plane.outbox_batches),
      connections_max_(data_plane.transport.connections_max),
      observers_max_(data_plane.observers_max),
      unadmitted_max_(data_plane.unadmitted_max),
      log_(log),
      registry_(registry ? std::move(registry) : std::make_shared<ShimRegistry>(lcore + 1)),
      lcore_(lcore),
      touched_(inboxes_.size(), false) {}

Gateway::~Gateway() = default;

void Gateway::on_open(dataplane::DataPlane& plane, ConnectionId id, const dataplane::Peer& peer) {
    make_room(plane, peer.common_name);
    Connection& connection = connections_[id];
    connection.peer = peer;
    close_by(connection, kHelloWithin);
    ++waiting_;
    counters_.connections.store(connections_.size(), std::memory_order_relaxed);
    log_.debug("connection opened", {{"connection", id}, {"shim", peer.common_name}, {"address", peer.address}});
}

bool Gateway::on_frame(dataplane::DataPlane& plane, ConnectionId id, dataplane::Stream stream,
                       dataplane::Frame& frame) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return true;  // closed in this very turn
    Connection& connection = found->second;
    if (connection.phase == Phase::refused || connection.phase == Phase::closing) return true;
    const bool control = stream == dataplane::Stream::control;
    if (!control && connection.phase == Phase::fresh) return false;  // waits for the hello
    if (input_stopped_.load(std::memory_order_acquire))
        return take_while_stopping(plane, id, connection, stream, frame);

    // Looked at before decoding, or a full inbox would cost a decode per turn.
    Inbox* const inbox = connection.phase == Phase::open ? inboxes_[connection.partition] : nullptr;
    if (inbox != nullptr && !inbox->has_room(frame.size(), *connection.share)) {
        count(counters_.pushed_back);
        return false;
    }
    auto decoded = inbox != nullptr ? inbox->spare() : std::make_unique<wire::DecodedFrame>();
    std::string error;
    const Clock::time_point began = Clock::now();
    const bool sound = decoded->decode(frame.bytes(), wire::Limits{}, error);
    stages_.decode.add(Clock::now() - began);
    if (!sound) {
        count(counters_.broken);
        close_broken(plane, id, connection, CloseCode::broken, error);
        return true;
    }
    const wire::Message& message = decoded->message();
    if (connection.phase == Phase::fresh) {
        if (const auto* hello = std::get_if<wire::Hello>(&message)) return take_hello(plane, id, connection, *hello);
        if (const auto* request = std::get_if<wire::CountersRequest>(&message))
            return take_counters_request(plane, id, connection, *request);
        close_broken(plane, id, connection, CloseCode::protocol, "the first message must be a hello");
        return true;
    }
    if (const auto* request = std::get_if<wire::CountersRequest>(&message); request && control)
        return take_counters_request(plane, id, connection, *request);
    if (connection.phase == Phase::observer) {
        close_broken(plane, id, connection, CloseCode::protocol, "an observer may ask for counters and nothing else");
        return true;
    }
    if (control && take_state_dump(id, message)) return true;
    const bool belongs = control ? std::holds_alternative<wire::AcknowledgeFrame>(message)
                                 : std::holds_alternative<wire::StateFrame>(message);
    if (!belongs) {
        close_broken(plane, id, connection, CloseCode::protocol, "a message that does not belong on its stream");
        return true;
    }
    return hand_over(id, connection, frame, std::move(decoded));
}

bool Gateway::hand_over(ConnectionId id, Connection& connection, dataplane::Frame& frame,
                        std::unique_ptr<wire::DecodedFrame> decoded) {
    if (const auto* acknowledge = std::get_if<wire::AcknowledgeFrame>(&decoded->message())) {
        connection.acknowledged = acknowledge->up_to;
    }
    // There is room: has_room was asked, and only this thread fills the inbox.
    inboxes_[connection.partition]->push(
        FrameItem{id, std::move(frame), std::move(decoded), Clock::now(), connection.share});
    touched_[connection.partition] = true;
    count(counters_.frames_in);
    return true;
}

// While decisions are still on their way out their acknowledgements are of interest: they tell that
// the shim has them. Engines no longer listen.
bool Gateway::take_while_stopping(dataplane::DataPlane& plane, ConnectionId id, Connection& connection,
                                  dataplane::Stream stream, dataplane::Frame& frame) {
    if (stream != dataplane::Stream::control) return false;
    wire::DecodedFrame decoded;
    std::string error;
    if (!decoded.decode(frame.bytes(), wire::Limits{}, error)) {
        count(counters_.broken);
        close_broken(plane, id, connection, CloseCode::broken, error);
    } else if (connection.phase == Phase::fresh) {
        // A refusal would be for good; a shim whose connection is closed tries again, and finds the
        // next daemon.
        close(plane, id, CloseCode::normal, "the daemon is stopping");
    } else if (const auto* acknowledge = std::get_if<wire::AcknowledgeFrame>(&decoded.message())) {
        connection.acknowledged = acknowledge->up_to;
    }
    return true;
}

void Gateway::on_close(dataplane::DataPlane&, ConnectionId id, std::string_view why) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const Connection connection = std::move(found->second);
    connections_.erase(found);
    counters_.connections.store(connections_.size(), std::memory_order_relaxed);
    if (connection.phase == Phase::fresh || connection.phase == Phase::refused) --waiting_;
    if (connection.sender) {  // its engine knows of it
        registry_->release(connection.partition, connection.peer.common_name, id);
        disconnects_.emplace_back(connection.partition, id);
        hand_over_disconnects();
    } else if (!closed_unadmitted_.is_first(connection.peer.address, why, Clock::now())) {
        return;
    }
    log_.info("connection closed", {{"connection", id},
                                    {"shim", connection.peer.common_name},
                                    {"address", connection.peer.address},
                                    {"reason", why}});
}

void Gateway::on_refused(std::string_view address, std::string_view why) {
    count(counters_.handshakes_refused);
    if (!handshakes_refused_.is_first(address, why, Clock::now())) return;
    log_.warning("handshake refused", {{"address", address}, {"reason", why}});
}

void Gateway::close_broken(dataplane::DataPlane& plane, ConnectionId id, Connection& connection, CloseCode code,
                           std::string_view what) {
    if (messages_refused_.is_first(connection.peer.address, what, Clock::now())) {
        log_.warning("message refused, closing the connection", {{"connection", id},
                                                                 {"shim", connection.peer.common_name},
                                                                 {"address", connection.peer.address},
                                                                 {"reason", what}});
    }
    close(plane, id, code, what);
}

// The data plane may report the close at once or later; the connection must not be used after this.
void Gateway::close(dataplane::DataPlane& plane, ConnectionId id, CloseCode code, std::string_view why) {
    Connection& connection = connections_.at(id);
    if (connection.phase == Phase::fresh || connection.phase == Phase::refused) --waiting_;
    connection.phase = Phase::closing;
    plane.close(id, static_cast<std::uint64_t>(code), why);
}

GatewayCounters& GatewayCounters::operator+=(const GatewayCounters& other) {
    connections += other.connections;
    hellos += other.hellos;
    hellos_refused += other.hellos_refused;
    handshakes_refused += other.handshakes_refused;
    broken += other.broken;
    frames_in += other.frames_in;
    frames_out += other.frames_out;
    pushed_back += other.pushed_back;
    cuts += other.cuts;
    displaced += other.displaced;
    return *this;
}

GatewayCounters Gateway::counters() const {
    const auto read = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
    return {read(counters_.connections),        read(counters_.hellos),      read(counters_.hellos_refused),
            read(counters_.handshakes_refused), read(counters_.broken),      read(counters_.frames_in),
            read(counters_.frames_out),         read(counters_.pushed_back), read(counters_.cuts),
            read(counters_.displaced)};
}

}  // namespace bayplan::daemon
