// Admission: who may speak to which engine.
//
// Thread: the lcore.
#include "daemon/gateway.h"

#include <algorithm>

namespace bayplan::daemon {
namespace {

// A refused shim reads why and closes; its connection is closed after this time if it does not.
constexpr std::chrono::seconds kRefusedStaysFor{2};

}  // namespace

bool Gateway::take_hello(dataplane::DataPlane& plane, ConnectionId id, Connection& connection,
                         const wire::Hello& hello) {
    std::size_t partition = 0;
    const std::string why = refusal(connection, hello, partition);
    if (!why.empty()) {
        refuse(plane, id, connection, why);
        return true;
    }
    if (const std::string full = lack_of_room(connection, partition); !full.empty()) {
        close(plane, id, CloseCode::normal, full);  // a refusal would be for good
        return true;
    }
    Inbox& inbox = *inboxes_[partition];
    if (!inbox.has_room()) {
        count(counters_.pushed_back);
        return false;
    }
    if (!registry_->claim(partition, connection.peer.common_name, lcore_, id, hello.shim_instance, Clock::now())) {
        refuse(plane, id, connection, "another process of the same name took its place and is there");
        return true;
    }
    const bool second = registry_->note_build(partition, connection.peer.common_name, hello.build);
    auto outbox = std::make_shared<Outbox>(outbox_batches_, output_);
    connection.partition = partition;
    connection.phase = Phase::open;
    const wire::Agreed agreed = wire::agree(hello.protocol_min, hello.protocol_max, hello.features & features());
    connection.sender = std::make_unique<OutboxSender>(outbox, frame_bytes_max_, agreed);
    inform(id, connection, agreed.features);
    connection.sender->time_in(stages_.outbox);
    --waiting_;
    close_replaced(plane);
    inbox.push(ConnectItem{id, connection.peer.common_name, hello.shim_instance, hello.daemon_instance,
                           hello.decisions_received, std::string(hello.plugins),
                           (hello.features & wire::kFeatureGiveBack) != 0,
                           (hello.features & wire::kFeatureVictims) != 0, std::move(outbox), lcore_});
    touched_[partition] = true;
    count(counters_.hellos);
    log_.info("shim connected", {{"connection", id},
                                 {"shim", connection.peer.common_name},
                                 {"address", connection.peer.address},
                                 {"partition", hello.partition},
                                 {"version", hello.version}});
    if (second && partitions_[partition].engine.shim_rights.empty()) {
        log_.warning("a second shim of the partition has all rights over the first",
                     {{"shim", connection.peer.common_name},
                      {"partition", hello.partition},
                      {"hint", "set shim_rights, or give each its own entry of shims"}});
    }
    return true;
}

void Gateway::inform_by(ShimServices& services) {
    services_ = &services;
    services.states.on_question([output = output_] { output->put(); });
    services.configuration.on_change([output = output_] { output->put(); });
}

// That this daemon has.
std::uint64_t Gateway::features() const {
    return (wire::kFeatures & ~wire::kFeaturesOfInformation) | (services_ == nullptr ? 0 : services_->features());
}

void Gateway::inform(ConnectionId id, Connection& connection, std::uint64_t features) {
    if ((features & wire::kFeaturesOfInformation) == 0) return;
    connection.sender->inform_by(std::make_unique<InformationSender>(
        *services_, features, connection.partition, id, connection.peer.common_name, output_, frame_bytes_max_));
}

bool Gateway::take_state_dump(ConnectionId id, const wire::Message& message) {
    const auto* dump = std::get_if<wire::StateDumpFrame>(&message);
    if (dump == nullptr || services_ == nullptr) return false;
    services_->states.told(id, dump->token, dump->text);
    return true;
}

std::string Gateway::refusal(const Connection& connection, const wire::Hello& hello, std::size_t& partition) const {
    if (wire::agree(hello.protocol_min, hello.protocol_max, 0).protocol == 0) {
        return fmt::format("no common protocol: this daemon speaks {} to {}, the shim {} to {}", wire::kProtocolMin,
                           wire::kProtocolMax, hello.protocol_min, hello.protocol_max);
    }
    const auto found = std::find_if(partitions_.begin(), partitions_.end(),
                                    [&](const config::PartitionConfig& each) { return each.name == hello.partition; });
    if (found == partitions_.end()) return fmt::format("there is no partition '{}'", hello.partition);
    if (!found->allows(connection.peer.common_name)) {
        return fmt::format("'{}' may not use partition '{}'", connection.peer.common_name, hello.partition);
    }
    partition = static_cast<std::size_t>(found - partitions_.begin());
    return {};
}

void Gateway::refuse(dataplane::DataPlane& plane, ConnectionId id, Connection& connection, const std::string& why) {
    count(counters_.hellos_refused);
    if (flight_ != nullptr) flight_->note(instruments::FlightKind::refused, id);
    if (shims_refused_.is_first(connection.peer.address, why, Clock::now())) {
        log_.warning("shim refused", {{"connection", id},
                                      {"shim", connection.peer.common_name},
                                      {"address", connection.peer.address},
                                      {"reason", why}});
    }
    HelloReply reply;
    reply.outcome = HelloOutcome::refused;
    reply.reason = why;
    // Closing at once would lose the reply, which says what closing cannot.
    connection.phase = Phase::refused;
    close_by(connection, kRefusedStaysFor);
    if (!plane.send(id, dataplane::Stream::control, encoder_.encode(reply))) close(plane, id, CloseCode::refused, why);
}

// One connection per shim and partition: a shim that reconnects has given the older one up, also
// when the network has not told us yet.
void Gateway::close_replaced(dataplane::DataPlane& plane) {
    for (const ConnectionId id : registry_->take_replaced(lcore_)) {
        const auto found = connections_.find(id);
        if (found == connections_.end() || found->second.phase != Phase::open) continue;
        close(plane, id, CloseCode::replaced, "a newer connection of the same shim took its place");
    }
}

}  // namespace bayplan::daemon
