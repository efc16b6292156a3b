// Looks at asks that wait for room, and what comes of them; see room_steps.h.
#include "engine/room_steps.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/diagnosis.h"
#include "engine/lifecycle.h"

namespace bayplan {

using queue_tree::kNoQueue;
using queue_tree::kRoot;
using queue_tree::QueueId;

namespace {

constexpr std::int64_t kBetweenLooks = 1'000'000'000;  // R-GUARANTEE-41
constexpr int kClaimsMax = 10;                         // R-GUARANTEE-45

}  // namespace

// --- when

void RoomSteps::settle() {
    if (!stirred_ || world_.resyncs.holding > 0 || (looked_ns_ && world_.now_ns - *looked_ns_ < kBetweenLooks)) {
        return;
    }
    if (!is_on()) {
        world_.room_clocks.clear();
        return;
    }
    stirred_ = false;
    looked_ns_ = world_.now_ns;
    ++counters_.looks;
    look();
}

std::int64_t RoomSteps::next_time_ns() const {
    if (world_.resyncs.holding > 0 || !is_on()) {
        return INT64_MAX;
    }
    std::int64_t next = stirred_ && looked_ns_ ? *looked_ns_ + kBetweenLooks : INT64_MAX;
    for (const auto& [path, clock] : world_.room_clocks) {
        next = clock.due_ns > world_.now_ns ? std::min(next, clock.due_ns) : next;
    }
    return next;
}

bool RoomSteps::is_on() const {
    const PreemptionOptions& options = world_.options.preemption;
    return world_.queues_config != nullptr && world_.queues_config->preemption_enabled && options.enabled &&
           options.guarantee && any_maximum() && world_.tree->any_guarantee();
}

bool RoomSteps::any_maximum() const {
    const queue_tree::QueueTable& queues = world_.tree->queues();
    if (std::exchange(seen_queues_, queues.version()) != queues.version()) {
        any_maximum_ = false;
        for (std::uint32_t at = 0; at < queues.end() && !any_maximum_; ++at) {
            any_maximum_ = QueueId{at} != kRoot && queues[QueueId{at}].exists && !queues[QueueId{at}].max.empty();
        }
    }
    return any_maximum_;
}

// --- for whom

void RoomSteps::look() {
    waiting_.forget();
    victims_.forget();
    bring_up_to_date();
    look_at_clocks();
    for (const QueueId leaf : waiting_.leaves()) {
        const auto clock = world_.room_clocks.find(world_.tree->queues()[leaf].path);
        if (clock != world_.room_clocks.end() && clock->second.due_ns <= world_.now_ns) {
            claim(leaf);
        }
    }
}

// They go on, begin or end. Leaves and clocks are both in the order of paths.
void RoomSteps::look_at_clocks() {
    RoomClocks& clocks = world_.room_clocks;
    auto at = clocks.begin();
    for (const QueueId leaf : waiting_.leaves()) {
        if (claimant(leaf) != kNone<AskId>) {
            go_on(at, leaf);
        }
    }
    clocks.erase(at, clocks.end());
}

// The clock of the leaf, or a new one; `at`: the first that has not been looked at, afterwards that behind it.
void RoomSteps::go_on(RoomClocks::iterator& at, QueueId leaf) {
    RoomClocks& clocks = world_.room_clocks;
    const queue_tree::Queue& queue = world_.tree->queues()[leaf];
    while (at != clocks.end() && at->first < queue.path) {
        at = clocks.erase(at);
    }
    if (at == clocks.end() || at->first != queue.path) {
        at = clocks.emplace_hint(at, queue.path, RoomClock{world_.now_ns, 0});
    }
    const std::int64_t delay_ns = std::chrono::nanoseconds(queue.settings.preemption_delay).count();
    at->second.due_ns = at->second.since_ns + std::min(delay_ns, INT64_MAX - at->second.since_ns);
    ++at;
}

// One ask after another, while pods go.
void RoomSteps::claim(QueueId leaf) {
    for (int claims = 0; claims < kClaimsMax; ++claims) {
        bring_up_to_date();  // pods that go may have woken asks
        const AskId id = claimant(leaf);
        if (id == kNone<AskId> || !make_room(id)) {
            return;
        }
        waiting_.nominated(id);
    }
}

void RoomSteps::bring_up_to_date() {
    attempts_.lifecycle().catch_up(UINT32_MAX);
    pipeline_.give_all_back();
    world_.order->peek();  // brings it up to date
    guarantees_of(world_);
    waiting_.bring_up_to_date();
}

AskId RoomSteps::claimant(QueueId leaf) const {
    const RoomWaiting::Leaf& asks = waiting_.of(leaf);
    const queue_tree::QueueTree& tree = world_.tree->tree();
    AskId best = kNone<AskId>;
    const auto may_be_best = [&](AskId id) { return best == kNone<AskId> || tree.is_older(id, best); };
    for (const AskId id : asks.nominated) {
        best = may_be_best(id) && lacks_room(id) ? id : best;
    }
    for (const AskId first : asks.firsts) {
        if (may_be_best(first) && others_lack_room(first)) {
            const AskId id = first_of_run(first, best);
            best = id == kNone<AskId> ? best : id;
        }
    }
    return best;
}

// The first of the run that may claim, is not nominated and comes before the other; kNone: none.
AskId RoomSteps::first_of_run(AskId first, AskId before) const {
    queue_tree::QueueTree& tree = world_.tree->tree();
    for (AskId id = first; id != kNone<AskId>; id = tree.next_alike(id)) {
        if (before != kNone<AskId> && !tree.is_older(id, before)) {
            break;
        }
        if (may_claim(id) && !tree.guarantees().holds(id)) {
            return id;
        }
    }
    return kNone<AskId>;
}

// R-GUARANTEE-39 of all asks of a run that are not nominated, but for what each of them is: their application, priority
// and amounts are the same.
bool RoomSteps::others_lack_room(AskId first) const {
    const Ask& ask = world_.asks[first];
    queue_tree::QueueTree& tree = world_.tree->tree();
    if (!world_.order->has_credit(ask.shim) || world_.rests.until_ns(ask.application) ||
        !tree.lacks_a_queue_alone(first)) {
        return false;
    }
    const QueueId leaf = world_.tree->leaf_of(ask.application);
    const queue_tree::Request wanted = tree.requested(first);
    const queue_tree::Guarantees& held = tree.guarantees();
    return held.guarantor(leaf, wanted) != kNoQueue && held.covers(leaf, wanted, queue_tree::Request()) &&
           !shortage(leaf, wanted, false).needed.empty();
}

// As far as the ask itself says it: asks of a run may differ in this.
bool RoomSteps::may_claim(AskId id) const {
    const Ask& ask = world_.asks[id];
    return !is_coscheduled(ask.group) && !ask.never_preempts && !needs_plugins(world_, id) &&
           !is_daemon_pod(world_, id);
}

// R-GUARANTEE-39.
bool RoomSteps::lacks_room(AskId id) const {
    const Ask& ask = world_.asks[id];
    return may_claim(id) && world_.order->has_credit(ask.shim) && !world_.rests.until_ns(ask.application) &&
           world_.tree->tree().lacks_a_queue_alone(id) && !shortage(id).needed.empty() &&
           attempts_.guaranteeing().concerned(id);
}

// With the ask, beyond what pods on their way out leave behind.
RoomSteps::Shortage RoomSteps::shortage(AskId id) const {
    queue_tree::QueueTree& tree = world_.tree->tree();
    return shortage(world_.tree->leaf_of(world_.asks[id].application), tree.requested(id), tree.guarantees().holds(id));
}

RoomSteps::Shortage RoomSteps::shortage(QueueId leaf, queue_tree::Request wanted, bool held_already) const {
    Shortage shortage;
    queue_tree::QueueTree& tree = world_.tree->tree();
    const queue_tree::QueueUsage& usage = tree.usage();
    const queue_tree::Guarantees& held = tree.guarantees();
    for (QueueId at = leaf; at != kRoot; at = tree.queues().parent(at)) {
        for (const queue_tree::Amount& amount : wanted) {
            const std::int64_t most = usage.maximum(at, amount.resource);
            if (most == queue_tree::kUnlimited) {
                continue;
            }
            const std::int64_t over = held.held(at, amount.resource) + (held_already ? 0 : amount.value) - most;
            if (over > 0) {
                shortage.queue = shortage.queue == kNoQueue ? at : shortage.queue;
                std::int64_t& needed = shortage.needed[amount.resource];
                needed = std::max(needed, over);
            }
        }
    }
    return shortage;
}

// --- whom

// False: nobody goes.
bool RoomSteps::make_room(AskId id) {
    const Shortage lacks = shortage(id);
    Guaranteeing& guaranteeing = attempts_.guaranteeing();
    const QueueId leaf = world_.tree->leaf_of(world_.asks[id].application);
    const queue_tree::Guarantees& held = world_.tree->tree().guarantees();
    std::optional<NodeVictims> found = find_node(id, lacks.queue);
    queue_tree::SparePods spare(world_.tree->queues(), held, leaf,
                                held.guarantor(leaf, world_.tree->tree().requested(id)), world_.asks[id].priority,
                                nullptr, lacks.queue);
    if (found && !victims_.add(spare, lacks.queue, lacks.needed, *found)) {
        found.reset();
    }
    if (found) {
        const auto told = [&](AskId victim) { return !world_.asks[victim].terminating; };
        found->cost.count = static_cast<std::uint32_t>(std::ranges::count_if(found->victims, told));
    }
    guaranteeing.count(found ? &*found : nullptr);
    if (found) {
        ++counters_.preemptions;
        counters_.victims += found->cost.count;
        attempts_.lifecycle().nominate_for_room(id, *found, guaranteeing.guarantor(id));
        attempts_.lifecycle().gangs().settle();
    }
    return found.has_value();
}

// The node that an attempt would choose, where nobody need go; else the best one without pods of other queues.
std::optional<NodeVictims> RoomSteps::find_node(AskId id, QueueId within) {
    const Tentative tentative(attempts_.commit());
    attempts_.commit().suspend_nomination(id);
    if (const Slot slot = attempts_.find_for_member(id); slot != kNone<Slot>) {
        NodeVictims there;
        there.slot = slot;
        return there;
    }
    Diagnoser diagnoser(world_, predicates_, id);
    const Diagnosis diagnosis = diagnoser.diagnose();
    if (!attempts_.preempting().decide(id, diagnosis).eligible) {
        return std::nullopt;
    }
    return attempts_.guaranteeing().search_within(within, id, *diagnosis.unschedulable);
}

// --- for people

std::string room_to_be_made(const World& world, AskId id) {
    if (const Nomination* const nomination = world.nominations.of(id); nomination != nullptr) {
        return "; it is nominated to node " + std::string(world.nodes.name(nomination->slot)) +
               ", and pods go that keep it from there or from its queue";
    }
    const QueueId leaf = world.tree->leaf_of(world.asks[id].application);
    const auto clock = world.room_clocks.find(world.tree->queues()[leaf].path);
    if (clock == world.room_clocks.end()) {
        return {};
    }
    const queue_tree::Guarantees& held = guarantees_of(world);
    const queue_tree::Request wanted = world.tree->tree().requested(id);
    if (held.guarantor(leaf, wanted) == kNoQueue || !held.covers(leaf, wanted, queue_tree::Request())) {
        return {};
    }
    return world.now_ns < clock->second.due_ns
               ? "; pods of other queues may go for its guarantee at " + std::to_string(clock->second.due_ns) + " ns"
               : "; for its guarantee no pods of other queues have gone yet";
}

}  // namespace bayplan
