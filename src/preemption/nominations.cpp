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
                                .order = {key.group_number, key.sequence}});
}

void Nominations::set(AskId id, Slot slot, std::vector<AskHandle> victims) {
    const auto [at, added] = by_ask_.emplace(id, Nomination{slot, std::move(victims)});
    BP_CHECK(added);
    hold(id, at->second);
    std::vector<AskId>& asks = by_node_[slot];
    const auto after = std::find_if(asks.begin(), asks.end(), [&](AskId other) {
        return asks_.waiting(id).key.comes_before(asks_.waiting(other).key);
    });
    asks.insert(after, id);
}

void Nominations::drop(AskId id) {
    const auto found = by_ask_.find(id);
    if (found == by_ask_.end()) {
        return;
    }
    if (!found->second.lifted) {
        holds_.drop(owner_of(id));
    }
    const auto node = by_node_.find(found->second.slot);
    std::erase(node->second, id);
    if (node->second.empty()) {
        by_node_.erase(node);
    }
    by_ask_.erase(found);
}

const Nomination* Nominations::of(AskId id) const {
    const auto found = by_ask_.find(id);
    return found == by_ask_.end() ? nullptr : &found->second;
}

const std::vector<AskId>& Nominations::on(Slot slot) const {
    static const std::vector<AskId> kNobody;
    const auto found = by_node_.find(slot);
    return found == by_node_.end() ? kNobody : found->second;
}

void Nominations::lift(AskId id) {
    if (const auto found = by_ask_.find(id); found != by_ask_.end() && !found->second.lifted) {
        holds_.drop(owner_of(id));
        found->second.lifted = true;
    }
}

void Nominations::lay(AskId id) {
    if (const auto found = by_ask_.find(id); found != by_ask_.end() && found->second.lifted) {
        found->second.lifted = false;
        hold(id, found->second);
    }
}

}  // namespace bayplan
