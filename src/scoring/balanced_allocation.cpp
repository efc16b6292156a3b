// NodeResourcesBalancedAllocation: prefers nodes whose cpu and memory are used alike. Source: Kubernetes
// 1.35; the arithmetic is in balanced_allocation.h.

#include "cluster/kinds.h"
#include "scoring/allocated.h"
#include "scoring/balanced_allocation.h"
#include "scoring/score.h"

namespace bayplan {

namespace {

class BalancedAllocation final : public Score {
public:
    std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }

    bool concerns(const AskClass& ask_class) const override {
        return ask_class.cpu_request > 0 || ask_class.memory_request > 0;
    }

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        const KindColumns* cpu = block.columns(kCpu);
        const KindColumns* memory = block.columns(kMemory);
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const KindUse uses[] = {
                {in_use(block, kCpu, lane) + ask_class.cpu_request, cpu == nullptr ? 0 : cpu->capacity[lane]},
                {in_use(block, kMemory, lane) + ask_class.memory_request,
                 memory == nullptr ? 0 : memory->capacity[lane]},
            };
            scores[lane] += weight * balanced_allocation(uses);
        }
    }
};

}  // namespace

std::unique_ptr<Score> make_balanced_allocation() { return std::make_unique<BalancedAllocation>(); }

}  // namespace bayplan
