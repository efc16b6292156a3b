// The composition root of one partition, and the loop of attempts.

#include "engine/engine.h"

#include <utility>

#include "engine/audit.h"
#include "engine/inputs.h"
#include "engine/lifecycle.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "predicates/registry.h"
#include "scoring/score.h"

namespace bayplan {

namespace {

std::unique_ptr<StageExecutor> executor_of(const EngineOptions& options, WorkerStart worker_start) {
    switch (options.executor) {
        case ExecutorKind::inline_: return make_inline_executor();
        case ExecutorKind::threads: return make_thread_executor(options.workers, std::move(worker_start));
        case ExecutorKind::tbb: break;
    }
    return make_tbb_executor(options.workers, std::move(worker_start));
}

}  // namespace

// Order matters: what proposals read is made before the executor's work and destroyed after it.
struct Engine::Parts {
    Parts(const EngineOptions& options, DecisionSink& to, std::unique_ptr<PredicateSet> predicates,
          std::unique_ptr<StageExecutor> executor)
        : sink(to),
          world(options, executor->worker_count()),
          evaluator(std::move(predicates), make_scores(options.score)),
          pipeline(options, {world.asks, world.classes, world.pending, world.node_state}, evaluator,
                   std::move(executor)),
          log(sink),
          lifecycle(world, pipeline, evaluator, log, sink),
          inputs(world, lifecycle, sink) {}

    DecisionSink& sink;
    World world;
    BlockEvaluator evaluator;
    Pipeline pipeline;
    DecisionLog log;
    Lifecycle lifecycle;
    Inputs inputs;
    std::uint64_t applied = 0;
};

Engine::Engine(const EngineOptions& options, DecisionSink& sink, WorkerStart worker_start)
    : Engine(options, sink, make_default_predicates(), executor_of(options, std::move(worker_start))) {}

Engine::Engine(const EngineOptions& options, DecisionSink& sink, std::unique_ptr<PredicateSet> predicates,
               std::unique_ptr<StageExecutor> executor)
    : parts_(std::make_unique<Parts>(options, sink, std::move(predicates), std::move(executor))) {}

Engine::~Engine() = default;

void Engine::apply(const Input& input) {
    ++parts_->applied;
    parts_->inputs.apply(input);
}

std::uint64_t Engine::run(std::uint64_t attempts_max) {
    Parts& parts = *parts_;
    if (parts.world.resyncs_open > 0) {
        return 0;
    }
    const auto has_credit = [&](AskId id) { return parts.lifecycle.has_credit(parts.world.asks[id].shim); };
    std::uint64_t made = 0;
    while (made < attempts_max) {
        const AskId id = parts.pipeline.next(has_credit);
        if (id == kNone<AskId>) {
            break;
        }
        const NodeKey best = parts.pipeline.resolve(parts.world.asks[id].ask_class);
        if (best != 0) {
            parts.lifecycle.place(id, slot_of(best));
        } else {
            parts.lifecycle.fail(id);
        }
        ++made;
    }
    return made;
}

bool Engine::has_work() const {
    const auto has_credit = [&](AskId id) { return parts_->lifecycle.has_credit(parts_->world.asks[id].shim); };
    return parts_->world.resyncs_open == 0 &&
           (parts_->world.pending.top() != kNone<AskId> || parts_->pipeline.any_selected(has_credit));
}

std::int64_t Engine::next_timer_ns() const { return parts_->world.backoff.next_time_ns(); }

std::size_t Engine::flush() {
    std::size_t sent = 0;
    for (std::uint32_t number = 0; number < parts_->world.shims.size(); ++number) {
        Shim& shim = parts_->world.shims[static_cast<ShimId>(number)];
        if (shim.connection == 0) {
            continue;
        }
        const std::size_t batches = shim.outbox.send_to([&](const auto& batch, std::size_t skip) {
            const bool taken = parts_->sink.decisions(shim.connection, batch, skip, shim.applied);
            shim.told_applied = taken ? shim.applied : shim.told_applied;
            return taken;
        });
        sent += batches;
        if (shim.told_applied != shim.applied && parts_->sink.state_applied(shim.connection, shim.applied)) {
            shim.told_applied = shim.applied;
        }
    }
    return sent;
}

std::uint64_t Engine::attempts() const { return parts_->lifecycle.placed() + parts_->lifecycle.failed(); }

std::string Engine::digest() const { return parts_->log.digest(); }

EngineCounters Engine::counters() const {
    const World& world = parts_->world;
    const PipelineCounters& pipeline = parts_->pipeline.counters();
    return {.inputs = parts_->applied,
            .ignored_inputs = parts_->inputs.ignored(),
            .attempts = attempts(),
            .placed = parts_->lifecycle.placed(),
            .failed = parts_->lifecycle.failed(),
            .batches_inline = pipeline.batches_inline,
            .batches_graph = pipeline.batches_graph,
            .batches_overlapped = pipeline.batches_overlapped,
            .batches_cut = pipeline.batches_cut,
            .proposals = pipeline.proposals,
            .resolved_at_commit = pipeline.resolved_at_commit,
            .blocks_rechecked = pipeline.blocks_rechecked,
            .nodes = world.nodes.count(),
            .nodes_overcommitted = world.nodes.overcommitted(),
            .pending = world.pending.size() + parts_->pipeline.selected(),
            .backoff = world.backoff.size(),
            .unschedulable = world.unschedulable.size(),
            .allocations = world.allocations,
            .classes = world.classes.size()};
}

void Engine::audit(std::vector<std::string>& broken) const {
    audit_world(parts_->world, parts_->pipeline.selected(), parts_->evaluator, broken);
}

std::string Engine::ask_state(std::string_view shim, std::string_view key, std::string* why) const {
    const World& world = parts_->world;
    const ShimId id = world.shims.find(shim);
    if (id == kNone<ShimId>) {
        return "";
    }
    const auto found = world.shims[id].asks.find(key);
    if (found == world.shims[id].asks.end()) {
        return "";
    }
    const Ask& ask = world.asks[found->second];
    if (why != nullptr) {
        *why = explain_ask(world, ask, parts_->lifecycle.has_credit(ask.shim), parts_->evaluator.predicates());
    }
    return std::string(to_string(ask.state));
}

}  // namespace bayplan
