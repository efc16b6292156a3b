// LeastAllocated prefers nodes with the most left after the pod, spreading load: Kubernetes' default.
// MostAllocated prefers nodes that the pod fills up, packing load. Source: Kubernetes 1.35, scoring strategies
// of NodeResourcesFit.
//
// The score is the mean over cpu and memory, leaving out resources that a node has none of. Pods count with their
// scored amounts: a pod without requests counts as a small pod. The numbers are computed in lanes/, where
// scalar_kernels.cpp says how.

#include "cluster/resources.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

class Allocated final : public Score {
public:
    Allocated(decltype(LaneKernels::add_least_allocated) add_scores) : add_scores_(add_scores) {}

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        add_scores_(block.lanes(kCpu, kScoredCpu, ask_class.own_cpu),
                    block.lanes(kMemory, kScoredMemory, ask_class.own_memory), lanes, weight, scores.data());
    }

private:
    decltype(LaneKernels::add_least_allocated) add_scores_;
};

}  // namespace

std::unique_ptr<Score> make_least_allocated(const LaneKernels& kernels) {
    return std::make_unique<Allocated>(kernels.add_least_allocated);
}
std::unique_ptr<Score> make_most_allocated(const LaneKernels& kernels) {
    return std::make_unique<Allocated>(kernels.add_most_allocated);
}

}  // namespace bayplan
