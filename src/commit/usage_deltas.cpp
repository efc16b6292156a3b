// Deltas of what is used: pods on nodes, their devices and claims, holds. See commit.h.

#include <utility>

#include "base/check.h"
#include "commit/commit.h"

namespace bayplan {

// --- pods on nodes

void Commit::count_in(AskId id, Slot slot) {
    tables_.nodes.prefetch(slot);
    Ask& ask = tables_.asks[id];
    const AskClass& spec = *tables_.classes[ask.ask_class].spec;
    if (ask.foreign) {
        tables_.node_state.add_foreign(slot, spec.occupies, +1);
    } else {
        tables_.node_state.add_used(slot, spec.occupies, +1);
        ++tables_.allocations;
    }
    ask.slot = slot;
    NodeInfo& node = tables_.nodes[slot];
    tables_.nodes.prefetch_name(slot);
    node.pods_version = ++tables_.pod_changes;
    node.allocations.insert(id);
    tables_.specs.pods(spec.pod_spec).push_back(tables_.asks, id);
    tables_.topology.add_pod(spec.pod_spec, slot, ask.terminating);
    note_change(slot);
}

void Commit::count_out(AskId id) {
    Ask& ask = tables_.asks[id];
    const Slot slot = std::exchange(ask.slot, kNone<Slot>);
    const AskClass& spec = *tables_.classes[ask.ask_class].spec;
    tables_.topology.remove_pod(spec.pod_spec, slot, ask.terminating);
    tables_.specs.pods(spec.pod_spec).remove(tables_.asks, id);
    tables_.nodes[slot].pods_version = ++tables_.pod_changes;
    tables_.nodes[slot].allocations.remove(id);
    if (ask.foreign) {
        tables_.node_state.add_foreign(slot, spec.occupies, -1);
    } else {
        tables_.node_state.add_used(slot, spec.occupies, -1);
        --tables_.allocations;
    }
    note_change(slot);
}

void Commit::occupy(AskId id, Slot slot) {
    BP_CHECK_OP(raw(tables_.asks[id].slot), ==, raw(kNone<Slot>));
    count_in(id, slot);
    log_.note({.kind = Kind::occupied, .ask = id, .slot = slot});
}

void Commit::vacate(AskId id) {
    const Slot slot = tables_.asks[id].slot;
    BP_CHECK_OP(raw(slot), !=, raw(kNone<Slot>));
    count_out(id);
    log_.note({.kind = Kind::vacated, .ask = id, .slot = slot});
}

// --- devices

void Commit::devices_changed(Slot slot) { tables_.holds.devices_changed(slot); }

void Commit::give_devices(AskId id, Slot slot, std::string_view stated) {
    if (tables_.devices.at(slot).empty()) {
        return;
    }
    tables_.devices.give(id, *tables_.classes[tables_.asks[id].ask_class].spec, slot, stated);
    devices_changed(slot);
    may_have_entries(id);
    if (tables_.devices.of(id) != nullptr) {
        log_.note({.kind = Kind::devices_given, .ask = id, .slot = slot});
    }
}

void Commit::take_devices(AskId id, Slot slot) {
    if (!has_entries(id) || tables_.devices.of(id) == nullptr) {
        return;
    }
    keep(taken_shares_, tables_.devices.take_back(id, slot));
    devices_changed(slot);
    log_.note({.kind = Kind::devices_taken, .ask = id, .slot = slot});
}

// --- claims

namespace {

template <typename Visit>
void for_each_text(const std::vector<ClaimBinding>& bindings, Visit&& visit) {
    for (const ClaimBinding& binding : bindings) {
        visit(binding.claim.name_space);
        visit(binding.claim.name);
        visit(binding.volume);
    }
}

}  // namespace

// The objects may go before the binding does.
void Commit::hold_texts(const std::vector<ClaimBinding>& bindings) {
    for_each_text(bindings, [&](Text text) { tables_.texts.add_reference(text); });
}

void Commit::release_texts(const std::vector<ClaimBinding>& bindings) {
    for_each_text(bindings, [&](Text text) { tables_.texts.release(text); });
}

void Commit::bind_claims(AskId id, std::vector<ClaimBinding> bindings) {
    if (bindings.empty()) {
        return;
    }
    may_have_entries(id);
    hold_texts(bindings);
    tables_.topology.volumes().assume(bindings);
    BP_CHECK(tables_.bindings.emplace(id, std::move(bindings)).second);
    log_.note({.kind = Kind::claims_bound, .ask = id});
}

void Commit::unbind_claims(AskId id) {
    if (!has_entries(id)) {
        return;
    }
    const auto found = tables_.bindings.find(id);
    if (found == tables_.bindings.end()) {
        return;
    }
    ForgottenClaims forgotten;
    forgotten.stood = tables_.topology.volumes().forget(found->second);
    forgotten.bindings = std::move(found->second);
    tables_.bindings.erase(found);
    keep(forgotten_claims_, std::move(forgotten));
    log_.note({.kind = Kind::claims_unbound, .ask = id});
}

// --- holds

void Commit::place_hold(HoldOwner owner, Hold hold) {
    tables_.reservations.changed(hold.slot);
    tables_.holds.place(owner, std::move(hold));
    keep(hold_owners_, owner);
    log_.note({.kind = Kind::hold_placed});
}

bool Commit::drop_hold(HoldOwner owner) {
    std::optional<Hold> hold = tables_.holds.take(owner);
    if (!hold) {
        return false;
    }
    tables_.reservations.changed(hold->slot);
    keep(dropped_holds_, std::move(*hold));
    keep(hold_owners_, owner);
    log_.note({.kind = Kind::hold_dropped});
    return true;
}

// --- undoing

namespace {

template <typename Item>
Item take_last(std::vector<Item>& stack) {
    Item item = std::move(stack.back());
    stack.pop_back();
    return item;
}

}  // namespace

void Commit::undo_usage(const Delta& delta) {
    switch (delta.kind) {
        case Kind::occupied:
            count_out(delta.ask);
            tables_.nodes.note_usage_changed(delta.slot);
            break;
        case Kind::vacated:
            count_in(delta.ask, delta.slot);
            tables_.nodes.note_usage_changed(delta.slot);
            break;
        case Kind::devices_given:
            tables_.devices.take_back(delta.ask, delta.slot);
            devices_changed(delta.slot);
            break;
        case Kind::devices_taken:
            tables_.devices.give_again(delta.ask, delta.slot, take_last(taken_shares_));
            devices_changed(delta.slot);
            break;
        case Kind::claims_bound: {
            const auto found = tables_.bindings.find(delta.ask);
            tables_.topology.volumes().unassume(found->second);
            release_texts(found->second);
            tables_.bindings.erase(found);
            break;
        }
        case Kind::claims_unbound: {
            ForgottenClaims forgotten = take_last(forgotten_claims_);
            tables_.topology.volumes().assume_again(forgotten.bindings, forgotten.stood);
            tables_.bindings.emplace(delta.ask, std::move(forgotten.bindings));
            break;
        }
        case Kind::claims_used:
        case Kind::use_ended:
        case Kind::claim_given_back: undo_claims(delta); break;
        case Kind::hold_placed: tables_.holds.drop(take_last(hold_owners_)); break;
        case Kind::hold_dropped: {
            const HoldOwner owner = take_last(hold_owners_);
            tables_.holds.put_back(owner, take_last(dropped_holds_));
            break;
        }
        default: BP_CHECK(false);
    }
}

}  // namespace bayplan
