// One function for each kind of step. See random_deltas.h.

#include "random_deltas.h"

#include <algorithm>

namespace bayplan::testing {

std::vector<std::uint64_t> RandomDeltas::made_;

const std::vector<RandomDeltas::NamedStep>& RandomDeltas::steps() {
    static const std::vector<NamedStep> kSteps = {
        {"place", &RandomDeltas::place},
        {"start", &RandomDeltas::start},
        {"end", &RandomDeltas::end},
        {"end and place", &RandomDeltas::end_and_place},
        {"fail", &RandomDeltas::fail},
        {"wake", &RandomDeltas::wake},
        {"await", &RandomDeltas::await},
        {"await another", &RandomDeltas::await_another},
        {"gate", &RandomDeltas::gate},
        {"bind", &RandomDeltas::bind},
        {"unbind", &RandomDeltas::unbind},
        {"give a claim back", &RandomDeltas::give_back},
        {"hold", &RandomDeltas::hold},
        {"drop hold", &RandomDeltas::drop_hold},
        {"reserve", &RandomDeltas::reserve},
        {"drop reservation", &RandomDeltas::drop_reservation},
        {"set victims", &RandomDeltas::set_victims},
        {"nominate", &RandomDeltas::nominate},
        {"drop nomination", &RandomDeltas::drop_nomination},
        {"suspend", &RandomDeltas::suspend},
        {"restore", &RandomDeltas::restore},
        {"evict", &RandomDeltas::evict},
        {"terminate", &RandomDeltas::terminate},
        {"depart", &RandomDeltas::depart},
        {"leave out", &RandomDeltas::exclude},
        {"let in", &RandomDeltas::let_in},
        {"avoid", &RandomDeltas::avoid},
        {"look", &RandomDeltas::look},
    };
    return kSteps;
}

std::vector<std::string_view> RandomDeltas::names() {
    std::vector<std::string_view> names;
    for (const NamedStep& one : steps()) {
        names.push_back(one.name);
    }
    return names;
}

void RandomDeltas::step() {
    made_.resize(steps().size());
    const std::size_t chosen = random_.below(steps().size());
    made_[chosen] += (this->*steps()[chosen].step)() ? 1 : 0;
}

// --- whom it may be about

AskId RandomDeltas::any_placed() {
    return any([](AskId, const Ask& ask) { return is_allocated(ask.state); });
}

// In a list, or gated: not in hand.
AskId RandomDeltas::any_waiting() {
    return any([&](AskId id, const Ask& ask) { return ask.state < AskState::unacknowledged && !in_hand(id); });
}

bool RandomDeltas::in_hand(AskId id) const {
    return std::find(in_hand_.begin(), in_hand_.end(), id) != in_hand_.end() &&
           world_.asks[id].state == AskState::selected;
}

Slot RandomDeltas::any_node() {
    std::vector<Slot> slots;
    for (std::uint32_t number = 0; number < world_.nodes.slot_count(); ++number) {
        if (world_.nodes[static_cast<Slot>(number)].name != kNone<NameId>) {
            slots.push_back(static_cast<Slot>(number));
        }
    }
    return slots.empty() ? kNone<Slot> : random_.pick(slots);
}

// --- placements and their ends

bool RandomDeltas::place() {
    const AskId id = any([&](AskId ask, const Ask&) { return in_hand(ask); });
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    commit_.suspend_nomination(id);
    engine_.lifecycle.take_node(id, slot, AskEvent::place);
    world_.nodes.note_usage_changed(slot);  // an attempt would have found room
    return true;
}

bool RandomDeltas::start() {
    const AskId id = any_waiting();
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    commit_.withdraw(id);
    engine_.lifecycle.take_node(id, slot, AskEvent::run);
    return true;
}

bool RandomDeltas::end() {
    const AskId id = any_placed();
    if (id == kNone<AskId>) {
        return false;
    }
    engine_.lifecycle.end_allocation(id);
    commit_.count_failure(id, static_cast<std::uint32_t>(random_.below(4)), world_.now_ns + random_.between(0, 100),
                          true);
    commit_.join(id, AskEvent::refuse);
    return true;
}

bool RandomDeltas::end_and_place() {
    const AskId id = any_placed();
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    engine_.lifecycle.end_allocation(id);
    commit_.join(id, AskEvent::refuse);
    commit_.withdraw(id);
    engine_.lifecycle.take_node(id, slot, AskEvent::run);
    return true;
}

// --- claims and holds

bool RandomDeltas::bind() {
    std::vector<ClaimName> claims;
    std::vector<Text> volumes;
    for (const auto& [name, stated] : world_.objects) {
        if (const auto* claim = std::get_if<VolumeClaim>(&stated.object)) {
            claims.push_back({claim->name_space, claim->name});
        } else if (const auto* volume = std::get_if<Volume>(&stated.object)) {
            volumes.push_back(volume->name);
        }
    }
    const AskId id =
        any([&](AskId ask, const Ask& one) { return is_allocated(one.state) && !world_.bindings.contains(ask); });
    if (claims.empty() || volumes.empty() || id == kNone<AskId>) {
        return false;
    }
    std::vector<ClaimBinding> bindings;
    for (std::uint64_t left = random_.between(1, 3); left > 0; --left) {
        bindings.push_back({random_.pick(claims), random_.pick(volumes)});
    }
    commit_.bind_claims(id, bindings);
    return true;
}

bool RandomDeltas::unbind() {
    const AskId id = any([&](AskId ask, const Ask&) { return world_.bindings.contains(ask); });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.unbind_claims(id);
    return true;
}

bool RandomDeltas::give_back() {
    std::vector<ResourceClaimName> claims;
    for (const auto& [name, stated] : world_.objects) {
        const auto* const claim = std::get_if<ResourceClaim>(&stated.object);
        if (claim != nullptr && !world_.topology.claims().used_by_placed_pods({claim->name_space, claim->name})) {
            claims.push_back({claim->name_space, claim->name});
        }
    }
    if (claims.empty()) {
        return false;
    }
    commit_.give_claim_back(random_.pick(claims));
    return true;
}

bool RandomDeltas::hold() {
    const Slot slot = any_node();
    const HoldOwner owner{HoldOwner::Kind::operators, 1000 + random_.below(6)};
    if (slot == kNone<Slot> || world_.holds.all().contains(owner)) {
        return false;
    }
    Hold hold{.slot = slot, .kept_from_below = random_.between(-5, 5), .amounts = {}, .order = {owner.number, 0}};
    for (const ResourceAmount& amount : world_.nodes[slot].capacity) {
        if (random_.chance(50)) {
            hold.amounts.push_back({amount.resource, random_.between(0, 2000)});
        }
    }
    commit_.place_hold(owner, std::move(hold));
    return true;
}

bool RandomDeltas::drop_hold() {
    std::vector<HoldOwner> owners;
    for (const auto& [owner, hold] : world_.holds.all()) {
        if (owner.kind == HoldOwner::Kind::operators) {
            owners.push_back(owner);
        }
    }
    return !owners.empty() && commit_.drop_hold(random_.pick(owners));
}

// --- preemption

bool RandomDeltas::nominate() {
    const AskId id =
        any([&](AskId ask, const Ask& one) { return !is_on_node(one.state) && world_.nominations.of(ask) == nullptr; });
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    std::vector<AskHandle> victims;
    for (const AskId pod : world_.nodes[slot].allocations) {
        victims.push_back(world_.asks.handle(pod));
    }
    commit_.nominate(id, slot, std::move(victims));
    return true;
}

bool RandomDeltas::drop_nomination() {
    const AskId id = any([&](AskId ask, const Ask&) { return world_.nominations.of(ask) != nullptr; });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.drop_nomination(id);
    return true;
}

bool RandomDeltas::reserve() {
    const AskId id = any([&](AskId ask, const Ask&) { return in_hand(ask); });
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    commit_.refund(id);
    DaemonsetOptions options;
    options.delay_ns = static_cast<std::int64_t>(random_.below(9));
    commit_.reserve(id, {.slot = slot,
                         .since_ns = static_cast<std::int64_t>(random_.below(5)),
                         .priority = world_.asks[id].priority,
                         .beyond_node = random_.chance(50),
                         .victims = {},
                         .options = options});
    commit_.join(id, AskEvent::reserve);
    return true;
}

bool RandomDeltas::drop_reservation() {
    const AskId id = any([&](AskId, const Ask& one) { return one.state == AskState::reserved; });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.drop_reservation(id);
    commit_.join(id, AskEvent::clear);
    return true;
}

bool RandomDeltas::set_victims() {
    const AskId id = any([&](AskId ask, const Ask&) { return world_.reservations.of(ask) != nullptr; });
    const AskId victim = any_placed();
    if (id == kNone<AskId> || victim == kNone<AskId>) {
        return false;
    }
    commit_.set_victims(id, {world_.asks.handle(victim)});
    return true;
}

bool RandomDeltas::suspend() {
    const AskId id = any([&](AskId ask, const Ask&) {
        return world_.nominations.of(ask) != nullptr && !world_.nominations.of(ask)->suspended;
    });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.suspend_nomination(id);
    return true;
}

bool RandomDeltas::restore() {
    const AskId id = any([&](AskId ask, const Ask&) {
        return world_.nominations.of(ask) != nullptr && world_.nominations.of(ask)->suspended;
    });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.restore_nomination(id);
    return true;
}

bool RandomDeltas::evict() {
    const AskId id = any_placed();
    if (id == kNone<AskId>) {
        return false;
    }
    const SpecId spec = world_.classes.spec_of(world_.asks[id]);
    commit_.set_flags(id, {.terminating = true, .preempted = true, .chosen = true, .told_to_go = true});
    for (PodBudget* const budget : world_.budgets.covering(spec, world_.asks.key(id))) {
        commit_.charge_budget(*budget);
    }
    commit_.begin_departure(id, world_.now_ns, "tried");
    return true;
}

bool RandomDeltas::terminate() {
    const AskId id = any_placed();
    if (id == kNone<AskId>) {
        return false;
    }
    const bool terminates = random_.chance(50);
    commit_.set_flags(id, {.terminating = terminates});
    if (terminates) {
        commit_.begin_departure(id, world_.now_ns);
    } else {
        commit_.end_departure(id);
    }
    return true;
}

bool RandomDeltas::depart() {
    return commit_.next_departure(world_.now_ns + random_.between(0, 600'000'000'000)).has_value();
}

bool RandomDeltas::exclude() {
    const AskId id = any_waiting();
    const AskId stuck = any_placed();
    if (id == kNone<AskId> || stuck == kNone<AskId>) {
        return false;
    }
    commit_.exclude(id, world_.asks[stuck].slot, stuck);
    return true;
}

bool RandomDeltas::let_in() {
    const AskId stuck = any([&](AskId ask, const Ask&) {
        bool is = false;
        world_.excluded.for_each_excluded_for(ask, [&](AskId, Slot) { is = true; });
        return is;
    });
    return !commit_.let_in_all(stuck).empty();
}

bool RandomDeltas::avoid() {
    const AskId id = any_waiting();
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    if (random_.chance(70)) {
        commit_.avoid(id, slot, random_.between(1, 1000));
    } else {
        commit_.end_avoiding(id);
    }
    return true;
}

// A trial of a node is undone by its own end.
bool RandomDeltas::look() {
    const AskId id = any([&](AskId, const Ask& one) { return !is_on_node(one.state); });
    const Slot slot = any_node();
    if (id == kNone<AskId> || slot == kNone<Slot>) {
        return false;
    }
    const Tentative tentative(commit_);
    commit_.suspend_nomination(id);
    NodeTrial trial(trial_tables(world_, engine_.evaluator.predicates()), id, slot);
    std::vector<AskId> pods(world_.nodes[slot].allocations.begin(), world_.nodes[slot].allocations.end());
    for (const AskId pod : pods) {
        trial.take_off(pod);
    }
    trial.judge();
    for (const AskId pod : pods) {
        if (random_.chance(50)) {
            trial.put_back(pod);
        }
    }
    return true;
}

}  // namespace bayplan::testing
