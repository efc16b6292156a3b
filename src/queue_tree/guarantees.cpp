// Sums along the path to root, and what of them is guaranteed.
//
// Thread: the engine's.
#include "queue_tree/guarantees.h"

#include <algorithm>
#include <utility>

namespace bayplan::queue_tree {

void Guarantees::fit() {
    held_.fit(queues_.end(), names_.size());
    guaranteed_.fit(queues_.end(), names_.size());
    names_any_.resize(queues_.end(), 0);
}

void Guarantees::add(const Holder& holder, int sign) {
    for (QueueId id = holder.leaf; id != kNoQueue; id = queues_[id].parent) {
        queue_tree::add(held_[raw(id)], requests_[holder.request], sign);
    }
}

void Guarantees::note_growth(bool on) {
    notes_growth_ = on;
    take_grown();
}

std::vector<QueueId> Guarantees::take_grown() {
    for (const QueueId id : grown_) is_grown_[raw(id)] = 0;
    return std::exchange(grown_, {});
}

// Queues above a noted queue are noted too.
void Guarantees::grow(QueueId leaf) {
    is_grown_.resize(queues_.end(), 0);
    for (QueueId id = leaf; id != kNoQueue && is_grown_[raw(id)] == 0; id = queues_[id].parent) {
        is_grown_[raw(id)] = 1;
        grown_.push_back(id);
    }
}

bool Guarantees::hold(AskId id, QueueId leaf, RequestId request) {
    if (notes_growth_) grow(leaf);  // it may be on a node now
    if (holds(id) && holders_[raw(id)].request == request) {
        requests_.release(request);
        return false;
    }
    let_go(id);
    fit();
    if (raw(id) >= holders_.size()) {
        holders_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, 2 * holders_.size()));
    }
    holders_[raw(id)] = {leaf, request};
    add(holders_[raw(id)], +1);
    return true;
}

bool Guarantees::let_go(AskId id) {
    if (!holds(id)) return false;
    const Holder holder = std::exchange(holders_[raw(id)], {});
    add(holder, -1);
    requests_.release(holder.request);
    return true;
}

void Guarantees::settle() {
    if (seen_version_ == queues_.version()) {
        fit();  // resources may have come
        return;
    }
    seen_version_ = queues_.version();
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        for (const auto& [name, value] : queues_[QueueId{at}].guaranteed) names_.number_of(name);
    }
    fit();
    any_ = false;
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        const Queue& queue = queues_[QueueId{at}];
        guaranteed_.clear(at);
        names_any_[at] = queue.exists && !queue.guaranteed.empty() ? 1 : 0;
        if (names_any_[at] == 0) continue;
        write_row(queue.guaranteed, names_, guaranteed_[at]);
        any_ = true;
    }
}

QueueId Guarantees::guarantor(QueueId leaf, Request request) const {
    for (QueueId id = leaf; id != kNoQueue; id = queues_[id].parent) {
        if (!names_anything(id)) continue;
        if (std::ranges::any_of(request, [&](const Amount& amount) { return names(id, amount.resource); })) return id;
    }
    return kNoQueue;
}

QueueId Guarantees::names_first(QueueId leaf, std::uint32_t resource) const {
    QueueId id = leaf;
    while (id != kNoQueue && !names(id, resource)) id = queues_[id].parent;
    return id;
}

bool Guarantees::covers(QueueId leaf, Request request, Request own) const {
    for (const Amount& amount : request) {
        const QueueId id = names_first(leaf, amount.resource);
        if (id == kNoQueue) continue;
        const auto same = std::ranges::find(own, amount.resource, &Amount::resource);
        const std::int64_t already = same == own.end() ? 0 : same->value;
        if (beyond(id, amount.resource) - already + amount.value > 0) return false;
    }
    return true;
}

bool Guarantees::covers(QueueId leaf, Request request, const HeldBeside& beside) const {
    return std::ranges::all_of(request, [&](const Amount& amount) {
        const QueueId id = names_first(leaf, amount.resource);
        return id == kNoQueue || beyond(id, amount.resource) + beside.of(id, amount.resource) + amount.value <= 0;
    });
}

}  // namespace bayplan::queue_tree
