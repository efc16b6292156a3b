// The part of Lifecycle about asks that an event may help; see lifecycle.h.

#include "engine/lifecycle.h"

namespace bayplan {

void Lifecycle::join_woken(AskId id) {
    if (is_coscheduled(world_.asks[id].group)) {
        gangs_.wake_withdrawn(id);
        return;
    }
    const bool early = world_.asks.waiting(id).backoff_until_ns > world_.now_ns;
    commit_.join(id, early ? AskEvent::wake_early : AskEvent::wake);
}

void Lifecycle::wake_one(AskId id) {
    join_woken(id);
    commit_.finish();
}

void Lifecycle::wake_if_unschedulable(AskId id) {
    if (world_.asks[id].state != AskState::unschedulable) {
        return;
    }
    if (is_coscheduled(world_.asks[id].group)) {
        gangs_.wake(id);
        commit_.finish();
    } else {
        commit_.withdraw(id);
        wake_one(id);
    }
}

template <typename Helped>
void Lifecycle::wake_those(Helped&& helped) {
    if (world_.unschedulable.size() == 0) {
        return;
    }
    for (const AskId id : commit_.withdraw_unschedulable_of_gangs(helped)) {
        join_woken(id);
    }
    commit_.finish();
    world_.unschedulable.mark(helped);
    if (!wakes_in_slices_) {
        catch_up(UINT32_MAX);
    }
}

void Lifecycle::wake(std::uint32_t events) {
    const PredicateSet& predicates = evaluator_.predicates();
    wake_those([&](std::uint32_t failed) { return (predicates.woken_by(failed) & events) != 0; });
}

void Lifecycle::wake_everybody() {
    wake_those([](std::uint32_t) { return true; });
}

bool Lifecycle::catch_up(std::uint32_t most) {
    AskId id = kNone<AskId>;
    for (std::uint32_t done = 0; done < most && (id = world_.unschedulable.first_woken()) != kNone<AskId>; ++done) {
        commit_.withdraw(id);
        join_woken(id);
    }
    commit_.finish();
    return world_.unschedulable.woken() == 0;
}

void Lifecycle::catch_up_with(AskId id) {
    if (world_.asks[id].state == AskState::unschedulable && world_.unschedulable.is_woken(id)) {
        commit_.withdraw(id);
        wake_one(id);
    }
}

}  // namespace bayplan
