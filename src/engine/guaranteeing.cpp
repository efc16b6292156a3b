// The steps of rules/guarantees.md, in their order; see guaranteeing.h.
#include "engine/guaranteeing.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/backwards.h"
#include "cluster/amount_lists.h"
#include "engine/reserving.h"
#include "preemption/node_trial.h"

namespace bayplan {

namespace {

using queue_tree::Guarantees;
using queue_tree::QueueId;
using queue_tree::Request;

}  // namespace

Guaranteeing::Guaranteeing(World& world, const PredicateSet& predicates, const GangBudgets& gangs)
    : world_(world),
      tables_(trial_tables(world, predicates)),
      gangs_(gangs),
      looks_at_amounts_(predicates.has(PredicateId::node_resources_fit)) {
    world.classes.add_listener(*this);
    if (world.tree != nullptr) {
        supposed_.emplace(world.tree->queues());
    }
}

// --- when

Guarantees& guarantees_of(const World& world) {
    return world.tree->guarantees([&](AskId id) {
        const Ask& ask = world.asks[id];
        return is_on_node(ask.state) ? !ask.terminating : world.nominations.of(id) != nullptr;
    });
}

QueueId Guaranteeing::leaf_of(AskId id) const { return world_.tree->leaf_of(world_.asks[id].application); }

// Not looking at amounts.
bool Guaranteeing::is_on(AskId id) const {
    return world_.tree != nullptr && world_.options.preemption.guarantee && world_.queues_config != nullptr &&
           world_.queues_config->preemption_enabled && world_.tree->any_guarantee() && !is_daemon_pod(world_, id);
}

bool Guaranteeing::may_ever(AskId id) const { return is_on(id) && !is_coscheduled(world_.asks[id].group); }

// The first two lines of the table of R-GUARANTEE-9.
bool Guaranteeing::concerned(AskId id) const {
    if (!may_ever(id)) {
        return false;
    }
    const Guarantees& held = guarantees_of(world_);
    const QueueId leaf = leaf_of(id);
    const Request wanted = world_.tree->tree().requested(id);
    return held.guarantor(leaf, wanted) != queue_tree::kNoQueue &&
           held.covers(leaf, wanted, held.holds(id) ? held.held_by(id) : Request());
}

std::int64_t Guaranteeing::delay_ns(AskId id) const {
    return std::chrono::nanoseconds(world_.tree->queues()[leaf_of(id)].settings.preemption_delay).count();
}

std::string_view Guaranteeing::guarantor(AskId id) const {
    const QueueId queue = world_.tree->tree().guarantees().guarantor(leaf_of(id), world_.tree->tree().requested(id));
    return queue == queue_tree::kNoQueue ? std::string_view() : world_.tree->queues()[queue].path;
}

std::string Guaranteeing::text(AskId id, Guaranteed standing, bool found) const {
    return may_ever(id) ? group_text(id, standing, found) : std::string();
}

std::string Guaranteeing::group_text(AskId id, Guaranteed standing, bool found) const {
    if (!is_on(id)) {
        return {};
    }
    const std::string queue(guarantor(id));
    if (queue.empty()) {
        return "no queue of its path guarantees any of what it asks for";
    }
    switch (standing) {
        case Guaranteed::no: return "the guarantee of " + queue + " has no room for it";
        case Guaranteed::waits: {
            constexpr std::int64_t kNsPerMs = 1'000'000;
            return "nobody goes for the guarantee of " + queue + " before it has failed for " +
                   std::to_string(delay_ns(id) / kNsPerMs) + " ms";
        }
        case Guaranteed::may:
        case Guaranteed::failed: break;
    }
    return found ? "for the guarantee of " + queue : "nobody may go for the guarantee of " + queue;
}

void Guaranteeing::count(const NodeVictims* found) {
    ++counters_.searches;
    counters_.preemptions += found == nullptr ? 0 : 1;
    counters_.victims += found == nullptr ? 0 : found->cost.count;
}

Guaranteed Guaranteeing::look(AskId id, bool alike) const {
    if (!concerned(id)) {
        return Guaranteed::no;
    }
    if (!is_over(id)) {
        return Guaranteed::waits;
    }
    return alike && failed_before(id) ? Guaranteed::failed : Guaranteed::may;
}

// Its delay.
bool Guaranteeing::is_over(AskId id) const {
    return world_.now_ns - world_.guarantee_waits.since_ns(id).value_or(world_.now_ns) >= delay_ns(id);
}

Guaranteed Guaranteeing::failed(AskId id, bool alike) {
    if (!concerned(id)) {
        return Guaranteed::no;
    }
    wait(id);
    const Guaranteed standing = look(id, alike);
    counters_.spared += standing == Guaranteed::failed ? 1 : 0;
    return standing;
}

Guaranteed Guaranteeing::wait(AskId id) {
    const std::int64_t over_ns = world_.guarantee_waits.begin(id, world_.now_ns) + delay_ns(id);
    const bool is_over = over_ns <= world_.now_ns;
    world_.guarantee_waits.wake_at(id, is_over ? INT64_MAX : over_ns);
    counters_.waits += is_over ? 0 : 1;
    return is_over ? Guaranteed::may : Guaranteed::waits;
}

// --- pod groups

Guaranteed Guaranteeing::group_failed(const std::vector<AskId>& members) {
    return group_is_guaranteed(members) ? wait(members.front()) : Guaranteed::no;
}

Guaranteed Guaranteeing::look_at_group(const std::vector<AskId>& members) {
    if (!group_is_guaranteed(members)) {
        return Guaranteed::no;
    }
    return is_over(members.front()) ? Guaranteed::may : Guaranteed::waits;
}

bool Guaranteeing::group_is_guaranteed(const std::vector<AskId>& members) {
    const AskId eldest = members.front();
    if (!is_on(eldest)) {
        return false;
    }
    const Guarantees& held = guarantees_of(world_);
    const Request wanted = world_.tree->tree().requested(eldest);
    begin_trial(members);
    return held.guarantor(leaf_of(eldest), wanted) != queue_tree::kNoQueue &&
           held.covers(leaf_of(eldest), wanted, *supposed_);
}

// Amounts that are counted stay as they were before the trial.
void Guaranteeing::begin_trial(const std::vector<AskId>& members) {
    const Guarantees& held = world_.tree->tree().guarantees();
    supposed_->clear();
    for (const AskId id : members) {
        if (held.holds(id)) {
            supposed_->add(held.leaf_of(id), held.held_by(id), -1);
        }
    }
}

void Guaranteeing::takes(AskId member) { supposed_->add(leaf_of(member), world_.tree->tree().requested(member), +1); }

void Guaranteeing::go(const std::vector<AskId>& victims) {
    const Guarantees& held = world_.tree->tree().guarantees();
    for (const AskId id : victims) {
        if (held.holds(id)) {
            supposed_->add(held.leaf_of(id), held.held_by(id), -1);
        }
    }
}

std::optional<NodeVictims> Guaranteeing::search_in_trial(AskId member, const NodeMask& nodes, bool counts) {
    const Guarantees& held = world_.tree->tree().guarantees();
    const Request wanted = world_.tree->tree().requested(member);
    if (is_daemon_pod(world_, member) || held.guarantor(leaf_of(member), wanted) == queue_tree::kNoQueue ||
        !held.covers(leaf_of(member), wanted, *supposed_)) {
        return std::nullopt;
    }
    std::optional<NodeVictims> found = search(member, nodes, &*supposed_);
    if (counts) {
        count(found ? &*found : nullptr);
    }
    return found;
}

// --- searches that found nobody

Guaranteeing::Position Guaranteeing::position() const {
    return {world_.node_state.log().head() + world_.topology.version(),
            world_.tree->holding_version() + world_.tree->queues().version() + world_.guarantee_waits.changes()};
}

bool Guaranteeing::failed_before(AskId id) const {
    const std::uint32_t number = raw(world_.asks[id].ask_class);
    return number < failures_.size() && std::ranges::any_of(failures_[number], [&](const LeafFailure& one) {
               return one.leaf == leaf_of(id) && one.position == position();
           });
}

void Guaranteeing::keep_failure(AskId id) {
    const std::uint32_t number = raw(world_.asks[id].ask_class);
    failures_.resize(std::max<std::size_t>(failures_.size(), number + std::size_t{1}));
    std::vector<LeafFailure>& of_class = failures_[number];
    // Nothing that was found before the last change counts any more.
    std::erase_if(of_class, [&](const LeafFailure& one) { return one.position != position(); });
    of_class.push_back({leaf_of(id), position()});
}

// Its number may be another class's.
void Guaranteeing::class_gone(ClassId gone) {
    if (raw(gone) < failures_.size()) {
        failures_[raw(gone)].clear();
    }
}

// --- whom

void Guaranteeing::collect(Slot slot, queue_tree::SparePods& spare) {
    pool_.clear();
    for (const AskId id : world_.nodes[slot].allocations) {
        const Ask& pod = world_.asks[id];
        if (pod.terminating) {
            if (!world_.departures.is_stuck(id)) {
                pool_.push_back({id, 0});
            }
        } else if (is_allocated(pod.state) && !pod.foreign && !pod.is_static && !pod.daemonset &&
                   spare.may_go(leaf_of(id), pod.priority)) {
            const int of_owners = pod.originator ? 2 : 1;
            pool_.push_back({id, static_cast<std::uint8_t>(pod.opted_out ? 3 : of_owners)});
        }
    }
}

// Not, if all of them together have too little: most nodes need no trial.
bool Guaranteeing::may_make_room(AskId id, Slot slot) const {
    if (!looks_at_amounts_) {
        return true;
    }
    const NodeBlock& block = world_.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    for (const ResourceAmount& asked : world_.classes[world_.asks[id].ask_class].spec->requests) {
        std::int64_t room = block.unused(lane, asked.resource);
        for (const Pod& pod : pool_) {
            room += amount_of(world_.classes[world_.asks[pod.id].ask_class].spec->occupies, asked.resource);
        }
        if (room < asked.value) {
            return false;
        }
    }
    return true;
}

// One pod of the lowest priority, the youngest of them; nobody at all, where pods go anyway.
Guaranteeing::Found Guaranteeing::bound() const {
    Found bound;
    bound.rank = {0, 0, 0, std::ranges::none_of(pool_, [](const Pod& pod) { return pod.victim_class == 0; })};
    if (!std::get<3>(bound.rank)) {
        return bound;
    }
    VictimCost& cost = bound.victims.cost;
    cost.highest_priority = INT64_MAX;
    for (const Pod& pod : pool_) {
        const Ask& ask = world_.asks[pod.id];
        if (ask.priority < cost.highest_priority) {
            cost.highest_priority = ask.priority;
            cost.earliest_start_ms = start_of(ask);
        } else if (ask.priority == cost.highest_priority) {
            cost.earliest_start_ms = std::max(cost.earliest_start_ms, start_of(ask));
        }
    }
    cost.priority_sum = cost.highest_priority + (std::int64_t{1} << 31);
    cost.count = 1;
    return bound;
}

// From the least important on; others are no part of the pool.
void Guaranteeing::let_in(queue_tree::SparePods& spare) {
    std::ranges::sort(pool_, [&](const Pod& a, const Pod& b) {
        return a.victim_class != b.victim_class
                   ? a.victim_class > b.victim_class
                   : more_important(world_.asks, a.id, b.id, world_.options.preemption.victim_order);
    });
    const Guarantees& held = world_.tree->tree().guarantees();
    spare.begin();
    GangBudgets::Left of_gangs = gangs_.all();
    for (Pod& pod : backwards(pool_)) {
        pod.victim =
            pod.victim_class == 0 || (of_gangs.can_spare(pod.id) && spare.take(leaf_of(pod.id), held.held_by(pod.id)));
        if (pod.victim && pod.victim_class > 0) {
            of_gangs.exceeded_by(pod.id);
        }
    }
    std::erase_if(pool_, [](const Pod& pod) { return !pod.victim; });
}

void Guaranteeing::split_by_budgets() {
    if (world_.budgets.empty()) {
        return;
    }
    std::map<const PodBudget*, std::int64_t> left;
    for (Pod& pod : pool_) {
        if (pod.victim_class == 0) {
            continue;
        }
        const SpecId spec = world_.classes.spec_of(world_.asks[pod.id]);
        for (const PodBudget* budget : world_.budgets.covering(spec, world_.asks.key(pod.id))) {
            pod.violating = --left.try_emplace(budget, budget->disruptions_allowed).first->second < 0 || pod.violating;
        }
    }
}

void Guaranteeing::reprieve(NodeTrial& trial) {
    for (const bool violating : {true, false}) {
        for (Pod& pod : pool_) {
            if (pod.violating != violating) {
                continue;
            }
            trial.put_back(pod.id);
            pod.victim = !trial.passes();
            if (pod.victim) {
                trial.take_off(pod.id);
            }
        }
    }
}

Guaranteeing::Found Guaranteeing::result(Slot slot) const {
    Found found;
    found.victims.slot = slot;
    VictimCost& cost = found.victims.cost;
    auto& [violating, opted_out, owners, any] = found.rank;
    for (const Pod& pod : pool_) {
        if (!pod.victim) {
            continue;
        }
        found.victims.victims.push_back(pod.id);
        if (pod.victim_class == 0) {
            continue;
        }
        const Ask& ask = world_.asks[pod.id];
        if (!any || ask.priority > cost.highest_priority) {
            cost.highest_priority = ask.priority;
            cost.earliest_start_ms = INT64_MAX;
        }
        if (ask.priority == cost.highest_priority) {
            cost.earliest_start_ms = std::min(cost.earliest_start_ms, start_of(ask));
        }
        any = true;
        violating += pod.violating ? 1 : 0;
        opted_out += pod.victim_class == 3 ? 1 : 0;
        owners += pod.victim_class == 2 ? 1 : 0;
        cost.priority_sum += ask.priority + (std::int64_t{1} << 31);
        ++cost.count;
    }
    cost.budget_violations = violating;
    return found;
}

bool Guaranteeing::Found::better_than(const Found& other) const {
    return rank != other.rank ? rank < other.rank : victims.cost.better_than(other.victims.cost);
}

std::optional<NodeVictims> Guaranteeing::search(AskId id, const NodeMask& nodes) { return search(id, nodes, nullptr); }

std::optional<NodeVictims> Guaranteeing::search_within(QueueId queue, AskId id, const NodeMask& nodes) {
    return search(id, nodes, nullptr, queue);
}

std::optional<NodeVictims> Guaranteeing::search(AskId id, const NodeMask& nodes, const queue_tree::HeldBeside* beside,
                                                QueueId within) {
    const QueueId leaf = leaf_of(id);
    const Guarantees& held = world_.tree->tree().guarantees();
    const QueueId guarantor = held.guarantor(leaf, world_.tree->tree().requested(id));
    queue_tree::SparePods spare(world_.tree->queues(), held, leaf, guarantor, world_.asks[id].priority, beside, within);
    std::optional<Found> best;
    for_each_slot(nodes, [&](Slot slot) {
        collect(slot, spare);
        if (pool_.empty() || (best && !bound().better_than(*best)) || !may_make_room(id, slot)) {
            return;
        }
        let_in(spare);
        if (pool_.empty() || !may_make_room(id, slot)) {
            return;
        }
        ++counters_.nodes_tried;
        NodeTrial trial(tables_, id, slot);
        for (const Pod& pod : pool_) {
            trial.take_off(pod.id);
        }
        if (!trial.passes()) {
            return;
        }
        split_by_budgets();
        reprieve(trial);
        Found found = result(slot);
        if (!found.victims.victims.empty() && (!best || found.better_than(*best))) {
            best = std::move(found);
        }
    });
    return best ? std::optional(std::move(best->victims)) : std::nullopt;
}

}  // namespace bayplan
