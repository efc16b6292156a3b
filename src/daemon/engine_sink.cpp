// Answers to outboxes.
//
// Thread: see the header.
#include "daemon/engine_sink.h"

#include <algorithm>
#include <chrono>

namespace bayplan::daemon {

void EngineSink::opened(ConnectionId connection, std::shared_ptr<Outbox> outbox, std::size_t lcore) {
    const std::lock_guard lock(mutex_);
    outboxes_[connection] = {std::move(outbox), std::uint64_t{1} << lcore};
}

void EngineSink::closed(ConnectionId connection) {
    const std::lock_guard lock(mutex_);
    outboxes_.erase(connection);
}

void EngineSink::hello_reply(ConnectionId connection, const HelloReply& reply) {
    HelloItem item{reply, std::string(reply.reason)};
    item.reply.reason = {};
    // The first item of a fresh outbox; were it refused, the shim would wait for ever: cut it.
    if (!offer(connection, std::move(item))) cut(connection, "no room for the answer to the hello");
}

bool EngineSink::decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                           std::uint64_t state_applied) {
    const std::size_t count = batch->decisions.size() - std::min(skip, batch->decisions.size());
    const auto now = std::chrono::steady_clock::now();
    if (!offer(connection, DecisionsItem{std::move(batch), skip, state_applied, now})) return false;
    if (flight_ != nullptr) flight_->note(instruments::FlightKind::decisions, connection, count);
    return true;
}

bool EngineSink::state_applied(ConnectionId connection, std::uint64_t up_to) {
    return offer(connection, AppliedItem{up_to});
}

void EngineSink::cut(ConnectionId connection, std::string_view why) {
    const std::lock_guard lock(mutex_);
    const auto found = outboxes_.find(connection);
    if (found == outboxes_.end()) return;
    found->second.outbox->cut(std::string(why));
    if (flight_ != nullptr) flight_->note(instruments::FlightKind::cut, connection);
    sent_ |= found->second.lcore_bit;
    outboxes_.erase(found);  // nothing more will be said to it
}

bool EngineSink::offer(ConnectionId connection, OutboxItem&& item) {
    const std::lock_guard lock(mutex_);
    const auto found = outboxes_.find(connection);
    const bool taken = found != outboxes_.end() && found->second.outbox->offer(std::move(item));
    if (taken) sent_ |= found->second.lcore_bit;
    return taken;
}

void EngineSink::flushed() {
    const std::uint64_t lcores = std::exchange(sent_, 0);
    if (lcores != 0 && wake_) wake_(lcores);
}

}  // namespace bayplan::daemon
