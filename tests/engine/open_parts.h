// The parts of an engine, put together as the engine does it (engine/engine.cpp), for programs that must reach them: with the
// inline executor, and told on the same thread.
//
// Thread: the program's one. Owns everything, the sink too.
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "engine/attempts.h"
#include "engine/gang_attempts.h"
#include "engine/inputs.h"
#include "engine/lifecycle.h"
#include "engine/next_timer.h"
#include "engine/world.h"
#include "placement/stage_executor.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

namespace bayplan::testing {

inline EngineOptions in_one_thread(EngineOptions options) {
    options.executor = ExecutorKind::inline_;
    options.workers = 1;
    options.victim_workers = 0;
    return options;
}

template <typename Sink>
struct OpenParts {
    // `ring_bytes`: what is announced up to the end of a turn must fit, or is told at once.
    template <typename... OfSink>
    OpenParts(const EngineOptions& chosen, std::size_t ring_bytes, OfSink&&... of_sink)
        : options(in_one_thread(chosen)),
          sink(std::forward<OfSink>(of_sink)...),
          world(options, 1, make_predicates(options.predicates, lane_kernels(options.simd))->parts()),
          evaluator(make_predicates(options.predicates, lane_kernels(options.simd)), make_scores(options),
                    options.score, lane_kernels(options.simd)),
          search(evaluator.predicates(), make_cluster_scores(options), evaluator.kernels()),
          pipeline(options, {world.asks, world.classes, world.caches, *world.order, world.node_state, world.view},
                   evaluator, search, make_inline_executor()),
          announcer(sink, TellerMode::inline_, ring_bytes, {}),
          lifecycle(world, pipeline, evaluator, announcer),
          attempts(world, pipeline, evaluator, lifecycle, WorkerStart{}),
          gang_attempts(world, evaluator.predicates(), attempts, lifecycle),
          room(world, pipeline, attempts, evaluator.predicates()),
          inputs(world, lifecycle, announcer) {}

    void apply(const Input& input) {
        const auto* const tick = std::get_if<Tick>(&input);
        room.stir(tick == nullptr || next_timer_ns(world, lifecycle.quotas(), room) <= tick->now_ns);
        inputs.apply(input);
        settle();
        lifecycle.quotas().settle();
        room.settle();
        announcer.turn_ends();
    }

    // Consequences of an input, or of an attempt, for gangs and task groups.
    void settle() {
        lifecycle.gangs().settle();
        lifecycle.placeholders().settle();
    }

    const EngineOptions options;
    Sink sink;
    World world;
    BlockEvaluator evaluator;
    ClusterSearch search;
    Pipeline pipeline;
    Announcer announcer;
    Lifecycle lifecycle;
    Attempts attempts;
    GangAttempts gang_attempts;
    RoomSteps room;
    Inputs inputs;
};

}  // namespace bayplan::testing
