// An engine whose parts can be reached: made as the engine makes them (engine/engine.cpp), with the inline executor.
//
// Thread: the test's. Owns everything.
#pragma once

#include <utility>

#include "engine/attempts.h"
#include "engine/inputs.h"
#include "engine/lifecycle.h"
#include "engine/world.h"
#include "placement/stage_executor.h"
#include "predicates/registry.h"
#include "recording_sink.h"
#include "scoring/registry.h"

namespace bayplan::testing {

inline EngineOptions in_one_thread(EngineOptions options) {
    options.executor = ExecutorKind::inline_;
    options.workers = 1;
    options.victim_workers = 0;
    return options;
}

struct OpenEngine {
    explicit OpenEngine(const EngineOptions& chosen)
        : options(in_one_thread(chosen)),
          sink(1),
          world(options, 1, make_predicates(options.predicates, lane_kernels(options.simd))->parts()),
          evaluator(make_predicates(options.predicates, lane_kernels(options.simd)), make_scores(options),
                    options.score, lane_kernels(options.simd)),
          search(evaluator.predicates(), make_cluster_scores(options), evaluator.kernels()),
          pipeline(options, {world.asks, world.classes, *world.order, world.node_state, world.view}, evaluator, search,
                   make_inline_executor()),
          announcer(sink, TellerMode::inline_, std::size_t{16} << 10, {}),
          lifecycle(world, pipeline, evaluator, announcer),
          attempts(world, pipeline, evaluator, lifecycle, WorkerStart{}),
          inputs(world, lifecycle, announcer) {}

    void apply(const Input& input) {
        inputs.apply(input);
        announcer.turn_ends();
    }
    // The next ask to be tried, out of its batch, or kNone.
    AskId next() {
        if (world.resyncs.holding > 0) {
            return kNone<AskId>;
        }
        const Element element = pipeline.next();
        return element.empty() ? kNone<AskId> : element.front();
    }
    void run(std::uint64_t attempts_max) {
        for (std::uint64_t made = 0; made < attempts_max; ++made) {
            AskId id = next();
            if (id == kNone<AskId> && world.resyncs.holding == 0) {
                id = lifecycle.take_early();
            }
            if (id == kNone<AskId>) {
                break;
            }
            attempts.make(id);
        }
        announcer.turn_ends();
    }

    const EngineOptions options;
    property::RecordingSink sink;
    World world;
    BlockEvaluator evaluator;
    ClusterSearch search;
    Pipeline pipeline;
    Announcer announcer;
    Lifecycle lifecycle;
    Attempts attempts;
    Inputs inputs;
};

}  // namespace bayplan::testing
