// How decisions and their texts are put into batches; see unacknowledged_decisions.h.
//
// Thread: the teller's.
#include "teller/unacknowledged_decisions.h"

#include <algorithm>
#include <cstring>

namespace bayplan {

std::string_view UnacknowledgedDecisions::keep(std::string_view text) {
    if (text.empty()) {
        return {};
    }
    if (text.size() > text_left_) {
        // Small at first: a batch may be one decision, and a slow shim may have a great many of them.
        const std::size_t wanted =
            std::min(kTextBytesMax, kTextBytesMin << std::min<std::size_t>(2 * open_->text.size(), 32));
        text_left_ = std::max(wanted, text.size());
        open_->text.push_back(std::make_unique_for_overwrite<char[]>(text_left_));
        text_end_ = open_->text.back().get();
    }
    char* at = text_end_;
    std::memcpy(at, text.data(), text.size());
    text_end_ += text.size();
    text_left_ -= text.size();
    return {at, text.size()};
}

void UnacknowledgedDecisions::append(const Decision& decision) {
    if (open_->decisions.empty()) {
        open_->first_sequence = next_;
    }
    open_->decisions.push_back({decision.kind, decision.termination, decision.scale_up, decision.untried,
                                decision.needed, decision.violations, keep(decision.name), keep(decision.node),
                                keep(decision.text), keep(decision.devices), decision.query});
    if (open_->decisions.size() >= kBatchDecisions) {
        seal();
    }
    ++next_;
}

void UnacknowledgedDecisions::seal() {
    if (open_->decisions.empty()) {
        return;
    }
    const bool full = open_->decisions.size() == kBatchDecisions;
    batches_.push_back(std::move(open_));
    open_ = std::make_unique<DecisionBatch>();
    if (full) {
        open_->decisions.reserve(kBatchDecisions);  // the next will be, too
    }
    text_left_ = 0;
}

std::size_t UnacknowledgedDecisions::skip_of(const DecisionBatch& batch) const {
    return received_ < batch.first_sequence ? 0 : static_cast<std::size_t>(received_ + 1 - batch.first_sequence);
}

void UnacknowledgedDecisions::acknowledge(std::uint64_t up_to) {
    while (!batches_.empty() && batches_.front()->first_sequence + batches_.front()->decisions.size() <= up_to + 1) {
        batches_.pop_front();
        unsent_ -= unsent_ > 0 ? 1 : 0;
    }
}

void UnacknowledgedDecisions::send_again_after(std::uint64_t received) {
    received_ = received;
    unsent_ = 0;
    while (unsent_ < batches_.size() &&
           batches_[unsent_]->first_sequence + batches_[unsent_]->decisions.size() <= received + 1) {
        ++unsent_;
    }
}

void UnacknowledgedDecisions::clear() { *this = UnacknowledgedDecisions{}; }

}  // namespace bayplan
