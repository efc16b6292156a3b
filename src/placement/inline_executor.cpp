// Proposals on the engine thread itself, at submission: for determinism tests and one-core machines.

#include "placement/stage_executor.h"

namespace bayplan {

namespace {

class InlineExecutor final : public StageExecutor {
public:
    void start(Proposer& proposer) override { proposer_ = &proposer; }

    void submit(std::unique_ptr<ProposalBatch> batch) override {
        for (Proposal& proposal : batch->proposals) {
            proposer_->propose(proposal, 0);
        }
        done_.push_back(std::move(batch));
    }

    std::unique_ptr<ProposalBatch> poll() override {
        if (done_.empty()) {
            return nullptr;
        }
        auto batch = std::move(done_.front());
        done_.erase(done_.begin());
        return batch;
    }

    std::uint32_t under_way() const override { return static_cast<std::uint32_t>(done_.size()); }
    std::uint32_t worker_count() const override { return 1; }

private:
    Proposer* proposer_ = nullptr;
    ProposalBatches done_;  // a few, oldest first
};

}  // namespace

std::unique_ptr<StageExecutor> make_inline_executor() { return std::make_unique<InlineExecutor>(); }

}  // namespace bayplan
