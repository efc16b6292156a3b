// The composition root of one partition, and the loop of attempts.

#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "engine/attempts.h"
#include "engine/audit.h"
#include "engine/explain.h"
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

TopologyOptions topology_options(const EngineOptions& options) {
    const auto on = [&](std::string_view name) {
        return options.predicates.empty() ||
               std::find(options.predicates.begin(), options.predicates.end(), name) != options.predicates.end();
    };
    return {.fixed = {.taints = on("TaintToleration"), .affinity = on("NodeAffinity")},
            .spread_filter = on("PodTopologySpread"),
            .affinity_filter = on("InterPodAffinity"),
            .spread_score = options.weights.pod_topology_spread > 0,
            .affinity_score = options.weights.inter_pod_affinity > 0,
            .negative_selector_fault = options.compat == Compat::kubernetes_1_35};
}

// Order matters: what proposals read is made before the executor's work and destroyed after it.
struct Engine::Parts {
    Parts(const EngineOptions& options, DecisionSink& to, std::unique_ptr<PredicateSet> predicates,
          std::unique_ptr<StageExecutor> executor, WorkerStart victim_worker_start)
        : sink(to),
          world(options, executor->worker_count()),
          evaluator(std::move(predicates), make_scores(options), options.score, lane_kernels(options.simd)),
          search(evaluator.predicates(), make_cluster_scores(options.weights), evaluator.kernels()),
          pipeline(options,
                   {world.asks, world.classes, world.pending, world.node_state, world.topology, world.kinds},
                   evaluator, search, std::move(executor)),
          log(sink),
          lifecycle(world, pipeline, evaluator, log, sink),
          attempts(world, pipeline, evaluator, lifecycle, std::move(victim_worker_start)),
          inputs(world, lifecycle, sink) {}

    // The next ask to try, out of where it waits, or kNone.
    AskId next() {
        const auto has_credit = [&](AskId id) { return lifecycle.has_credit(world.asks[id].shim); };
        const AskId id = pipeline.next(has_credit);
        return id != kNone<AskId> ? id : lifecycle.take_early();
    }

    // Columns of nodes that come are copied for readers some thousand nodes at a time: those of all of them at the first
    // proposal would hold that up by ten milliseconds at 100,000 nodes.
    void publish_if_many_nodes() {
        constexpr std::size_t kNodesMax = 4'096;
        const std::size_t count = world.nodes.count();
        nodes_published = std::min(nodes_published, count);
        if (count > nodes_published + kNodesMax) {
            world.node_state.publish();
            nodes_published = count;
        }
    }

    DecisionSink& sink;
    World world;
    BlockEvaluator evaluator;
    ClusterSearch search;
    Pipeline pipeline;
    DecisionLog log;
    Lifecycle lifecycle;
    Attempts attempts;
    Inputs inputs;
    std::uint64_t applied = 0;
    std::size_t nodes_published = 0;  // at least
};

Engine::Engine(const EngineOptions& options, DecisionSink& sink, OnWorker worker_start, OnWorker victim_worker_start)
    : parts_(std::make_unique<Parts>(options, sink, make_predicates(options.predicates, lane_kernels(options.simd)),
                                     executor_of(options, std::move(worker_start)), std::move(victim_worker_start))) {}

Engine::Engine(const EngineOptions& options, DecisionSink& sink, std::unique_ptr<PredicateSet> predicates,
               std::unique_ptr<StageExecutor> executor)
    : parts_(std::make_unique<Parts>(options, sink, std::move(predicates), std::move(executor),
                                     WorkerStart{})) {}

Engine::~Engine() = default;

void Engine::apply(const Input& input) {
    ++parts_->applied;
    parts_->inputs.apply(input);
    parts_->publish_if_many_nodes();
}

std::uint64_t Engine::run(std::uint64_t attempts_max) {
    Parts& parts = *parts_;
    if (parts.world.resyncs_open > 0) {
        return 0;
    }
    std::uint64_t made = 0;
    while (made < attempts_max) {
        const AskId id = parts.next();
        if (id == kNone<AskId>) {
            break;
        }
        parts.attempts.make(id);
        ++made;
    }
    return made;
}

bool Engine::has_work() const {
    const auto has_credit = [&](AskId id) { return parts_->lifecycle.has_credit(parts_->world.asks[id].shim); };
    return parts_->world.resyncs_open == 0 &&
           (parts_->world.pending.top() != kNone<AskId> || parts_->pipeline.any_selected(has_credit) ||
            parts_->lifecycle.early() != kNone<AskId>);
}

std::int64_t Engine::next_timer_ns() const {
    const World& world = parts_->world;
    return std::min({world.backoff.next_time_ns(), world.nacked.next_time_ns(), world.departures.next_time_ns()});
}

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
    const VictimCounters victims = parts_->attempts.preempting().counters();
    return {.inputs = parts_->applied,
            .ignored_inputs = parts_->inputs.ignored(),
            .attempts = attempts(),
            .placed = parts_->lifecycle.placed(),
            .failed = parts_->lifecycle.failed(),
            .batches_inline = pipeline.batches_inline,
            .batches_graph = pipeline.batches_graph,
            .batches_overlapped = pipeline.batches_overlapped,
            .batches_cut = pipeline.batches_cut,
            .blocks_proposed = pipeline.blocks_proposed,
            .proposals = pipeline.proposals,
            .resolved_at_commit = pipeline.resolved_at_commit,
            .blocks_rechecked = pipeline.blocks_rechecked,
            .blocks_bounded = pipeline.blocks_bounded,
            .blocks_judged = pipeline.blocks_judged,
            .searches = pipeline.searches,
            .victim_searches_kept = victims.kept,
            .victim_searches_whole = victims.whole,
            .victim_searches_by_pods = victims.by_pods,
            .victim_searches_parallel = victims.parallel,
            .victim_pieces_by_workers = victims.pieces_by_workers,
            .victim_nodes_by_columns = victims.nodes_by_columns,
            .victim_nodes_by_pods = victims.nodes_by_pods,
            .victim_nodes_tried = victims.nodes_tried,
            .nodes = world.nodes.count(),
            .nodes_overcommitted = world.nodes.overcommitted(),
            .pending = world.pending.size() + parts_->pipeline.selected(),
            .backoff = world.backoff.size() + world.nacked.size(),
            .unschedulable = world.unschedulable.size(),
            .waiting_for_node = world.awaited_nodes.size(),
            .allocations = world.allocations,
            .classes = world.classes.size()};
}

std::vector<std::uint32_t> Engine::victim_cpus() const { return parts_->attempts.preempting().cpus(); }

void Engine::audit(std::vector<std::string>& broken) const {
    audit_world(parts_->world, parts_->pipeline.selected(), parts_->evaluator, broken);
}

std::optional<Engine::AskName> Engine::next_ask() {
    if (parts_->world.resyncs_open > 0) {
        return std::nullopt;
    }
    World& world = parts_->world;
    const auto has_credit = [&](AskId id) { return parts_->lifecycle.has_credit(world.asks[id].shim); };
    AskId id = parts_->pipeline.next(has_credit);
    if (id != kNone<AskId>) {
        parts_->lifecycle.make_pending(id);  // back to where it came from: it is first again
    } else if (id = parts_->lifecycle.early(); id == kNone<AskId>) {
        return std::nullopt;
    }
    return AskName{world.shims[world.asks[id].shim].name, std::string(world.asks.key(id))};
}

std::optional<Explanation> Engine::explain(std::string_view shim, std::string_view key, bool full) {
    World& world = parts_->world;
    const ShimId id = world.shims.find(shim);
    if (id == kNone<ShimId>) {
        return std::nullopt;
    }
    const AskId ask = world.shims[id].asks.find(key);
    if (ask == kNone<AskId>) {
        return std::nullopt;
    }
    return explain_ask(world, parts_->attempts, parts_->evaluator, parts_->search, ask, full);
}

std::string Engine::ask_state(std::string_view shim, std::string_view key, std::string* why) const {
    const World& world = parts_->world;
    const ShimId id = world.shims.find(shim);
    if (id == kNone<ShimId>) {
        return "";
    }
    const AskId found = world.shims[id].asks.find(key);
    if (found == kNone<AskId>) {
        return "";
    }
    const Ask& ask = world.asks[found];
    if (why != nullptr) {
        *why = why_it_waits(world, found, parts_->lifecycle.has_credit(ask.shim), parts_->evaluator.predicates());
    }
    return std::string(to_string(ask.state));
}

}  // namespace bayplan
