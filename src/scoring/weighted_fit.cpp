// NodeResourcesFit over kinds of the operator's choice (setting score_resources), each with its weight; in any of its forms.
// Source: Kubernetes 1.35, scoring strategies of NodeResourcesFit. Divisions truncate, but for the last of
// requested_to_capacity_ratio.h.
//
// Node by node: for cpu and memory alike, which nearly all clusters have, there are the forms of lanes/.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "base/check.h"
#include "cluster/resources.h"
#include "scoring/registry.h"
#include "scoring/requested_to_capacity_ratio.h"

namespace bayplan {

namespace {

std::int64_t allocated(ScorePolicy policy, const WeightedResourceUse& use) {
    if (policy == ScorePolicy::most_allocated) {
        return std::min(use.requested, use.capacity) * 100 / use.capacity;
    }
    return use.requested > use.capacity ? 0 : (use.capacity - use.requested) * 100 / use.capacity;
}

class WeightedFit final : public Score {
public:
    explicit WeightedFit(const EngineOptions& options)
        : policy_(options.score), shape_(scaled_shape(options.score_shape)) {
        ResourceTable names;
        const std::vector<ResourceId> ids = acquire_scored(names, options.score_resources);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const ScoredResource& one = options.score_resources[i];
            kinds_.push_back({ids[i], one.weight, one.name == "ephemeral-storage"});
        }
        BP_CHECK_OP(kinds_.size(), <=, kScoredResourcesMax);
    }

    bool is_bounded() const override { return false; }

    void add(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::int64_t weight,
             LaneScores& scores) const noexcept override {
        std::array<Column, kScoredResourcesMax> columns;
        std::size_t count = 0;
        for (const Kind& kind : kinds_) {
            if (const auto resource = lanes_of(kind, ask_class, block)) {
                columns[count++] = {*resource, kind.weight};
            }
        }
        std::array<WeightedResourceUse, kScoredResourcesMax> uses;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            for (std::size_t i = 0; i < count; ++i) {
                const ResourceLanes& resource = columns[i].resource;
                uses[i] = {resource.used[lane] + resource.foreign[lane] + resource.amount, resource.capacity[lane],
                           columns[i].weight};
            }
            scores[lane] += weight * score(std::span(uses).first(count));
        }
    }

private:
    struct Kind {
        ResourceId id = kCpu;
        std::int64_t weight = 1;
        bool always = false;  // also of a pod that asks for none of it
    };
    struct Column {
        ResourceLanes resource{};
        std::int64_t weight = 1;
    };

    // None: the pod does not ask for the kind, which counts only for pods that do.
    static std::optional<ResourceLanes> lanes_of(const Kind& kind, const AskClass& ask_class, const NodeBlock& block) {
        if (kind.id == kCpu) {
            return block.lanes(kCpu, kScoredCpu, ask_class.own_cpu);
        }
        if (kind.id == kMemory) {
            return block.lanes(kMemory, kScoredMemory, ask_class.own_memory);
        }
        const auto request = std::ranges::find(ask_class.requests, kind.id, &ResourceAmount::resource);
        if (request != ask_class.requests.end()) {
            return block.lanes(kind.id, request->value);
        }
        return kind.always ? std::optional(block.lanes(kind.id, 0)) : std::nullopt;
    }

    std::int64_t score(std::span<const WeightedResourceUse> uses) const {
        if (policy_ == ScorePolicy::requested_to_capacity_ratio) {
            return requested_to_capacity_ratio(shape_, uses);
        }
        std::int64_t sum = 0;
        std::int64_t weights = 0;
        for (const WeightedResourceUse& use : uses) {
            if (use.capacity != 0) {
                sum += use.weight * allocated(policy_, use);
                weights += use.weight;
            }
        }
        return weights == 0 ? 0 : sum / weights;
    }

    const ScorePolicy policy_;
    std::vector<Kind> kinds_;
    std::vector<ShapePoint> shape_;  // of requested_to_capacity_ratio
};

}  // namespace

std::unique_ptr<Score> make_weighted_fit(const EngineOptions& options) {
    return std::make_unique<WeightedFit>(options);
}

}  // namespace bayplan
