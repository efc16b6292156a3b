// Once per turn of the data plane's loop: the way out, wake-ups, deadlines.
//
// Thread: the lcore.
#include "daemon/gateway.h"

#include <algorithm>

namespace bayplan::daemon {
namespace {

// Per connection and turn: a busy connection gives way to the others after so much.
constexpr std::size_t kFramesPerTurn = 4;

}  // namespace

std::size_t Gateway::on_turn(dataplane::DataPlane& plane) {
    heartbeat_.beat();
    std::size_t done = hand_over_disconnects();
    close_replaced(plane);
    sum_up_log_lines();
    done += send_outboxes(plane);
    if (waiting_ > 0) close_late(plane);
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        if (!touched_[i]) continue;
        touched_[i] = false;
        inboxes_[i]->waker.notify();
    }
    return done;
}

void Gateway::sum_up_log_lines() {
    for (StrangerLog* each : {&handshakes_refused_, &shims_refused_, &messages_refused_, &closed_unadmitted_}) {
        if (each->counts()) each->look(Clock::now());
    }
}

std::size_t Gateway::send_outboxes(dataplane::DataPlane& plane) {
    // Read before the outboxes: what engines put there before saying so is then seen.
    const bool output_ends = output_ends_.load(std::memory_order_acquire);
    const std::uint64_t put = output_->seen();
    // Loops turn far more often than engines decide: a look at each connection's outbox every time
    // was half of a turn with 64 of them.
    if (put == output_looked_at_ && !output_left_ && !output_ends) return 0;
    output_looked_at_ = put;
    output_left_ = false;
    bool all_done = true;
    std::size_t done = 0;
    for (auto& [id, connection] : connections_) {
        if (connection.phase != Phase::open) continue;
        OutboxSender& sender = *connection.sender;
        const std::string* cut = sender.outbox().was_cut();
        const std::size_t sent = sender.drain(plane, id, encoder_, kFramesPerTurn);
        done += sent;
        if (sent > 0) counters_.frames_out.fetch_add(sent, std::memory_order_relaxed);
        if (sent > 0 && sender.outbox().was_refused()) touched_[connection.partition] = true;
        if (cut != nullptr && sent == 0) to_cut_.emplace_back(id, *cut);
        if (!sender.idle() || sender.has_news() || (cut != nullptr && sent > 0)) output_left_ = true;
        if (!sender.idle() || connection.acknowledged < sender.last_sent()) all_done = false;
    }
    for (const auto& [id, why] : to_cut_) {
        const Connection& connection = connections_.at(id);
        count(counters_.cuts);
        log_.warning("connection cut", {{"connection", id},
                                        {"shim", connection.peer.common_name},
                                        {"address", connection.peer.address},
                                        {"reason", why}});
        close(plane, id, CloseCode::cut, why);
    }
    to_cut_.clear();
    if (output_ends && all_done) output_done_.store(true, std::memory_order_release);
    return done;
}

void Gateway::close_by(Connection& connection, Clock::duration within) {
    connection.deadline = Clock::now() + within;
    no_deadline_before_ = std::min(no_deadline_before_, connection.deadline);
}

void Gateway::close_late(dataplane::DataPlane& plane) {
    const Clock::time_point now = Clock::now();
    if (now < no_deadline_before_) return;
    no_deadline_before_ = Clock::time_point::max();
    std::vector<ConnectionId> late;
    for (const auto& [id, connection] : connections_) {
        if (connection.phase != Phase::fresh && connection.phase != Phase::refused) continue;
        if (now >= connection.deadline) {
            late.push_back(id);
        } else {
            no_deadline_before_ = std::min(no_deadline_before_, connection.deadline);
        }
    }
    for (const ConnectionId id : late) {
        const bool refused = connections_.at(id).phase == Phase::refused;
        close(plane, id, CloseCode::refused, refused ? "refused" : "no hello came");
    }
}

std::size_t Gateway::hand_over_disconnects() {
    std::size_t done = 0;
    for (auto& [partition, id] : disconnects_) {
        if (!inboxes_[partition]->push(DisconnectItem{id})) break;
        touched_[partition] = true;
        ++done;
    }
    disconnects_.erase(disconnects_.begin(), disconnects_.begin() + static_cast<std::ptrdiff_t>(done));
    return done;
}

}  // namespace bayplan::daemon
