// The pool of a queue, and who of it stays; see quota_victims.h.
#include "engine/quota_victims.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_state.h"
#include "base/backwards.h"
#include "preemption/victim_index.h"

namespace bayplan {

using queue_tree::kNoQueue;
using queue_tree::QueueId;

// Amounts that queues below the shrinking queue would hold without the pods let in.
class QuotaVictims::Spare {
public:
    using Taken = std::map<std::pair<QueueId, std::uint32_t>, std::int64_t>;

    Spare(const queue_tree::QueueTable& queues, const queue_tree::Guarantees& guarantees, QueueId shrinking)
        : queues_(queues), guarantees_(guarantees), shrinking_(shrinking) {}

    // R-QUOTA-13; then the pod is taken.
    bool take(QueueId leaf, const Part& part) {
        for (QueueId id = leaf; id != shrinking_; id = queues_[id].parent) {
            for (const queue_tree::Amount& amount : part) {
                if (guarantees_.names(id, amount.resource) &&
                    guarantees_.beyond(id, amount.resource) - taken_[{id, amount.resource}] < amount.value) {
                    return false;
                }
            }
        }
        for (QueueId id = leaf; id != shrinking_; id = queues_[id].parent) {
            for (const queue_tree::Amount& amount : part) {
                taken_[{id, amount.resource}] += amount.value;
            }
        }
        return true;
    }

    const Taken& taken() const { return taken_; }
    void back_to(Taken taken) { taken_ = std::move(taken); }

private:
    const queue_tree::QueueTable& queues_;
    const queue_tree::Guarantees& guarantees_;
    const QueueId shrinking_;
    Taken taken_;
};

std::vector<AskId> QuotaVictims::find(QueueId queue, const Excess& excess) {
    collect(queue, excess);
    sort();
    let_in(queue, excess);
    split_by_budgets();
    reprieve(excess);
    std::vector<AskId> victims;
    for (const Pod& pod : pool_) {
        if (pod.victim) {
            victims.push_back(pod.id);
        }
    }
    return victims;
}

bool QuotaVictims::is_below(QueueId leaf, QueueId queue) const {
    while (leaf != kNoQueue && leaf != queue) {
        leaf = world_.tree->queues()[leaf].parent;
    }
    return leaf == queue;
}

QuotaVictims::Part QuotaVictims::part_of(AskId id, const Excess& excess) const {
    Part part;
    for (const queue_tree::Amount& amount : guarantees().held_by(id)) {
        if (std::ranges::find(excess, amount.resource, &queue_tree::Amount::resource) != excess.end()) {
            part.push_back(amount);
        }
    }
    return part;
}

void QuotaVictims::collect(QueueId queue, const Excess& excess) {
    pool_.clear();
    for (std::uint32_t number = 0; number < world_.applications.end(); ++number) {
        const auto id = static_cast<ApplicationId>(number);
        if (!world_.applications[id].alive) {
            continue;
        }
        const QueueId leaf = world_.tree->leaf_of(id);
        const auto policy = world_.tree->queues()[leaf].settings.preemption_policy;
        if (policy != queue_tree::PreemptionPolicy::disabled && is_below(leaf, queue)) {
            collect(id, excess);
        }
    }
}

void QuotaVictims::collect(ApplicationId application, const Excess& excess) {
    const AskList<InApplication>& asks = world_.applications[application].asks;
    for (AskId id = asks.front(); id != kNone<AskId>; id = asks.next(world_.asks, id)) {
        const Ask& pod = world_.asks[id];
        if (is_allocated(pod.state) && !pod.terminating && !pod.foreign && !pod.is_static && !pod.daemonset &&
            !part_of(id, excess).empty()) {
            const int of_owners = pod.originator ? 2 : 1;
            pool_.push_back({id, static_cast<std::uint8_t>(pod.opted_out ? 3 : of_owners)});
        }
    }
}

void QuotaVictims::sort() {
    std::ranges::sort(pool_, [&](const Pod& a, const Pod& b) {
        return a.victim_class != b.victim_class
                   ? a.victim_class > b.victim_class
                   : more_important(world_.asks, a.id, b.id, world_.options.preemption.victim_order);
    });
    gangs_of_pool_.clear();
    boost::unordered_flat_map<GangId, std::size_t> places;
    for (Pod& pod : pool_) {
        const GangId gang = gangs_.empty() ? kNone<GangId> : gangs_.runs_in(pod.id);
        if (gang == kNone<GangId>) {
            continue;
        }
        const auto [place, is_new] = places.try_emplace(gang, gangs_of_pool_.size());
        if (is_new) {
            gangs_of_pool_.push_back({gang, {}});
        }
        gangs_of_pool_[place->second].pods.push_back(&pod);
    }
}

// From the least important on.
void QuotaVictims::let_in(QueueId queue, const Excess& excess) {
    Spare spare(world_.tree->queues(), guarantees(), queue);
    GangBudgets::Left of_gangs = gangs_.all();
    for (Pod& pod : backwards(pool_)) {
        pod.let_in = of_gangs.can_spare(pod.id) && spare.take(leaf_of(pod.id), part_of(pod.id, excess));
        if (pod.let_in) {
            of_gangs.exceeded_by(pod.id);
        }
    }
    let_in_gangs(spare, excess);
    for (Pod& pod : pool_) {
        pod.victim = pod.let_in;
    }
}

// Below 0 for a resource: those let in do not suffice.
QuotaVictims::Rest QuotaVictims::rest_of(const Excess& excess) const {
    Rest more;
    for (const queue_tree::Amount& amount : excess) {
        more[amount.resource] = -amount.value;
    }
    for (const Pod& pod : pool_) {
        for (const queue_tree::Amount& amount : pod.let_in ? part_of(pod.id, excess) : Part()) {
            more[amount.resource] += amount.value;
        }
    }
    return more;
}

void QuotaVictims::let_in_gangs(Spare& spare, const Excess& excess) {
    Rest more = gangs_of_pool_.empty() ? Rest() : rest_of(excess);
    const auto lacks = [](const auto& one) { return one.second < 0; };
    for (const PodsOfGang& gang : backwards(gangs_of_pool_)) {
        if (std::ranges::none_of(more, lacks)) {
            return;
        }
        if (!let_in_whole(gang, spare, excess)) {
            continue;
        }
        for (const Pod* const pod : gang.pods) {
            for (const queue_tree::Amount& amount : pod->whole ? part_of(pod->id, excess) : Part()) {
                more[amount.resource] += amount.value;
            }
        }
    }
}

bool QuotaVictims::let_in_whole(const PodsOfGang& gang, Spare& spare, const Excess& excess) {
    const auto on_nodes = std::ranges::count_if(world_.gangs[gang.id].members, [&](const MemberAge& member) {
        return gangs_.runs_in(member.ask) == gang.id && world_.asks[member.ask].slot != kNone<Slot>;
    });
    if (on_nodes != std::ssize(gang.pods)) {
        return false;
    }
    const Spare::Taken before = spare.taken();
    for (const Pod* const pod : gang.pods) {
        if (!pod->let_in && !spare.take(leaf_of(pod->id), part_of(pod->id, excess))) {
            spare.back_to(before);
            return false;
        }
    }
    for (Pod* const pod : gang.pods) {
        pod->whole = !pod->let_in;
        pod->let_in = true;
    }
    return true;
}

// The least important first: of many pods under one budget those may go that would go without it.
void QuotaVictims::split_by_budgets() {
    if (world_.budgets.empty()) {
        return;
    }
    std::map<const PodBudget*, std::int64_t> left;
    for (Pod& pod : backwards(pool_)) {
        if (!pod.let_in) {
            continue;
        }
        const SpecId spec = world_.classes.spec_of(world_.asks[pod.id]);
        for (const PodBudget* budget : world_.budgets.covering(spec, world_.asks.key(pod.id))) {
            pod.violating = --left.try_emplace(budget, budget->disruptions_allowed).first->second < 0 || pod.violating;
        }
    }
}

void QuotaVictims::reprieve(const Excess& excess) {
    Rest more = rest_of(excess);
    for (const PodsOfGang& gang : gangs_of_pool_) {
        reprieve(gang, excess, more);
    }
    for (const bool violating : {true, false}) {
        for (Pod& pod : pool_) {
            const Part part = pod.victim && !pod.whole ? part_of(pod.id, excess) : Part();
            const auto is_needed = [&](const queue_tree::Amount& amount) {
                return amount.value > more[amount.resource];
            };
            if (part.empty() || pod.violating != violating || std::ranges::any_of(part, is_needed)) {
                continue;
            }
            pod.victim = false;
            for (const queue_tree::Amount& amount : part) {
                more[amount.resource] -= amount.value;
            }
        }
    }
}

// R-QUOTA-28, R-QUOTA-29.
void QuotaVictims::reprieve(const PodsOfGang& gang, const Excess& excess, Rest& more) {
    Rest all;
    for (const Pod* const pod : gang.pods) {
        for (const queue_tree::Amount& amount : pod->whole ? part_of(pod->id, excess) : Part()) {
            all[amount.resource] += amount.value;
        }
    }
    if (all.empty()) {
        return;
    }
    if (std::ranges::any_of(all, [&](const auto& one) { return one.second > more[one.first]; })) {
        for (Pod* const pod : gang.pods) {
            pod->whole = true;
        }
        return;
    }
    for (Pod* const pod : gang.pods) {
        pod->victim = !pod->whole;
        pod->whole = false;
    }
    for (const auto& [resource, value] : all) {
        more[resource] -= value;
    }
}

}  // namespace bayplan
