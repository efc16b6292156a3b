// RequestedToCapacityRatio: prefers nodes by a line over how full the pod leaves them. The arithmetic is in
// requested_to_capacity_ratio.h.

#include "scoring/requested_to_capacity_ratio.h"

#include <bit>

#include "cluster/resources.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

class RequestedToCapacityRatio final : public Score {
public:
    explicit RequestedToCapacityRatio(const std::vector<ScorePoint>& shape) : shape_(scaled_shape(shape)) {}

    bool is_bounded() const override { return false; }

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        const ResourceLanes cpu = block.lanes(kCpu, kScoredCpu, ask_class.own_cpu);
        const ResourceLanes memory = block.lanes(kMemory, kScoredMemory, ask_class.own_memory);
        const auto use = [](const ResourceLanes& resource, std::uint32_t lane) {
            return WeightedResourceUse{resource.used[lane] + resource.foreign[lane] + resource.amount,
                                       resource.capacity[lane]};
        };
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const WeightedResourceUse uses[] = {use(cpu, lane), use(memory, lane)};
            scores[lane] += weight * requested_to_capacity_ratio(shape_, uses);
        }
    }

private:
    std::vector<ShapePoint> shape_;
};

}  // namespace

std::unique_ptr<Score> make_requested_to_capacity_ratio(const std::vector<ScorePoint>& shape) {
    return std::make_unique<RequestedToCapacityRatio>(shape);
}

}  // namespace bayplan
