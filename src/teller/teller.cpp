// What each record means; the offers to the sink.
//
// Thread: the teller's.
#include "teller/teller.h"

#include "base/check.h"

namespace bayplan {

void Teller::tell(const Record& record) {
    const RecordHead& head = record.head;
    switch (head.kind) {
        case RecordKind::skip: return;
        case RecordKind::flush: flush(); return;
        case RecordKind::hello_reply: reply_to_hello(record); return;
        case RecordKind::report: sink_.preemption(record.texts[0]); return;
        case RecordKind::add_shim: peers_.emplace_back().name = record.texts[0]; return;
        default: break;
    }
    Peer& peer = peers_[head.shim];
    switch (head.kind) {
        case RecordKind::connect: connect(record, peer); return;
        case RecordKind::disconnect: peer.connection = 0; return;
        case RecordKind::cut: cut(record, peer); return;
        case RecordKind::applied: peer.applied = head.numbers[0]; return;
        case RecordKind::decide: decide(record, peer); return;
        case RecordKind::acknowledge: peer.outbox.acknowledge(head.numbers[0]); return;
        case RecordKind::send_again_after: peer.outbox.send_again_after(head.numbers[0]); return;
        case RecordKind::forget_decisions: peer.outbox.clear(); return;
        case RecordKind::place: place(record, peer); return;
        default: tell_line(record); return;
    }
}

// --- the log

void Teller::place(const Record& record, Peer& peer) {
    const auto& [key, node, devices, none] = record.texts;
    log_.place(static_cast<std::int64_t>(record.head.numbers[0]), peer.name, key, node, devices);
    if (record.head.what != 0) {
        peer.outbox.append({.kind = DecisionKind::allocated,
                            .termination = Termination::unknown,
                            .name = key,
                            .node = node,
                            .text = {},
                            .devices = devices});
    }
}

void Teller::tell_line(const Record& record) {
    const auto& [key, node, first, second] = record.texts;
    const std::string_view shim = peers_[record.head.shim].name;
    const auto now_ns = static_cast<std::int64_t>(record.head.numbers[0]);
    switch (record.head.kind) {
        case RecordKind::fail: log_.fail(now_ns, shim, key, first); return;
        case RecordKind::wait: log_.wait(now_ns, shim, key, first); return;
        case RecordKind::nominate: log_.nominate(now_ns, shim, key, node, first, second); return;
        case RecordKind::clear: log_.clear(now_ns, shim, key, node, first); return;
        case RecordKind::release: log_.release(now_ns, shim, key, node, first); return;
        case RecordKind::reserve: log_.reserve(now_ns, shim, key, node, first, second); return;
        case RecordKind::unreserve: log_.unreserve(now_ns, shim, key, node, first); return;
        case RecordKind::query: log_.query(now_ns, shim, key, node, first); return;
        case RecordKind::query_victims: log_.query_victims(now_ns, shim, key, node, first, second); return;
        case RecordKind::deny: log_.deny(now_ns, shim, key, node, first); return;
        case RecordKind::give_back: log_.give_back(now_ns, shim, key, first); return;
        case RecordKind::permit: log_.permit(now_ns, shim, key, node, first); return;
        case RecordKind::reject: log_.reject(now_ns, shim, key, node, first); return;
        default: BP_CHECK(false);
    }
}

// --- decisions and connections

void Teller::decide(const Record& record, Peer& peer) {
    const auto& [name, node, text, devices] = record.texts;
    peer.outbox.append({.kind = static_cast<DecisionKind>(record.head.what),
                        .termination = static_cast<Termination>(record.head.termination),
                        .scale_up = (record.head.flags & kScaleUp) != 0,
                        .untried = (record.head.flags & kUntried) != 0,
                        .needed = static_cast<std::uint16_t>(record.head.numbers[1]),
                        .violations = static_cast<std::uint16_t>(record.head.numbers[2]),
                        .name = name,
                        .node = node,
                        .text = text,
                        .devices = devices,
                        .query = record.head.numbers[0]});
}

void Teller::reply_to_hello(const Record& record) {
    sink_.hello_reply(record.head.numbers[0], {.outcome = static_cast<HelloOutcome>(record.head.what),
                                               .daemon_instance = record.head.numbers[1],
                                               .state_applied = record.head.numbers[2],
                                               .credit_window = record.head.credit_window,
                                               .reason = record.texts[0]});
}

void Teller::connect(const Record& record, Peer& peer) {
    peer.connection = record.head.numbers[0];
    peer.applied = peer.told_applied = record.head.numbers[1];
}

void Teller::cut(const Record& record, Peer& peer) {
    sink_.cut(peer.connection, record.texts[0]);
    peer.connection = 0;
}

std::size_t Teller::send_to(Peer& to) {
    const std::size_t batches = to.outbox.send_to([&](const auto& batch, std::size_t skip) {
        const bool taken = sink_.decisions(to.connection, batch, skip, to.applied);
        to.told_applied = taken ? to.applied : to.told_applied;
        return taken;
    });
    if (to.told_applied != to.applied && sink_.state_applied(to.connection, to.applied)) {
        to.told_applied = to.applied;
    }
    return batches;
}

std::size_t Teller::flush() {
    std::size_t sent = 0;
    bool waits = false;
    for (Peer& to : peers_) {
        if (to.connection != 0) {
            sent += send_to(to);
            waits |= !to.outbox.all_sent() || to.told_applied != to.applied;
        }
    }
    waits_for_room_.store(waits, std::memory_order_relaxed);
    sink_.flushed();
    return sent;
}

}  // namespace bayplan
