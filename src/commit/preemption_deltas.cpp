// Deltas of preemption: nominations, pods that are to go, budgets, excluded nodes. See commit.h.

#include <utility>

#include "base/check.h"
#include "commit/commit.h"

namespace bayplan {

// --- nominations

void Commit::nominate(AskId id, Slot slot, std::vector<AskHandle> victims, bool for_guarantee) {
    may_have_entries(id);
    tables_.nominations.set(id, {.slot = slot, .victims = std::move(victims), .for_guarantee = for_guarantee});
    tables_.order.ask_holds_anew(id);
    log_.note({.kind = Kind::nominated, .ask = id});
}

// Most asks have no entry in these tables: nothing is looked up for them.

void Commit::drop_nomination(AskId id) {
    if (!may_be_nominated(id)) {
        return;
    }
    if (std::optional<Nomination> dropped = tables_.nominations.drop(id)) {
        keep(dropped_nominations_, std::move(*dropped));
        tables_.order.ask_holds_anew(id);
        log_.note({.kind = Kind::nomination_dropped, .ask = id});
    }
}

void Commit::suspend_nomination(AskId id) {
    if (may_be_nominated(id) && tables_.nominations.suspend(id)) {
        log_.note({.kind = Kind::suspended, .ask = id});
    }
}

void Commit::restore_nomination(AskId id) {
    if (may_be_nominated(id) && tables_.nominations.restore(id)) {
        log_.note({.kind = Kind::restored, .ask = id});
    }
}

// --- reservations

void Commit::reserve(AskId id, Reservation reservation) {
    may_have_entries(id);
    tables_.reservations.set(id, std::move(reservation));
    log_.note({.kind = Kind::reserved, .ask = id});
}

bool Commit::drop_reservation(AskId id) {
    std::optional<Reservation> dropped = has_entries(id) ? tables_.reservations.drop(id) : std::nullopt;
    if (!dropped) {
        return false;
    }
    keep(dropped_reservations_, std::move(*dropped));
    log_.note({.kind = Kind::reservation_dropped, .ask = id});
    return true;
}

void Commit::set_victims(AskId id, std::vector<AskHandle> victims) {
    keep(victims_before_, tables_.reservations.set_victims(id, std::move(victims)));
    log_.note({.kind = Kind::victims_set, .ask = id});
}

// --- pods that are to go

Commit::PodFlags Commit::flags_of(const Ask& ask) {
    return {ask.terminating, ask.preempted, ask.chosen, ask.told_to_go};
}

// Topology spread leaves out what terminates; all else counts as before.
void Commit::apply_flags(AskId id, PodFlags flags) {
    Ask& ask = tables_.asks[id];
    if (ask.slot != kNone<Slot>) {
        tables_.topology.pod_marked(tables_.classes.spec_of(ask), ask.slot, ask.terminating, flags.terminating);
        note_change(ask.slot);
    }
    ask.terminating = flags.terminating;
    ask.preempted = flags.preempted;
    ask.chosen = flags.chosen;
    ask.told_to_go = flags.told_to_go;
    tables_.order.ask_holds_anew(id);
}

void Commit::set_flags(AskId id, PodFlags flags) {
    const PodFlags before = flags_of(tables_.asks[id]);
    if (before == flags) {
        return;
    }
    log_.note({.kind = Kind::flags_set,
               .bits = static_cast<std::uint8_t>(before.terminating | before.preempted << 1 | before.chosen << 2 |
                                                 before.told_to_go << 3),
               .ask = id});
    apply_flags(id, flags);
}

void Commit::begin_departure(AskId id, std::int64_t now_ns, std::string why) {
    may_have_entries(id);
    keep(departures_before_, tables_.departures.of(id));
    tables_.departures.begin(id, now_ns, std::move(why));
    log_.note({.kind = Kind::departure_changed, .ask = id});
}

void Commit::end_departure(AskId id) {
    if (!has_entries(id) || tables_.departures.empty()) {
        return;
    }
    if (std::optional<Departures::Departure> before = tables_.departures.of(id)) {
        keep(departures_before_, std::move(before));
        tables_.departures.end(id);
        log_.note({.kind = Kind::departure_changed, .ask = id});
    }
}

std::optional<Departures::Due> Commit::next_departure(std::int64_t now_ns) {
    const AskId id = tables_.departures.first_due(now_ns);
    if (id == kNone<AskId>) {
        return std::nullopt;
    }
    keep(departures_before_, tables_.departures.of(id));
    log_.note({.kind = Kind::departure_changed, .ask = id});
    return tables_.departures.next_due(now_ns);
}

void Commit::charge_budget(PodBudget& budget) {
    if (budget.disruptions_allowed > 0) {
        --budget.disruptions_allowed;
        keep(charged_budgets_, &budget);
        log_.note({.kind = Kind::budget_charged});
    }
}

// --- excluded nodes

void Commit::exclude(AskId id, Slot slot, AskId stuck) {
    may_have_exclusions(id);
    may_have_entries(stuck);  // its end is looked for
    tables_.excluded.exclude(id, slot, stuck);
    log_.note({.kind = Kind::excluded, .ask = id, .slot = slot, .number = raw(stuck)});
}

std::vector<AskId> Commit::let_in_all(AskId stuck) {
    tables_.excluded.for_each_excluded_for(stuck, [&](AskId id, Slot slot) {
        log_.note({.kind = Kind::let_in, .ask = id, .slot = slot, .number = raw(stuck)});
    });
    return tables_.excluded.pod_gone(stuck);
}

void Commit::avoid(AskId id, Slot slot, std::int64_t until_ns) {
    const ExcludedByVictims::Avoided before = tables_.excluded.avoids(id);
    may_have_exclusions(id);
    tables_.excluded.avoid(id, slot, until_ns);
    log_.note({.kind = Kind::avoidance_changed, .ask = id, .slot = before.slot, .value = before.until_ns});
}

void Commit::end_avoiding(AskId id) {
    if (!tables_.asks[id].has_exclusions) {
        return;
    }
    const ExcludedByVictims::Avoided before = tables_.excluded.avoids(id);
    if (before.slot != kNone<Slot>) {
        tables_.excluded.ask_placed(id);
        log_.note({.kind = Kind::avoidance_changed, .ask = id, .slot = before.slot, .value = before.until_ns});
    }
}

// --- undoing

void Commit::undo_preemption(const Delta& delta) {
    const auto stuck = static_cast<AskId>(delta.number);
    switch (delta.kind) {
        case Kind::nominated:
            tables_.nominations.drop(delta.ask);
            tables_.order.ask_holds_anew(delta.ask);
            break;
        case Kind::nomination_dropped:
            tables_.order.ask_holds_anew(delta.ask);
            tables_.nominations.set(delta.ask, std::move(dropped_nominations_.back()));
            dropped_nominations_.pop_back();
            break;
        case Kind::suspended: tables_.nominations.restore(delta.ask); break;
        case Kind::restored: tables_.nominations.suspend(delta.ask); break;
        case Kind::reserved: tables_.reservations.drop(delta.ask); break;
        case Kind::reservation_dropped:
            tables_.reservations.set(delta.ask, std::move(dropped_reservations_.back()));
            dropped_reservations_.pop_back();
            break;
        case Kind::victims_set:
            tables_.reservations.set_victims(delta.ask, std::move(victims_before_.back()));
            victims_before_.pop_back();
            break;
        case Kind::flags_set:
            apply_flags(delta.ask,
                        {(delta.bits & 1) != 0, (delta.bits & 2) != 0, (delta.bits & 4) != 0, (delta.bits & 8) != 0});
            break;
        case Kind::departure_changed:
            tables_.departures.put_back(delta.ask, std::move(departures_before_.back()));
            departures_before_.pop_back();
            break;
        case Kind::budget_charged:
            ++charged_budgets_.back()->disruptions_allowed;
            charged_budgets_.pop_back();
            break;
        case Kind::excluded: tables_.excluded.let_in(delta.ask, delta.slot, stuck); break;
        case Kind::let_in: tables_.excluded.exclude(delta.ask, delta.slot, stuck); break;
        case Kind::avoidance_changed: tables_.excluded.put_back(delta.ask, {delta.slot, delta.value}); break;
        default: BP_CHECK(false);
    }
}

}  // namespace bayplan
