// RequestedToCapacityRatio on plain numbers: a broken line over utilisation, weighted over resources.
// Source: Kubernetes 1.35, NodeResourcesFit scoring strategy. Divisions truncate, but for the last.
//
// Thread: any.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "options/engine_options.h"

namespace bayplan {

// A corner of the line. Utilisation 0 to 100, strictly rising; score 0 to 100 (the configuration's 0 to 10
// times 10).
struct ShapePoint {
    std::int64_t utilization = 0;
    std::int64_t score = 0;
};

inline std::int64_t shape_score(std::span<const ShapePoint> shape, std::int64_t utilization) noexcept {
    for (std::size_t index = 0; index < shape.size(); ++index) {
        if (utilization > shape[index].utilization) {
            continue;
        }
        if (index == 0) {
            return shape[0].score;
        }
        const ShapePoint& low = shape[index - 1];
        const ShapePoint& high = shape[index];
        return low.score +
               (high.score - low.score) * (utilization - low.utilization) / (high.utilization - low.utilization);
    }
    return shape.empty() ? 0 : shape.back().score;
}

// As settings give it, with 0 to 10 as 0 to 100.
inline std::vector<ShapePoint> scaled_shape(std::span<const ScorePoint> points) {
    constexpr std::int64_t kScale = 10;
    std::vector<ShapePoint> shape;
    shape.reserve(points.size());
    for (const ScorePoint& point : points) {
        shape.push_back({point.utilization, point.score * kScale});
    }
    return shape;
}

struct WeightedResourceUse {
    std::int64_t requested = 0;  // with the incoming pod; default amounts for cpu and memory
    std::int64_t capacity = 0;   // 0: the resource is left out
    std::int64_t weight = 1;
};

// A resource that scores 0 is left out of the weights too. The mean is rounded half away from zero.
inline std::int64_t requested_to_capacity_ratio(std::span<const ShapePoint> shape,
                                                std::span<const WeightedResourceUse> uses) noexcept {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for (const WeightedResourceUse& use : uses) {
        if (use.capacity == 0) {
            continue;
        }
        const std::int64_t utilization = use.requested > use.capacity ? 100 : use.requested * 100 / use.capacity;
        const std::int64_t score = shape_score(shape, utilization);
        if (score > 0) {
            sum += score * use.weight;
            weights += use.weight;
        }
    }
    if (weights == 0) {
        return 0;
    }
    return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

}  // namespace bayplan
