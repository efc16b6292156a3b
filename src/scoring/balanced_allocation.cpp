// NodeResourcesBalancedAllocation: prefers nodes whose cpu and memory are used alike. Source: Kubernetes 1.35;
// the arithmetic, for 64 nodes at a time, is in lanes/.

#include "cluster/resources.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

class BalancedAllocation final : public Score {
public:
    BalancedAllocation(const LaneKernels& kernels) : kernels_(kernels) {}

    bool concerns(const AskClass& ask_class) const override {
        return ask_class.cpu_request > 0 || ask_class.memory_request > 0;
    }

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        kernels_.add_balanced(block.lanes(kCpu, ask_class.cpu_request), block.lanes(kMemory, ask_class.memory_request),
                              lanes, weight, scores.data());
    }

private:
    const LaneKernels& kernels_;
};

}  // namespace

std::unique_ptr<Score> make_balanced_allocation_score(const EngineOptions& options) {
    return std::make_unique<BalancedAllocation>(lane_kernels(options.simd));
}

}  // namespace bayplan
