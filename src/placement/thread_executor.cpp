// Proposals on a fixed set of std::threads: everything between them is visible to ThreadSanitizer.
//
// A worker takes one proposal at a time from the oldest batch that has any left. A batch is done when
// its last proposal is; the engine polls the oldest.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "placement/stage_executor.h"

namespace bayplan {

namespace {

class ThreadExecutor final : public StageExecutor {
public:
    ThreadExecutor(std::uint32_t workers, WorkerStart worker_start)
        : workers_(workers), worker_start_(std::move(worker_start)) {}

    ~ThreadExecutor() override {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        work_came_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    void start(Proposer& proposer) override {
        proposer_ = &proposer;
        for (std::uint32_t worker = 0; worker < workers_; ++worker) {
            threads_.emplace_back([this, worker] { run(worker); });
        }
    }

    void submit(std::unique_ptr<ProposalBatch> batch) override {
        {
            const std::lock_guard lock(mutex_);
            if (spare_.empty()) {
                spare_.push_back(std::make_unique<Job>());
            }
            jobs_.push_back(std::move(spare_.back()));
            spare_.pop_back();
            jobs_.back()->begin(std::move(batch));
        }
        work_came_.notify_all();
        ++under_way_;
    }

    std::unique_ptr<ProposalBatch> poll() override {
        const std::lock_guard lock(mutex_);
        if (jobs_.empty() || jobs_.front()->left != 0) {
            return nullptr;
        }
        auto batch = std::move(jobs_.front()->batch);
        spare_.push_back(std::move(jobs_.front()));
        jobs_.erase(jobs_.begin());
        --under_way_;
        return batch;
    }

    std::uint32_t under_way() const override { return under_way_; }
    std::uint32_t worker_count() const override { return workers_; }

private:
    // Guarded by mutex_, but for the proposals themselves: each belongs to the worker that took it.
    struct Job {
        void begin(std::unique_ptr<ProposalBatch> taken) {
            batch = std::move(taken);
            next = 0;
            left = batch->proposals.size();
        }
        std::unique_ptr<ProposalBatch> batch;
        std::size_t next = 0;  // proposal to hand out
        std::size_t left = 0;  // proposals not done
    };

    Job* job_with_work() {
        for (const auto& job : jobs_) {
            if (job->next < job->batch->proposals.size()) {
                return job.get();
            }
        }
        return nullptr;
    }

    void run(std::uint32_t worker) {
        if (worker_start_) {
            worker_start_(worker);
        }
        std::unique_lock lock(mutex_);
        for (;;) {
            Job* job = nullptr;
            work_came_.wait(lock, [&] { return (job = job_with_work()) != nullptr || stopping_; });
            if (job == nullptr) {
                return;
            }
            Proposal& proposal = job->batch->proposals[job->next++];
            lock.unlock();
            proposer_->propose(proposal, worker);
            lock.lock();
            --job->left;
        }
    }

    const std::uint32_t workers_;
    const WorkerStart worker_start_;
    Proposer* proposer_ = nullptr;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable work_came_;
    std::vector<std::unique_ptr<Job>> jobs_;   // a few, oldest first
    std::vector<std::unique_ptr<Job>> spare_;  // used again: a steady load allocates none
    bool stopping_ = false;
    std::uint32_t under_way_ = 0;  // engine thread only
};

}  // namespace

std::unique_ptr<StageExecutor> make_thread_executor(std::uint32_t workers, WorkerStart worker_start) {
    return std::make_unique<ThreadExecutor>(workers, std::move(worker_start));
}

}  // namespace bayplan
