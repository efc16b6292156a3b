// Nominations, their holds, and who waits for whose going; see nominations.h.
#include "preemption/nominations.h"

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

HoldOwner owner_of(AskId id) { return {HoldOwner::Kind::nomination, raw(id)}; }

}  // namespace

void Nominations::hold(AskId id, const Nomination& nomination) {
    const Ask& ask = asks_[id];
    const PendingKey& key = asks_.waiting(id).key;
    holds_.place(owner_of(id), {.slot = nomination.slot,
                                .kept_from_below = std::int64_t{ask.priority} + 1,
                                .amounts = classes_[ask.ask_class].spec->requests,
                                .order = {key.number_of_group(), key.sequence}});
}

void Nominations::set(AskId id, Nomination nomination) {
    const Slot slot = nomination.slot;
    const auto [at, added] = by_ask_.emplace(id, std::move(nomination));
    BP_CHECK(added);
    if (!at->second.suspended) {
        hold(id, at->second);
    }
    std::vector<AskId>& asks = by_node_[slot];
    const auto after = std::find_if(asks.begin(), asks.end(), [&](AskId other) {
        return asks_.waiting(id).key.comes_before(asks_.waiting(other).key);
    });
    asks.insert(after, id);
}

std::optional<Nomination> Nominations::drop(AskId id) {
    const auto found = by_ask_.find(id);
    if (found == by_ask_.end()) {
        return std::nullopt;
    }
    std::optional<Nomination> dropped = std::move(found->second);
    by_ask_.erase(found);
    if (!dropped->suspended) {
        holds_.drop(owner_of(id));
    }
    const auto node = by_node_.find(dropped->slot);
    std::erase(node->second, id);
    if (node->second.empty()) {
        by_node_.erase(node);
    }
    return dropped;
}

const std::vector<AskId>& Nominations::on(Slot slot) const {
    static const std::vector<AskId> kNobody;
    const auto found = by_node_.find(slot);
    return found == by_node_.end() ? kNobody : found->second;
}

bool Nominations::suspend(AskId id) {
    const auto found = by_ask_.find(id);
    if (found == by_ask_.end() || found->second.suspended) {
        return false;
    }
    holds_.drop(owner_of(id));
    found->second.suspended = true;
    return true;
}

bool Nominations::restore(AskId id) {
    const auto found = by_ask_.find(id);
    if (found == by_ask_.end() || !found->second.suspended) {
        return false;
    }
    found->second.suspended = false;
    hold(id, found->second);
    return true;
}

}  // namespace bayplan
