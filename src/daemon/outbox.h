// From an engine to one connection: answers, in order, until the lcore has room to send them.
//
// Bounded: when it is full the engine keeps the rest and offers it again, so a shim that does not
// read costs a ring of pointers here and nothing to other shims.
//
// Thread: offer, cut: the engine's teller; take, drained, was_cut, was_refused: the lcore.
// Owner: shared by both sides, because either may be done with a connection first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/decision_sink.h"
#include "base/spsc_ring.h"
#include "bayplan/messages.h"

namespace bayplan::daemon {

struct HelloItem {
    HelloReply reply;  // `reason` points into the next member
    std::string reason;
};
struct DecisionsItem {
    std::shared_ptr<const DecisionBatch> batch;
    std::size_t skip = 0;
    std::uint64_t state_applied = 0;
    std::chrono::steady_clock::time_point since{};  // when it was put there
};
struct AppliedItem {
    std::uint64_t up_to = 0;
};
using OutboxItem = std::variant<std::monostate, HelloItem, DecisionsItem, AppliedItem>;

// Counts what is put into any outbox of an lcore, so that an lcore with nothing to send need not look into each.
//
// Thread: put: engines; seen: the lcore.
class OutputSignal {
public:
    void put() { puts_.fetch_add(1, std::memory_order_release); }
    // All frames put before this count was reached are visible in their outboxes.
    std::uint64_t seen() const { return puts_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> puts_{0};
};

class Outbox {
public:
    explicit Outbox(std::size_t items_max, std::shared_ptr<OutputSignal> signal = nullptr)
        : ring_(items_max), signal_(signal ? std::move(signal) : std::make_shared<OutputSignal>()) {}

    // False: full, and the lcore will tell the engine when it no longer is.
    bool offer(OutboxItem&& item) {
        if (ring_.push(std::move(item))) {
            signal_->put();
            return true;
        }
        refused_.store(true, std::memory_order_release);
        return false;
    }
    // Closes the connection once what can be sent has been sent. Not an item of the ring: a
    // connection is cut exactly when its ring does not move.
    void cut(std::string why) {
        why_ = std::move(why);
        cut_.store(true, std::memory_order_release);
        signal_->put();
    }

    bool take(OutboxItem& item) { return ring_.pop(item); }
    bool drained() { return ring_.empty(); }
    // The reason, or null.
    const std::string* was_cut() const { return cut_.load(std::memory_order_acquire) ? &why_ : nullptr; }
    // Whether an offer was refused since the last call. A refusal that crosses this call is seen at
    // the next one; the engine looks again by itself within milliseconds.
    bool was_refused() {
        return refused_.load(std::memory_order_relaxed) && refused_.exchange(false, std::memory_order_acq_rel);
    }

private:
    SpscRing<OutboxItem> ring_;
    const std::shared_ptr<OutputSignal> signal_;
    std::atomic<bool> refused_{false};
    std::atomic<bool> cut_{false};
    std::string why_;  // published by cut_
};

}  // namespace bayplan::daemon
