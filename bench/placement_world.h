// A cluster with the parts of an engine that decide, and none that speak: node state, classes,
// evaluator, pipeline. For benchmarks of single stages.
//
// Thread: its owner's; the owner may let other threads read the shards, as the pipeline does.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/world.h"
#include "placement/block_evaluator.h"
#include "placement/pipeline.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

namespace bayplan::bench {

inline constexpr std::int64_t kMi = std::int64_t{1} << 20;
inline constexpr std::int64_t kPodCpu = 100;  // scheduler_perf's default pod and node
inline constexpr std::int64_t kPodMemory = 500 * kMi;
inline constexpr std::int64_t kNodeCpu = 4'000;
inline constexpr std::int64_t kNodeMemory = 32 * 1'024 * kMi;
inline constexpr std::int64_t kNodePods = 110;

class PlacementWorld {
public:
    // `readers` as Engine gives them to its node state; slot 0 is the inline executor's.
    explicit PlacementWorld(std::uint32_t nodes, std::uint32_t readers = 2)
        : world(options_, readers, kAllCounts),
          evaluator(make_predicates({}), make_scores(options_), options_.score, lane_kernels(options_.simd)),
          search(evaluator.predicates(), make_cluster_scores(options_), evaluator.kernels()),
          pipeline(options_, {world.asks, world.classes, world.caches, *world.order, world.node_state, world.view},
                   evaluator, search, make_inline_executor()),
          pods_(world.resources.acquire("pods")) {
        const std::vector<ResourceAmount> capacity = amounts(kNodeCpu, kNodeMemory, kNodePods);
        for (std::uint32_t node = 0; node < nodes; ++node) {
            slots_.push_back(
                world.nodes.add(fmt::format("node-{:06}", node), static_cast<ShimId>(0), capacity, {}, true));
        }
        world.node_state.publish();
    }

    std::vector<ResourceAmount> amounts(std::int64_t cpu, std::int64_t memory, std::int64_t pods = 1) const {
        return {{kCpu, cpu}, {kMemory, memory}, {pods_, pods}};
    }

    // A class of asks; the reference stays.
    ClassId add_class(std::int64_t cpu, std::int64_t memory) {
        AskClass spec;
        spec.requests = amounts(cpu, memory);
        return world.classes.acquire(std::move(spec));
    }

    // Zero to ten pods of varying size on every node: a cluster in use, a quarter full.
    void use_some() {
        std::uint32_t at = 0;
        for (const Slot slot : slots_) {
            at = at * 1'664'525 + 1'013'904'223;
            const std::int64_t pods = at >> 16 & 7;
            const std::int64_t size = at >> 20 & 63;
            world.node_state.add_used(slot, amounts(pods * (kPodCpu + size), pods * (kPodMemory - size * kMi), pods),
                                      1);
        }
        world.node_state.publish();
    }

    const std::vector<Slot>& slots() const { return slots_; }

private:
    static EngineOptions inline_options() {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        return options;
    }
    const EngineOptions options_ = inline_options();

public:
    World world;
    BlockEvaluator evaluator;
    ClusterSearch search;
    Pipeline pipeline;

private:
    const ResourceId pods_;
    std::vector<Slot> slots_;
};

}  // namespace bayplan::bench
