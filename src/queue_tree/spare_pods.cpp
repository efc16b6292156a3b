// Forks, ranks, and sums of what is taken.
//
// Thread: the engine's.
#include "queue_tree/spare_pods.h"

#include <algorithm>

namespace bayplan::queue_tree {

SparePods::SparePods(const QueueTable& queues, const Guarantees& guarantees, QueueId leaf, QueueId guarantor,
                     std::int32_t priority, const HeldBeside* beside, QueueId within)
    : queues_(queues),
      guarantees_(guarantees),
      beside_(beside),
      leaf_(leaf),
      guarantor_(guarantor),
      places_(queues.end()) {
    bool fenced = false;
    std::int64_t rank = priority;
    for (QueueId id = leaf; id != kNoQueue; id = queues_[id].parent) {
        const QueueSettings& settings = queues_[id].settings;
        path_.push_back({id, rank});
        rank = (settings.priority_fence ? 0 : rank) + settings.priority_offset;
        if (!fenced && (id == within || settings.preemption_policy == PreemptionPolicy::fence)) {
            fenced = true;
            scope_ = id;
        }
    }
}

bool SparePods::is_in(QueueId id, QueueId above) const {
    while (id != kNoQueue && id != above) id = queues_[id].parent;
    return id == above;
}

const SparePods::Leaf& SparePods::look(QueueId id) {
    std::uint32_t& place = places_[raw(id)];
    if (place != 0) return leaves_[place - 1];
    Leaf& leaf = leaves_.emplace_back();
    place = static_cast<std::uint32_t>(leaves_.size());
    leaf.open = id != leaf_ && is_in(id, scope_) && !is_in(id, guarantor_) &&
                queues_[id].settings.preemption_policy != PreemptionPolicy::disabled;
    for (QueueId queue = id; leaf.open; queue = queues_[queue].parent) {
        const auto fork = std::ranges::find(path_, queue, &Step::queue);
        if (fork != path_.end()) {
            leaf.ask_rank = fork->rank;
            break;
        }
        const QueueSettings& settings = queues_[queue].settings;
        leaf.fenced = leaf.fenced || settings.priority_fence;
        leaf.rank = (settings.priority_fence ? 0 : leaf.rank) + settings.priority_offset;
        if (guarantees_.names_anything(queue)) leaf.queues.push_back(queue);
    }
    return leaf;
}

bool SparePods::may_go(QueueId id, std::int32_t priority) {
    const Leaf& leaf = look(id);
    return leaf.open && (leaf.fenced ? 0 : priority) + leaf.rank <= leaf.ask_rank;
}

bool SparePods::take(QueueId id, Request request) {
    const Leaf& leaf = look(id);
    for (const QueueId queue : leaf.queues) {
        for (const Amount& amount : request) {
            const std::int64_t beside = beside_ == nullptr ? 0 : beside_->of(queue, amount.resource);
            if (guarantees_.names(queue, amount.resource) &&
                guarantees_.beyond(queue, amount.resource) + beside - taken(queue, amount.resource) < amount.value) {
                return false;
            }
        }
    }
    for (const QueueId queue : leaf.queues) {
        for (const Amount& amount : request) taken(queue, amount.resource) += amount.value;
    }
    return true;
}

}  // namespace bayplan::queue_tree
