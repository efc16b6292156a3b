// Races that ThreadSanitizer sees in proposals that run in TBB: a race in one is reported, though TBB is not built for that
// sanitizer and its own accesses are suppressed; use of a worker's or a batch's own memory is none. In other builds proposals
// merely run.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "placement/stage_executor.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kWorkers = 2;
constexpr std::size_t kProposals = 8;

std::unique_ptr<ProposalBatch> batch_of(std::uint64_t number) {
    auto batch = std::make_unique<ProposalBatch>();
    batch->number = number;
    batch->proposals.resize(kProposals);
    return batch;
}

// Null: none came for so long that none ever will.
std::unique_ptr<ProposalBatch> wait_for_batch(StageExecutor& executor) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
        if (auto batch = executor.poll()) return batch;
        std::this_thread::yield();
    }
    return nullptr;
}

// Each proposal writes to itself, and to what its worker has for itself.
class Careful final : public Proposer {
public:
    explicit Careful(std::uint32_t workers) : of_worker_(workers) {}

    void propose(Proposal& proposal, std::uint32_t worker) noexcept override {
        proposal.looks += ++of_worker_[worker].calls > 0 ? 1 : 0;
    }
    std::uint64_t calls() const {
        std::uint64_t all = 0;
        for (const Scratch& scratch : of_worker_) all += scratch.calls;
        return all;
    }

private:
    struct alignas(64) Scratch {
        std::uint64_t calls = 0;
    };
    std::vector<Scratch> of_worker_;
};

TEST(Pipeline, what_belongs_to_a_worker_or_a_batch_is_handed_on_without_a_race) {
    constexpr std::uint64_t kBatches = 300;
    const auto executor = make_tbb_executor(kWorkers, {});
    Careful proposer(executor->worker_count());
    executor->start(proposer);
    for (std::uint64_t number = 1; number <= kBatches; ++number) {
        executor->submit(batch_of(number));
        const auto batch = wait_for_batch(*executor);
        ASSERT_NE(batch, nullptr);
        for (const Proposal& proposal : batch->proposals) ASSERT_EQ(proposal.looks, 1u);
    }
    EXPECT_EQ(proposer.calls(), kBatches * kProposals);
}

#ifdef __SANITIZE_THREAD__

constexpr int kExitOfRace = 66;  // ThreadSanitizer's

// Two proposals at a time write to one variable. Relaxed counts bring two workers together without an edge between them.
class Careless final : public Proposer {
public:
    void propose(Proposal&, std::uint32_t) noexcept override {
        inside_.fetch_add(1, std::memory_order_relaxed);
        while (inside_.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
        ++shared_;
    }
    std::uint64_t shared() const { return shared_; }

private:
    std::atomic<std::uint32_t> inside_{0};
    std::uint64_t shared_ = 0;
};

void run_careless() {
    {
        const auto executor = make_tbb_executor(kWorkers, {});
        Careless proposer;
        executor->start(proposer);
        executor->submit(batch_of(1));
        ASSERT_NE(wait_for_batch(*executor), nullptr);
    }
    std::exit(0);
}

TEST(Pipeline, a_race_of_two_proposals_is_reported_though_they_run_in_tbb) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(run_careless(), ::testing::ExitedWithCode(kExitOfRace), "data race");
}

#endif

}  // namespace
}  // namespace bayplan
