// The attempt on the one node, and the steps in their order; see reserving.h.
#include "engine/reserving.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "cluster/amount_lists.h"
#include "engine/diagnosis.h"
#include "engine/lifecycle.h"
#include "engine/preemption_report.h"
#include "options/predicate_rows.h"
#include "preemption/gang_budgets.h"
#include "preemption/node_trial.h"

namespace bayplan {

namespace {

// The node that every term names by metadata.name, or 0.
Text node_that_terms_name(const PodSpec& spec, const KnownTexts& known) {
    Text named = 0;
    for (const NodeTerm& term : spec.required_nodes.value_or(std::vector<NodeTerm>())) {
        const auto field = std::ranges::find_if(term.fields, [&](const LabelRequirement& one) {
            return one.key == known.metadata_name && one.op == LabelOperator::in && one.values.size() == 1;
        });
        if (field == term.fields.end() || (named != 0 && field->values.front() != named)) {
            return 0;
        }
        named = field->values.front();
    }
    return named;
}

std::string seconds_text(std::int64_t ns) {
    constexpr std::int64_t kNsPerMs = 1'000'000;
    constexpr std::int64_t kMsPerS = 1'000;
    const std::int64_t ms = ns / kNsPerMs;
    std::string text = std::to_string(ms / kMsPerS);
    if (ms % kMsPerS != 0) {
        std::string part = std::to_string(kMsPerS + ms % kMsPerS).substr(1);
        part.erase(part.find_last_not_of('0') + 1);
        text += "." + part;
    }
    return text + "s";
}

}  // namespace

std::string_view to_string(ReservationState state) {
    static constexpr std::array<std::string_view, kReservationStates> kNames = {
        "delay", "pending", "behind", "coming", "never", "nothing-found", "chosen"};
    return kNames[static_cast<std::size_t>(state)];
}

std::vector<AskId> ReservationSteps::victims() const {
    std::vector<AskId> victims;
    if (look && look->answer.chosen) {
        for (const std::uint32_t pod : look->answer.chosen->victims) {
            victims.push_back(look->pods[pod]);
        }
    }
    return victims;
}

// --- the ask and its node

bool is_daemon_pod(const World& world, AskId id) {
    const Ask& ask = world.asks[id];
    if (!ask.daemonset || !world.options.preemption.daemonset.enabled) {
        return false;
    }
    const AskClass& spec = *world.classes[ask.ask_class].spec;
    if (spec.needs_plugins) {
        return false;
    }
    return spec.required_node != kNone<NameId> || node_that_terms_name(world.specs[spec.pod_spec], world.known) != 0;
}

DaemonsetOptions daemonset_options(const World& world, AskId id) {
    if (const Reservation* const reservation = world.reservations.of(id)) {
        return reservation->options;
    }
    DaemonsetOptions options = world.options.preemption.daemonset;
    if (world.tree != nullptr) {
        const queue_tree::QueueId leaf = world.tree->leaf_of(world.asks[id].application);
        const queue_tree::DaemonsetProperties& of_queue = world.tree->queues()[leaf].settings.daemonset;
        options.delay_ns = of_queue.delay_ns.value_or(options.delay_ns);
        options.expiry_ns = of_queue.expiry_ns.value_or(options.expiry_ns);
        options.strategies = of_queue.strategies.value_or(options.strategies);
        options.single_deviation = of_queue.single_deviation.value_or(options.single_deviation);
        options.multiple_max = of_queue.multiple_max.value_or(options.multiple_max);
    }
    return options;
}

Slot daemon_node(const World& world, AskId id) {
    if (!is_daemon_pod(world, id)) {
        return kNone<Slot>;
    }
    const AskClass& spec = *world.classes[world.asks[id].ask_class].spec;
    const Slot slot = spec.required_node != kNone<NameId>
                          ? world.nodes.find(spec.required_node)
                          : world.topology.node_named(node_that_terms_name(world.specs[spec.pod_spec], world.known));
    if (slot == kNone<Slot>) {
        return slot;
    }
    // Sums say nothing of which device has room.
    const bool on_devices = std::ranges::any_of(
        world.devices.at(slot), [&](const DeviceUse& use) { return amount_of(spec.requests, use.resource) > 0; });
    return on_devices ? kNone<Slot> : slot;
}

std::vector<PredicateSet::Failure> Reserving::failures(AskId id, Slot slot, const Before& before) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    const NodeBlock& block = world_.node_state.block(block_of(slot));
    if ((block.holding >> lane_of(slot) & 1) == 0) {
        return failures_on(tables, world_.asks[id].ask_class, {block, slot, *world_.nodes[slot].facts});
    }
    HoldList holds = world_.holds.list_of(slot, [&](const HoldOwner& owner) {
        return owner.kind == HoldOwner::Kind::operators ||
               std::ranges::any_of(before.asks, [&](AskId other) { return owner == Reservations::owner_of(other); });
    });
    return NodeTrial(tables, id, slot, std::move(holds)).failures();
}

ReservingLook Reserving::look(AskId id, Slot slot) const {
    ReservingLook look;
    const Before earlier = before(id, slot);
    const std::vector<PredicateSet::Failure> failed = failures(id, slot, earlier);
    if (failed.empty()) {
        look.found = ReservingLook::Found::fits;
        return look;
    }
    for (const PredicateSet::Failure& one : failed) {
        look.failed_predicates |= 1u << one.predicate;
    }
    const bool small_enough =
        std::ranges::all_of(world_.classes[world_.asks[id].ask_class].spec->requests, [&](const ResourceAmount& asked) {
            return asked.value <= world_.nodes.counted_capacity(slot, asked.resource);
        });
    const bool amounts_alone = failed.size() == 1 && predicates_.name(failed.front().predicate) ==
                                                         row_of(PredicateId::node_resources_fit).name;
    const bool too_many = world_.reservations.of(id) == nullptr && no_more_reservations(world_, slot);
    if (!amounts_alone || !small_enough || too_many) {
        return look;
    }
    look.found = ReservingLook::Found::short_of_resources;
    std::vector<std::string> reasons = failed.front().refusal.reasons;
    std::sort(reasons.begin(), reasons.end());
    for (const std::string& reason : reasons) {
        look.reasons += (look.reasons.empty() ? "" : ", ") + reason;
    }
    look.steps = steps(id, slot, earlier);
    return look;
}

// --- reservations before it

std::int64_t Reserving::Before::of(ResourceId resource) const { return amount_of(amounts, resource); }

Reserving::Before Reserving::before(AskId id, Slot slot) const {
    const Reservations& reservations = world_.reservations;
    const std::vector<AskId>& there = reservations.on(slot);
    const ReservationRank own = reservations.rank(id, reservations.of(id));
    const auto first_after = std::ranges::find_if(
        there, [&](AskId other) { return !(reservations.rank(other, reservations.of(other)) < own); });
    const auto count = static_cast<std::size_t>(first_after - there.begin());
    if (count == 0) {
        return {};
    }
    if (beginnings_.size() > 2 * reservations.size()) {
        beginnings_.clear();
    }
    Beginning& known = beginnings_[slot];
    if (known.changes != reservations.changes() || known.now_ns != world_.now_ns || known.judged > count) {
        known = {.changes = reservations.changes(), .now_ns = world_.now_ns, .judged = 0, .before = {}};
    }
    for (; known.judged < count; ++known.judged) {
        respect(there[known.judged], slot, known.before);
    }
    return known.before;
}

// The reservation comes after all in `before`, and is respected unless it is blocked.
void Reserving::respect(AskId id, Slot slot, Before& before) const {
    const ReservationSteps theirs = steps(id, slot, before);
    if (theirs.blocked()) {
        return;
    }
    before.asks.push_back(id);
    before.uncovered = before.uncovered == kNone<AskId> && !theirs.need.empty() ? id : before.uncovered;
    for (const ResourceAmount& amount : world_.classes[world_.asks[id].ask_class].spec->requests) {
        const auto at = std::ranges::find(before.amounts, amount.resource, &ResourceAmount::resource);
        if (at == before.amounts.end()) {
            before.amounts.push_back(amount);
        } else {
            at->value += amount.value;
        }
    }
}

// --- steps

bool Reserving::is_coming(AskId pod) const { return world_.asks[pod].terminating && !world_.departures.is_stuck(pod); }

// One of its last victims is still there, and none of them is stuck.
bool Reserving::is_pending(const Reservation& reservation) const {
    bool any = false;
    for (const AskHandle handle : reservation.victims) {
        const Ask* const victim = world_.asks.find(handle);
        if (victim != nullptr && victim->slot == reservation.slot && victim->terminating) {
            if (world_.departures.is_stuck(handle.id)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

std::int64_t Reserving::kept_by_operators(AskId id, Slot slot, ResourceId resource) const {
    std::int64_t kept = 0;
    if ((world_.node_state.block(block_of(slot)).holding >> lane_of(slot) & 1) == 0) {
        return kept;
    }
    const HoldList holds =
        world_.holds.list_of(slot, [](const HoldOwner& owner) { return owner.kind == HoldOwner::Kind::operators; });
    for (const HeldAmount& hold : holds) {
        kept += hold.resource == resource && world_.asks[id].priority < hold.kept_from_below ? hold.amount : 0;
    }
    return kept;
}

std::vector<ResourceAmount> Reserving::need(AskId id, Slot slot, const Before& earlier) const {
    const NodeBlock& block = world_.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    std::vector<ResourceAmount> need = world_.classes[world_.asks[id].ask_class].spec->requests;
    for (ResourceAmount& one : need) {
        one.value -=
            block.unused(lane, one.resource) - earlier.of(one.resource) - kept_by_operators(id, slot, one.resource);
    }
    for (const AskId pod : world_.nodes[slot].allocations) {
        if (is_coming(pod)) {
            for (const ResourceAmount& amount : world_.classes[world_.asks[pod].ask_class].spec->requests) {
                const auto at = std::ranges::find(need, amount.resource, &ResourceAmount::resource);
                if (at != need.end()) {
                    at->value -= amount.value;
                }
            }
        }
    }
    std::erase_if(need, [](const ResourceAmount& one) { return one.value <= 0; });
    return need;
}

ReservationSteps Reserving::steps(AskId id, Slot slot, const Before& earlier) const {
    const Reservation* const reservation = world_.reservations.of(id);
    ReservationSteps steps;
    steps.age_ns = reservation == nullptr ? 0 : world_.now_ns - reservation->since_ns;
    steps.need = need(id, slot, earlier);
    if (steps.age_ns < daemonset_options(world_, id).delay_ns) {
        steps.state = ReservationState::delay;
    } else if (reservation != nullptr && is_pending(*reservation)) {
        steps.state = ReservationState::pending;
    } else if (earlier.uncovered != kNone<AskId>) {
        steps.state = ReservationState::behind;
        steps.behind = earlier.uncovered;
    } else if (steps.need.empty()) {
        steps.state = ReservationState::coming;
    } else if (world_.asks[id].never_preempts) {
        steps.state = ReservationState::never;
    } else {
        steps.look = victims_.victims(id, slot, steps.need);
        steps.state = steps.look->answer.chosen ? ReservationState::chosen : ReservationState::nothing_found;
    }
    return steps;
}

// --- words

std::string Reserving::text_of(AskId id, const ReservationSteps& steps) const {
    const auto key = [&](AskId other) { return std::string(world_.asks.key(other)); };
    switch (steps.state) {
        case ReservationState::delay:
            return "preemption may begin at the age of " + seconds_text(daemonset_options(world_, id).delay_ns);
        case ReservationState::pending: return "its victims terminate";
        case ReservationState::behind: return key(steps.behind) + " comes before it";
        case ReservationState::coming: return "what terminates there makes room for it";
        case ReservationState::never: return "not eligible due to preemptionPolicy=Never";
        case ReservationState::nothing_found: return "no victims found that would make room";
        case ReservationState::chosen: break;
    }
    std::string text = "it preempts";
    const char* between = " ";
    for (const AskId victim : steps.victims()) {
        text += between + key(victim);
        between = ", ";
    }
    return text;
}

std::string Reserving::message(AskId id, Slot slot, const ReservingLook& look) const {
    return "node " + std::string(world_.nodes.name(slot)) + " is reserved: " + look.reasons + "; " +
           text_of(id, look.steps) + ".";
}

ReservingOutcome Reserving::outcome(AskId id, Slot slot, const ReservingLook& look) const {
    ReservingOutcome outcome = {.message = message(id, slot, look),
                                .victims = look.steps.victims(),
                                .release_text = release_text(id, slot, look.steps),
                                .report = {}};
    const std::vector<AskId> others = GangBudgets(world_.asks, world_.gangs).others_of_broken(outcome.victims);
    outcome.victims.insert(outcome.victims.end(), others.begin(), others.end());
    if (world_.options.preemption_reports && !outcome.victims.empty()) {
        outcome.report = preemption_report(world_.now_ns, full_name(world_, id), explain(id, slot, look));
    }
    return outcome;
}

std::string Reserving::release_text(AskId id, Slot slot, const ReservationSteps& steps) const {
    std::string text = "preempted by " + full_name(world_, id) + ": the DaemonSet pod has node " +
                       std::string(world_.nodes.name(slot)) + " reserved and needs";
    std::vector<std::string_view> needed;
    for (const ResourceAmount& one : steps.need) {
        needed.push_back(world_.resources.text(one.resource));
    }
    std::sort(needed.begin(), needed.end());
    const char* between = " ";
    for (const std::string_view one : needed) {
        text.append(between).append(one);
        between = ", ";
    }
    return text;
}

DaemonsetExplanation Reserving::explain(AskId id, Slot slot, const ReservingLook& look) const {
    constexpr std::int64_t kNsPerMs = 1'000'000;
    const ReservationSteps& steps = look.steps;
    DaemonsetExplanation told;
    told.node = world_.nodes.name(slot);
    told.message = message(id, slot, look);
    told.age_ms = steps.age_ns / kNsPerMs;
    told.delay_ms = daemonset_options(world_, id).delay_ns / kNsPerMs;
    told.state = to_string(steps.state);
    for (const ResourceAmount& one : steps.need) {
        told.need.emplace_back(world_.resources.text(one.resource), one.value);
    }
    if (steps.look) {
        explain_victims(*steps.look, told);
    }
    if (!told.chosen.empty()) {
        told.release = release_text(id, slot, steps);
    }
    return told;
}

void Reserving::explain_victims(const VictimLook& look, DaemonsetExplanation& told) const {
    const auto key = [&](std::uint32_t pod) { return std::string(world_.asks.key(look.pods[pod]).view()); };
    told.looked_for_victims = true;
    for (std::uint32_t pod = 0; pod < look.pods.size(); ++pod) {
        told.candidates.push_back(key(pod));
        if (look.answer.filtered[pod] != VictimFilter::none) {
            told.filtered.emplace_back(key(pod), to_string(look.answer.filtered[pod]));
        }
    }
    for (std::size_t one = 0; one < kVictimClasses.size(); ++one) {
        std::vector<std::string>& pods =
            told.classes.emplace_back(kVictimClasses[one], std::vector<std::string>()).second;
        std::ranges::transform(look.answer.classes[one], std::back_inserter(pods), key);
    }
    if (!look.answer.chosen) {
        return;
    }
    const VictimAnswer::Choice& choice = *look.answer.chosen;
    const bool single = choice.strategy == VictimStrategy::single;
    told.strategy = single ? "single" : "multiple";
    told.last_class = kVictimClasses[static_cast<std::size_t>(choice.last_class)];
    told.deviation_percent = single ? std::optional(choice.deviation_percent) : std::nullopt;
    std::ranges::transform(choice.victims, std::back_inserter(told.chosen), key);
    std::ranges::transform(choice.spared, std::back_inserter(told.spared), key);
}

}  // namespace bayplan
