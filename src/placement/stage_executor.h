// The interface through which the engine runs proposals: inline, on std::thread, or in a TBB flow graph.
//
// Which one never changes a decision. ThreadSanitizer cannot see through TBB (Debian's is not
// instrumented), which is why std::thread is one of them.
//
// Thread: every call from the engine thread. Batches come back in the order of submission.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "placement/proposal.h"

namespace bayplan {

class StageExecutor {
public:
    virtual ~StageExecutor() = default;  // waits for what is under way

    // Before the first submit. The proposer must outlive the executor's work.
    virtual void start(Proposer&) = 0;
    virtual void submit(std::unique_ptr<ProposalBatch>) = 0;
    // The next batch in order if all its proposals are made, else null.
    virtual std::unique_ptr<ProposalBatch> poll() = 0;
    // Batches submitted and not yet polled.
    virtual std::uint32_t under_way() const = 0;
    // Number of distinct `worker` values that proposers may see.
    virtual std::uint32_t worker_count() const = 0;
};

// Called on each worker thread before its first proposal: pins and names it. May be empty.
using WorkerStart = std::function<void(std::uint32_t worker)>;

std::unique_ptr<StageExecutor> make_inline_executor();
std::unique_ptr<StageExecutor> make_thread_executor(std::uint32_t workers, WorkerStart);
std::unique_ptr<StageExecutor> make_tbb_executor(std::uint32_t workers, WorkerStart);

}  // namespace bayplan
