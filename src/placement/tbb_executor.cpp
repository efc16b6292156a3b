// Proposals in a TBB flow graph. One message is one batch: a message costs more than a placement.
//
//   submit -> [propose: unlimited, parallel over the batch's classes] -> [sequencer by batch number] -> poll
//
// Bodies only read engine state. Select and commit stay on the engine thread, which polls the ordered
// output: a serial node of TBB would run on any worker.
//
// ThreadSanitizer does not see into TBB. The edges that TBB promises are told to it beside the calls that make them
// (base/library_edges.h), so that it sees every other race of a proposal; nothing of ours is suppressed.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <vector>

#include "base/library_edges.h"
#include "placement/stage_executor.h"

namespace bayplan {

namespace {

// Pins and names each worker when it first joins the arena. Entries fire on every join, so once per
// thread and arena is enough.
class WorkerObserver final : public tbb::task_scheduler_observer {
public:
    WorkerObserver(tbb::task_arena& arena, WorkerStart start)
        : tbb::task_scheduler_observer(arena), start_(std::move(start)) {
        happens_before(this);  // a worker that enters sees a whole observer
        observe(true);
    }
    ~WorkerObserver() override {
        observe(false);  // waits for workers that are entering
        happens_after(&start_);
    }

    void on_scheduler_entry(bool is_worker) override {
        thread_local const WorkerObserver* seen = nullptr;
        happens_after(this);
        if (is_worker && start_ && seen != this) {
            seen = this;
            start_(static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index()) - 1);
        }
        happens_before(&start_);
    }

private:
    const WorkerStart start_;
};

// TBB's own bound on the number of workers.
constexpr std::size_t kThreadsMax = 256;

class TbbExecutor final : public StageExecutor {
    using Message = ProposalBatch*;

public:
    TbbExecutor(std::uint32_t workers, WorkerStart worker_start)
        : workers_(workers),
          // TBB would otherwise start no more workers than there are CPUs. The smallest of all controls
          // in the process counts, so every executor sets the same; each arena has its own limit.
          parallelism_(tbb::global_control::max_allowed_parallelism, kThreadsMax),
          // Slot 0 is kept for the engine thread, which enters to make the graph and to end it.
          arena_(static_cast<int>(workers) + 1, 1),
          observer_(arena_, std::move(worker_start)),
          slots_(workers + 1) {}

    ~TbbExecutor() override {
        if (graph_) {
            graph_->wait_for_all();
            while (poll()) {
            }
            arena_.execute([&] {
                ordered_.reset();
                propose_.reset();
                graph_.reset();
            });
        }
    }

    void start(Proposer& proposer) override {
        proposer_ = &proposer;
        arena_.execute([&] { build(); });  // the graph belongs to the arena it is made in
    }

    void submit(std::unique_ptr<ProposalBatch> batch) override {
        ++under_way_;
        happens_before(batch.get());  // the body sees what was put
        propose_->try_put(batch.release());
    }

    std::unique_ptr<ProposalBatch> poll() override {
        Message message = nullptr;
        if (!ordered_->try_get(message)) {
            return nullptr;
        }
        --under_way_;
        happens_after(end_of(message));  // who gets a message sees what the body did
        return std::unique_ptr<ProposalBatch>(message);
    }

    std::uint32_t under_way() const override { return under_way_; }
    std::uint32_t worker_count() const override { return workers_ + 1; }

private:
    void build() {
        graph_ = std::make_unique<tbb::flow::graph>();
        propose_ = std::make_unique<tbb::flow::function_node<Message, Message>>(
            *graph_, tbb::flow::unlimited, [this](Message batch) noexcept {
                happens_after(batch);  // before this object is read, too: a worker may be older than it
                return propose_all(batch);
            });
        ordered_ = std::make_unique<tbb::flow::sequencer_node<Message>>(
            *graph_, [](const Message& batch) noexcept { return static_cast<std::size_t>(batch->number - 1); });
        tbb::flow::make_edge(*propose_, *ordered_);
    }

    // A name for the end of the work at a batch, as the batch itself is for its beginning.
    static const void* end_of(const ProposalBatch* batch) { return &batch->number; }

    // A body of the loop. TBB hands on a reference to the caller's.
    struct Body {
        const TbbExecutor* executor;
        Message batch;

        void operator()(std::size_t index) const {
            happens_after(this);
            executor->propose_one(batch, index);
        }
    };

    Message propose_all(Message batch) const noexcept {
        const Body body{this, batch};
        happens_before(&body);  // each body sees what its caller did before the loop
        tbb::parallel_for(std::size_t{0}, batch->proposals.size(), body, tbb::simple_partitioner());
        happens_after(end_of(batch));  // the loop ends after its bodies
        happens_before(end_of(batch));
        return batch;
    }

    void propose_one(Message batch, std::size_t index) const noexcept {
        const auto worker = static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index());
        happens_after(&slots_[worker]);  // a slot of an arena has one thread at a time, and is handed on
        proposer_->propose(batch->proposals[index], worker);
        happens_before(&slots_[worker]);
        happens_before(end_of(batch));
    }

    const std::uint32_t workers_;
    Proposer* proposer_ = nullptr;
    tbb::global_control parallelism_;
    tbb::task_arena arena_;
    WorkerObserver observer_;
    std::vector<char> slots_;  // names of the arena's slots
    std::unique_ptr<tbb::flow::graph> graph_;
    std::unique_ptr<tbb::flow::function_node<Message, Message>> propose_;
    std::unique_ptr<tbb::flow::sequencer_node<Message>> ordered_;
    std::uint32_t under_way_ = 0;
};

}  // namespace

std::unique_ptr<StageExecutor> make_tbb_executor(std::uint32_t workers, WorkerStart worker_start) {
    return std::make_unique<TbbExecutor>(workers, std::move(worker_start));
}

}  // namespace bayplan
