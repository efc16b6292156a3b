// The pool of a queue, and who of it stays; see quota_victims.h.
#include "engine/quota_victims.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "apps/ask_state.h"
#include "preemption/victim_index.h"

namespace bayplan {

using queue_tree::kNoQueue;
using queue_tree::QueueId;

namespace {

// Amounts that queues below the shrinking queue would hold without the pods let in.
class Spare {
public:
    Spare(const queue_tree::QueueTable& queues, const queue_tree::Guarantees& guarantees, QueueId shrinking)
        : queues_(queues), guarantees_(guarantees), shrinking_(shrinking) {}

    // R-QUOTA-13; then the pod is taken.
    bool take(QueueId leaf, const std::vector<queue_tree::Amount>& part) {
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

private:
    const queue_tree::QueueTable& queues_;
    const queue_tree::Guarantees& guarantees_;
    const QueueId shrinking_;
    std::map<std::pair<QueueId, std::uint32_t>, std::int64_t> taken_;
};

}  // namespace

std::vector<AskId> QuotaVictims::find(QueueId queue, const Excess& excess) {
    collect(queue, excess);
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

// From the least important on; others are no part of the pool.
void QuotaVictims::let_in(QueueId queue, const Excess& excess) {
    std::ranges::sort(pool_, [&](const Pod& a, const Pod& b) {
        return a.victim_class != b.victim_class
                   ? a.victim_class > b.victim_class
                   : more_important(world_.asks, a.id, b.id, world_.options.preemption.victim_order);
    });
    Spare spare(world_.tree->queues(), guarantees(), queue);
    GangBudgets::Left of_gangs = gangs_.all();
    for (Pod& pod : std::views::reverse(pool_)) {
        const QueueId leaf = world_.tree->leaf_of(world_.asks[pod.id].application);
        pod.victim = of_gangs.can_spare(pod.id) && spare.take(leaf, part_of(pod.id, excess));
        if (pod.victim) {
            of_gangs.exceeded_by(pod.id);
        }
    }
    std::erase_if(pool_, [](const Pod& pod) { return !pod.victim; });
}

// The least important first: of many pods under one budget those may go that would go without it.
void QuotaVictims::split_by_budgets() {
    if (world_.budgets.empty()) {
        return;
    }
    std::map<const PodBudget*, std::int64_t> left;
    for (Pod& pod : std::views::reverse(pool_)) {
        const SpecId spec = world_.classes.spec_of(world_.asks[pod.id]);
        for (const PodBudget* budget : world_.budgets.covering(spec, world_.asks.key(pod.id))) {
            pod.violating = --left.try_emplace(budget, budget->disruptions_allowed).first->second < 0 || pod.violating;
        }
    }
}

void QuotaVictims::reprieve(const Excess& excess) {
    std::map<std::uint32_t, std::int64_t> more;  // than needed goes
    for (const queue_tree::Amount& amount : excess) {
        more[amount.resource] = -amount.value;
    }
    for (const Pod& pod : pool_) {
        for (const queue_tree::Amount& amount : part_of(pod.id, excess)) {
            more[amount.resource] += amount.value;
        }
    }
    for (const bool violating : {true, false}) {
        for (Pod& pod : pool_) {
            const Part part = part_of(pod.id, excess);
            const auto is_needed = [&](const queue_tree::Amount& amount) {
                return amount.value > more[amount.resource];
            };
            if (pod.violating != violating || std::ranges::any_of(part, is_needed)) {
                continue;
            }
            pod.victim = false;
            for (const queue_tree::Amount& amount : part) {
                more[amount.resource] -= amount.value;
            }
        }
    }
}

}  // namespace bayplan
