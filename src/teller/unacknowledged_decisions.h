// The numbered decisions of one shim that it has not acknowledged, in batches that are sent, and sent
// again after a reconnect, without being copied. Numbers of them that decide are the engine's
// (shims/decision_ledger.h).
//
// Thread: the teller's. Batches are shared with the data plane once sealed; they do not change then.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/decision_sink.h"
#include "bayplan/messages.h"

namespace bayplan {

class UnacknowledgedDecisions {
public:
    // Copies the texts.
    void append(const Decision&);
    // Decisions up to this one are done with: their batches are let go.
    void acknowledge(std::uint64_t up_to);
    void clear();  // forgets everything; numbering starts at 1 again

    // Sending. `send(batch, skip)` is offered sealed batches in order until it returns false. Returns how many it took.
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
    bool all_sent() const { return unsent_ == batches_.size() && open_->decisions.empty(); }
    // After a reconnect: everything after this number goes out again.
    void send_again_after(std::uint64_t received);

private:
    static constexpr std::size_t kBatchDecisions = 1024;
    static constexpr std::size_t kTextBytesMin = 256;        // first piece of a batch's text; each is 4 times
    static constexpr std::size_t kTextBytesMax = 16 * 1024;  // as large as the one before, up to this

    std::string_view keep(std::string_view);
    void seal();
    std::size_t skip_of(const DecisionBatch& batch) const;

    std::uint64_t next_ = 1;
    std::uint64_t received_ = 0;  // last number that the shim said it has, at the last reconnect
    std::deque<std::shared_ptr<const DecisionBatch>> batches_;
    std::size_t unsent_ = 0;  // index into batches_
    std::unique_ptr<DecisionBatch> open_ = std::make_unique<DecisionBatch>();
    char* text_end_ = nullptr;  // room in the newest piece of open_->text
    std::size_t text_left_ = 0;
};

}  // namespace bayplan
