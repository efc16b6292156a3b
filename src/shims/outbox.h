// The numbered decisions of one shim that it has not acknowledged, in batches that are sent, and sent
// again after a reconnect, without being copied.
//
// Thread: the engine's. Batches are shared with the data plane once sealed; they do not change then.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bayplan/records.h"
#include "engine/decision_sink.h"

namespace bayplan {

class Outbox {
public:
    // Returns the decision's number.
    std::uint64_t append(DecisionKind, Termination, std::string_view name, std::string_view node,
                         std::string_view text, AskHandle, bool scale_up = false, std::string_view devices = {});

    std::uint64_t last() const { return next_ - 1; }          // number of the newest decision; 0 = none
    std::uint64_t acknowledged() const { return acknowledged_; }
    std::uint64_t unacknowledged() const { return last() - acknowledged_; }
    std::uint64_t debt() const { return debt_; }  // of kind allocated and released

    // Decisions up to this one are done with. Calls done(number, handle) for each of kind allocated.
    template <typename Done>
    void acknowledge(std::uint64_t up_to, Done&& done) {
        while (acknowledged_ < up_to) {
            const Entry& entry = entries_.front();
            ++acknowledged_;
            debt_ -= entry.spends ? 1 : 0;
            if (entry.ask.id != kNone<AskId>) {
                done(acknowledged_, entry.ask);
            }
            entries_.pop_front();
        }
        drop_acknowledged_batches();
    }

    void clear();  // forgets everything; numbering starts at 1 again

    // Sending. `send(batch, skip)` is offered sealed batches in order until it returns false.
    template <typename Send>
    std::size_t send_to(Send&& send) {
        seal();
        std::size_t sent = 0;
        while (unsent_ < batches_.size() && send(batches_[unsent_], skip_of(*batches_[unsent_]))) {
            ++unsent_;
            ++sent;
        }
        return sent;
    }
    // After a reconnect: everything after this number goes out again.
    void send_again_after(std::uint64_t received);

private:
    static constexpr std::size_t kBatchDecisions = 1024;
    static constexpr std::size_t kTextBytesMin = 256;  // first piece of a batch's text; each is 4 times
    static constexpr std::size_t kTextBytesMax = 16 * 1024;  // as large as the one before, up to this

    struct Entry {
        AskHandle ask;
        bool spends = false;
    };

    std::string_view keep(std::string_view);
    void seal();
    void drop_acknowledged_batches();
    std::size_t skip_of(const DecisionBatch& batch) const;

    std::uint64_t next_ = 1;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t received_ = 0;  // what the shim said it has, at the last reconnect
    std::uint64_t debt_ = 0;
    std::deque<Entry> entries_;  // one per unacknowledged decision
    std::deque<std::shared_ptr<const DecisionBatch>> batches_;
    std::size_t unsent_ = 0;     // index into batches_
    std::unique_ptr<DecisionBatch> open_ = std::make_unique<DecisionBatch>();
    char* text_end_ = nullptr;  // room in the newest piece of open_->text
    std::size_t text_left_ = 0;
};

}  // namespace bayplan
