// The composition root of one partition, and the loop of attempts.

#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/attempt_cost.h"
#include "engine/attempts.h"
#include "engine/audit.h"
#include "engine/explain.h"
#include "engine/gang_attempts.h"
#include "engine/inputs.h"
#include "engine/lifecycle.h"
#include "engine/message_pieces.h"
#include "engine/next_timer.h"
#include "engine/queue_reports.h"
#include "engine/room_steps.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "predicates/registry.h"
#include "scoring/registry.h"

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

TopologyOptions topology_options(const EngineOptions& options, std::uint32_t predicate_parts) {
    std::uint32_t parts = predicate_parts;
    for (const ScoreRow& row : kScoreRows) {
        parts |= options.weights[row.id] > 0 ? row.parts : 0;
    }
    return {.parts = parts,
            .negative_selector_fault = options.compat == Compat::kubernetes_1_35,
            .column_bytes_max = options.class_caches_bytes,
            .members_max = options.class_caches_bytes / kMemberBytes};
}

// Order matters: what proposals read is made before the executor's work and destroyed after it.
struct Engine::Parts {
    Parts(const EngineOptions& options, DecisionSink& to, std::unique_ptr<PredicateSet> predicates,
          std::unique_ptr<StageExecutor> executor, WorkerStart victim_worker_start, OnTeller teller_start)
        : world(options, executor->worker_count(), predicates->parts()),
          evaluator(std::move(predicates), make_scores(options), options.score, lane_kernels(options.simd)),
          search(evaluator.predicates(), make_cluster_scores(options), evaluator.kernels()),
          pipeline(options, {world.asks, world.classes, world.caches, *world.order, world.node_state, world.view},
                   evaluator, search, std::move(executor)),
          announcer(to, options.teller, options.teller_ring_bytes, std::move(teller_start)),
          lifecycle(world, pipeline, evaluator, announcer),
          attempts(world, pipeline, evaluator, lifecycle, std::move(victim_worker_start)),
          gang_attempts(world, evaluator.predicates(), attempts, lifecycle),
          room(world, pipeline, attempts, evaluator.predicates()),
          inputs(world, lifecycle, announcer),
          pieces(world) {}

    // The next element to try, out of where it waits and charged.
    Element next() {
        if (lifecycle.placeholders().any_due()) {
            pipeline.give_all_back();  // they were taken without it
            due = lifecycle.placeholders().take_due();
            return Element(&due, 1);
        }
        const Element element = pipeline.next();
        return element.empty() ? lifecycle.take_early() : element;
    }

    // As many attempts as the element has asks.
    std::size_t attempt(Element element) {
        const std::size_t asks = element.size();
        if (is_coscheduled(world.asks[element.front()].group)) {
            gang_attempts.make(element);
        } else {
            BP_CHECK_OP(asks, ==, std::size_t{1});
            attempts.make(element.front());
        }
        settle();
        return asks;
    }

    // Consequences of an input, or of an attempt, for gangs and task groups.
    void settle() {
        lifecycle.gangs().settle();
        lifecycle.placeholders().settle();
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

    // Made last, but classes that go with the world still tell it.
    std::unique_ptr<Publication> publication;
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
    MessagePieces pieces;
    std::uint64_t applied = 0;
    AskId due = kNone<AskId>;         // whose placeholder has gone, while it is tried
    std::size_t nodes_published = 0;  // at least
};

Engine::Engine(const EngineOptions& options, DecisionSink& sink, OnWorker worker_start, OnWorker victim_worker_start,
               OnTeller teller_start)
    : parts_(std::make_unique<Parts>(options, sink, make_predicates(options.predicates, lane_kernels(options.simd)),
                                     executor_of(options, std::move(worker_start)), std::move(victim_worker_start),
                                     std::move(teller_start))) {}

Engine::Engine(const EngineOptions& options, DecisionSink& sink, std::unique_ptr<PredicateSet> predicates,
               std::unique_ptr<StageExecutor> executor)
    : parts_(std::make_unique<Parts>(options, sink, std::move(predicates), std::move(executor), WorkerStart{},
                                     OnTeller{})) {}

Engine::~Engine() = default;

void Engine::apply(const Input& input) {
    ++parts_->applied;
    parts_->room.stir(!std::holds_alternative<Tick>(input) || next_timer_ns() <= std::get<Tick>(input).now_ns);
    parts_->inputs.apply(input);
    parts_->settle();
    parts_->lifecycle.quotas().settle();
    parts_->room.settle();
    parts_->announcer.turn_ends();
    parts_->publish_if_many_nodes();
    publish();
}

bool Engine::cut(StateMessage& rest, StateMessage& piece, std::uint32_t steps) {
    return parts_->pieces.cut(rest, steps, piece);
}

void Engine::wake_in_slices() { parts_->lifecycle.wake_in_slices(); }

bool Engine::catch_up(std::uint32_t most) {
    const bool done = parts_->lifecycle.catch_up(most);
    publish();
    return done;
}

std::uint64_t Engine::run(std::uint64_t attempts_max, const Enough& enough) {
    Parts& parts = *parts_;
    parts.lifecycle.catch_up(UINT32_MAX);
    if (parts.world.resyncs.holding > 0) {
        return 0;
    }
    parts.world.topology.counts().forget_sets();  // nobody has a plan in hand
    AttemptCost cost(parts.world.topology);
    std::uint64_t made = 0;
    const auto goes_on = [&] {
        return made < attempts_max && (made == 0 || !enough || !enough(made, cost.was_dear()));
    };
    // An attempt may wake asks that come before all others.
    while (parts.world.unschedulable.woken() == 0 && goes_on()) {
        if (parts.world.reservations.any_to_look_at() && parts.attempts.act_on_a_reservation()) {
            parts.settle();  // a victim may be of a gang
            ++made;
            continue;
        }
        const Element element = parts.next();
        if (element.empty()) {
            break;
        }
        made += parts.attempt(element);
    }
    parts.room.stir(made > 0);
    parts.lifecycle.lives().settle();
    parts.announcer.turn_ends();
    publish();
    return made;
}

void Engine::publish_to(read_model::ChangeFeed& feed) {
    BP_CHECK(parts_->publication == nullptr);
    parts_->publication = std::make_unique<Publication>(parts_->world, feed);
    parts_->lifecycle.publish_to(*parts_->publication);
    publish();
}

bool Engine::publish() { return parts_->publication != nullptr && parts_->publication->turn_ends(); }

bool Engine::has_work() const {
    const World& world = parts_->world;
    return world.resyncs.holding == 0 &&
           (world.unschedulable.woken() > 0 || parts_->lifecycle.placeholders().any_due() ||
            parts_->pipeline.any_selected() || world.order->peek() != kNone<AskId> ||
            parts_->lifecycle.early() != kNone<AskId> || parts_->attempts.reservation_to_act_on() != kNone<AskId>);
}

std::int64_t Engine::next_timer_ns() const {
    return bayplan::next_timer_ns(parts_->world, parts_->lifecycle.quotas(), parts_->room);
}

std::size_t Engine::flush(bool goes_on) {
    for (std::uint32_t number = 0; number < parts_->world.shims.size(); ++number) {
        const auto id = static_cast<ShimId>(number);
        Shim& shim = parts_->world.shims[id];
        if (shim.connection != 0 && shim.announced_applied != shim.applied) {
            shim.announced_applied = shim.applied;
            parts_->announcer.applied(id, shim.applied);
        }
    }
    return parts_->announcer.flush(goes_on);
}

void Engine::settle() { parts_->announcer.settle(); }
bool Engine::waits_for_room() const { return parts_->announcer.waits_for_room(); }
std::uint64_t Engine::attempts() const { return parts_->lifecycle.tally().attempts(); }
std::uint64_t Engine::things() const {
    const World& world = parts_->world;
    std::uint64_t sum = world.asks.size() + world.nodes.slot_count() + world.objects.size() + world.specs.size();
    for (std::uint32_t number = 0; number < world.shims.size(); ++number) {
        const Shim& shim = world.shims[static_cast<ShimId>(number)];
        sum += shim.applications.size() + shim.dictionary.size() + shim.terms.size();
    }
    return sum;
}
std::string Engine::digest() const { return parts_->announcer.digest(); }

std::vector<GroupCounts> Engine::groups() const {
    std::vector<GroupCounts> groups;
    parts_->world.gangs.for_each([&](GangId, const Gang& gang) {
        groups.push_back({gang.name, gang.members.size(), gang.minimum, gang.counted, gang.assigned});
    });
    return groups;
}

EngineCounters Engine::counters() const {
    const World& world = parts_->world;
    const PipelineCounters& pipeline = parts_->pipeline.counters();
    const VictimCounters victims = parts_->attempts.preempting().counters();
    const ReservationCounters& reservations = parts_->attempts.reservation_counters();
    const GuaranteeCounters& guarantees = parts_->attempts.guaranteeing().counters();
    const QuotaCounters& quotas = parts_->lifecycle.quotas().counters();
    const RoomCounters& room = parts_->room.counters();
    const auto looks = [&](ReservationState state) { return reservations.ended[static_cast<std::size_t>(state)]; };
    const AnnouncerCounters told = parts_->announcer.counters();
    const GangTally& gangs = world.gangs.tally();
    return {.inputs = parts_->applied,
            .ignored_inputs = parts_->inputs.ignored(),
            .attempts = attempts(),
            .placed = parts_->lifecycle.tally().placed(),
            .failed = parts_->lifecycle.tally().failed(),
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
            .reservations_made = reservations.made,
            .reservations_cleared = reservations.cleared,
            .reservations_expired = reservations.expired,
            .reservations_together = parts_->attempts.reserving().together(),
            .reservations_preempted = reservations.preemptions,
            .reservation_victims = reservations.victims,
            .guarantee_searches = guarantees.searches,
            .guarantee_spared = guarantees.spared,
            .guarantee_nodes_tried = guarantees.nodes_tried,
            .guarantee_waits = guarantees.waits,
            .guarantee_preemptions = guarantees.preemptions,
            .guarantee_victims = guarantees.victims,
            .quota_preemptions = quotas.preemptions,
            .quota_victims = quotas.victims,
            .queues_over = world.quota_clocks.by_path.size(),
            .room_looks = room.looks,
            .room_preemptions = room.preemptions,
            .room_victims = room.victims,
            .room_claims = world.room_clocks.size(),
            .rests_begun = world.rests.begun(),
            .applications_resting = world.rests.resting(),
            .reservation_looks_delay = looks(ReservationState::delay),
            .reservation_looks_pending = looks(ReservationState::pending),
            .reservation_looks_behind = looks(ReservationState::behind),
            .reservation_looks_coming = looks(ReservationState::coming),
            .reservation_looks_never = looks(ReservationState::never),
            .reservation_looks_nothing_found = looks(ReservationState::nothing_found),
            .plugin_queries = parts_->lifecycle.tally().queried(),
            .plugin_answers_ignored = parts_->inputs.answers_ignored(),
            .told_records = told.records,
            .told_bytes = told.bytes,
            .teller_waits = told.waits,
            .nodes = world.nodes.count(),
            .nodes_overcommitted = world.nodes.overcommitted(),
            .pending = world.order->size() + parts_->pipeline.selected() + world.unschedulable.woken(),
            .backoff = world.backoff.size() + world.nacked.size(),
            .unschedulable = world.unschedulable.size() - world.unschedulable.woken(),
            .waiting_for_node = world.awaited_nodes.size(),
            .reservations = world.reservations.size(),
            .plugin_queries_open = world.plugins.open(),
            .on_permit = world.gangs.count_on_permit(),
            .groups_pending = gangs.pending,
            .groups_partial = gangs.partial,
            .groups_complete = gangs.complete,
            .groups_quorums = gangs.quorums,
            .groups_quorum_ms = gangs.quorum_ms,
            .groups_placed = gangs.placed,
            .groups_placement_ms = gangs.placement_ms,
            .groups_reserved = gangs.reservations,
            .allocations = world.allocations,
            .classes = world.classes.size(),
            .resyncs_open = world.resyncs.open,
            .resyncs_holding = world.resyncs.holding,
            .resyncs_overdue = world.resyncs.overdue,
            .stated_bytes = world.bytes.all()};
}

std::uint64_t Engine::resync_changes() const { return parts_->world.resyncs.changes; }

std::vector<OpenResync> Engine::open_resyncs() const {
    std::vector<OpenResync> result;
    for (std::uint32_t number = 0; number < parts_->world.shims.size(); ++number) {
        const Shim& shim = parts_->world.shims[static_cast<ShimId>(number)];
        if (shim.resync_open) {
            result.push_back({shim.name, shim.hold.holds()});
        }
    }
    return result;
}

std::vector<std::uint32_t> Engine::victim_cpus() const { return parts_->attempts.victim_workers().seen().cpus(); }

void Engine::audit(std::vector<std::string>& broken) const {
    audit_world(parts_->world, parts_->pipeline.selected(), parts_->evaluator, broken);
}

const std::string& Engine::queues_fault() const { return parts_->world.queues_fault; }

std::vector<QueueReport> Engine::queues() const {
    if (parts_->world.tree == nullptr) {
        return {};
    }
    // Asks that are taken ahead count as waiting.
    parts_->lifecycle.catch_up(UINT32_MAX);
    parts_->pipeline.give_all_back();
    return queue_reports(parts_->world.tree->tree());
}

std::optional<Engine::AskName> Engine::next_ask() {
    parts_->lifecycle.catch_up(UINT32_MAX);
    if (parts_->world.resyncs.holding > 0) {
        return std::nullopt;
    }
    World& world = parts_->world;
    AskId id = parts_->attempts.reservation_to_act_on();
    id = id == kNone<AskId> ? parts_->lifecycle.placeholders().first_due() : id;
    if (id != kNone<AskId>) {
        // It needs no turn.
    } else if (const Element element = parts_->pipeline.next(); !element.empty()) {
        id = element.front();
        world.order->refund(element);  // back to where it came from: it is first again
        for (const AskId member : element) {
            change_state(world.asks[member], AskEvent::put_back);
        }
        world.order->insert(element);
    } else {
        id = parts_->lifecycle.early();
    }
    if (id == kNone<AskId>) return std::nullopt;
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
    parts_->lifecycle.catch_up_with(ask);
    return explain_ask(world, parts_->attempts, parts_->evaluator, parts_->search, ask, full);
}

std::optional<Engine::OnItsNode> Engine::explain_on_its_node(std::string_view shim, std::string_view key) const {
    World& world = parts_->world;
    const ShimId id = world.shims.find(shim);
    const AskId ask = id == kNone<ShimId> ? kNone<AskId> : world.shims[id].asks.find(key);
    const Slot slot = ask == kNone<AskId> || is_on_node(world.asks[ask].state) ? kNone<Slot> : daemon_node(world, ask);
    if (slot == kNone<Slot> || world.asks[ask].state == AskState::gated) {
        return std::nullopt;
    }
    const Reserving& reserving = parts_->attempts.reserving();
    const ReservingLook look = reserving.look(ask, slot);
    if (look.found == ReservingLook::Found::other) {
        return std::nullopt;
    }
    OnItsNode found{.node = std::string(world.nodes.name(slot)), .reserved = std::nullopt};
    if (look.found == ReservingLook::Found::short_of_resources) {
        found.reserved = reserving.explain(ask, slot, look);
    }
    return found;
}

std::string Engine::ask_state(std::string_view shim, std::string_view key, std::string* why) const {
    const World& world = parts_->world;
    const ShimId id = world.shims.find(shim);
    const AskId found = id == kNone<ShimId> ? kNone<AskId> : world.shims[id].asks.find(key);
    if (found == kNone<AskId>) {
        return "";
    }
    parts_->lifecycle.catch_up_with(found);
    const Ask& ask = world.asks[found];
    if (why != nullptr) {
        *why = why_it_waits(world, found, parts_->evaluator.predicates());
    }
    return std::string(to_string(ask.state));
}

}  // namespace bayplan
