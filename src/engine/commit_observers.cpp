// What becomes of a happening: a line of the log, a decision, an ask that is tried again. See commit_observers.h.

#include "engine/commit_observers.h"
#include "engine/claims_of_pods.h"

#include <string>

#include "base/lines.h"
#include "engine/lifecycle.h"

namespace bayplan {

using Kind = Happening::Kind;

namespace {

// Lines, as words between commas; `-`: there are none.
std::string commas(std::string_view lines) {
    std::string text;
    for_each_line(lines, [&](std::string_view line) {
        text += text.empty() ? "" : ",";
        text += line;
    });
    return text.empty() ? "-" : text;
}

}  // namespace

// --- the decision log

LogLine LogWriter::line(const Happening& happening, std::string_view key, Slot slot) const {
    return {world_.now_ns, world_.asks[happening.ask].shim, key,
            slot == kNone<Slot> ? std::string_view() : world_.nodes.name(slot)};
}

void LogWriter::observe(const Happening& happening) {
    const auto key = [&] { return world_.asks.key(happening.ask); };
    switch (happening.kind) {
        case Kind::failed: failed(happening); break;
        case Kind::held: announcer_.wait(line(happening, key(), kNone<Slot>), happening.why); break;
        case Kind::nomination_cleared: announcer_.clear(line(happening, key(), happening.slot), happening.why); break;
        case Kind::node_lost: announcer_.release(line(happening, key(), happening.slot), happening.why); break;
        case Kind::sent_away: {
            const auto name = key();  // a short one is within this
            LogLine gone = line(happening, name, happening.slot);
            gone.node = gone.node.empty() ? "-" : gone.node;
            announcer_.release(gone, happening.why);
            break;
        }
        case Kind::reserved:
            announcer_.reserve(line(happening, key(), happening.slot), victims_text(*happening.reservation->victims),
                               happening.reservation->message);
            if (!happening.reservation->report.empty()) {
                announcer_.report(happening.reservation->report);
            }
            break;
        case Kind::reservation_cleared:
            announcer_.unreserve(line(happening, key(), happening.slot), happening.why);
            break;
        case Kind::queried:
            announcer_.query(line(happening, key(), happening.slot), commas(happening.query->others));
            break;
        case Kind::victims_queried:
            announcer_.query_victims(line(happening, key(), happening.slot), commas(happening.query->others),
                                     "needed=" + std::to_string(happening.query->needed));
            break;
        case Kind::denied: announcer_.deny(line(happening, key(), happening.slot), happening.why); break;
        case Kind::claim_given_back: announcer_.give_back(line(happening, key(), kNone<Slot>), happening.why); break;
        case Kind::permitted: announcer_.permit(line(happening, key(), happening.slot), happening.why); break;
        case Kind::rejected: announcer_.reject(line(happening, key(), happening.slot), happening.why); break;
        default: break;
    }
}

// SHIM/KEY, joined by commas.
std::string LogWriter::victims_text(const std::vector<AskId>& victims) const {
    std::string text;
    for (const AskId victim : victims) {
        text += (text.empty() ? "" : ",") + full_name(world_, victim);
    }
    return text;
}

void LogWriter::failed(const Happening& happening) {
    const FailedAttempt& attempt = *happening.failure;
    if (attempt.chosen == nullptr) {
        announcer_.fail(line(happening, world_.asks.key(happening.ask), kNone<Slot>), attempt.message);
        return;
    }
    const std::string victims = attempt.chosen->victims.empty() ? "-" : victims_text(attempt.chosen->victims);
    const VictimCost& cost = attempt.chosen->cost;
    const std::string started = cost.earliest_start_ms == INT64_MAX ? "-" : std::to_string(cost.earliest_start_ms);
    announcer_.nominate(
        line(happening, world_.asks.key(happening.ask), attempt.chosen->slot), victims,
        "violations=" + std::to_string(cost.budget_violations) + " highest=" + std::to_string(cost.highest_priority) +
            " sum=" + std::to_string(cost.priority_sum) + " count=" + std::to_string(cost.count) +
            " started=" + started + " nodes=" + std::to_string(attempt.nodes) + ": " + std::string(attempt.message));
}

// --- shims

void ShimTeller::observe(const Happening& happening) {
    switch (happening.kind) {
        case Kind::placed:
        case Kind::confirmed:
        case Kind::approved: placed(happening); break;
        case Kind::failed: failed(happening); break;
        case Kind::queried: queried(happening, DecisionKind::queried); break;
        case Kind::victims_queried: queried(happening, DecisionKind::victims_queried); break;
        case Kind::denied:
        case Kind::rejected:
            if (happening.tell && world_.asks[happening.ask].failures == 1) {
                say(DecisionKind::ask_waiting, happening, happening.why);
            }
            break;
        case Kind::held:
        case Kind::gated:
        case Kind::awaiting_node:
            if (happening.tell) {
                const auto key = world_.asks.key(happening.ask);  // a short one is within this
                lifecycle_.decide(world_.asks[happening.ask].shim, {.kind = DecisionKind::ask_waiting,
                                                                    .untried = true,
                                                                    .name = key,
                                                                    .node = {},
                                                                    .text = happening.why});
            }
            break;
        case Kind::nominated:
            lifecycle_.decide(world_.asks[happening.ask].shim, DecisionKind::nominated, world_.asks.key(happening.ask),
                              kNominatedNodeKey, Termination::unknown, world_.nodes.name(happening.slot));
            break;
        case Kind::nomination_cleared:
            say(DecisionKind::nominated, happening, std::string(kNominatedNodeKey) + ": " + std::string(happening.why));
            break;
        case Kind::reserved:
            if (happening.reservation->is_new) {
                say(DecisionKind::ask_waiting, happening, happening.reservation->message);
            }
            break;
        case Kind::reservation_cleared: say(DecisionKind::ask_waiting, happening, happening.why); break;
        case Kind::claim_given_back:
            lifecycle_.decide(happening.shim, DecisionKind::claim_given_back, happening.why,
                              "for " + full_name(world_, happening.ask));
            break;
        case Kind::victim_chosen: release(happening, Termination::preempted_by_scheduler); break;
        case Kind::node_lost: release(happening, Termination::stopped_by_rm); break;
        case Kind::sent_away: release(happening, happening.termination); break;
        default: break;
    }
}

void ShimTeller::say(DecisionKind kind, const Happening& happening, std::string_view text) {
    lifecycle_.decide(world_.asks[happening.ask].shim, kind, world_.asks.key(happening.ask), text);
}

void ShimTeller::release(const Happening& happening, Termination termination) {
    const std::string_view node =
        happening.slot == kNone<Slot> ? std::string_view() : world_.nodes.name(happening.slot);
    lifecycle_.decide(world_.asks[happening.ask].shim, DecisionKind::released, world_.asks.key(happening.ask),
                      happening.why, termination, node);
}

// A placement is a line of the log and, unless its shim must resync, a decision: one record for the teller.
void ShimTeller::placed(const Happening& happening) {
    const AskId id = happening.ask;
    Ask& ask = world_.asks[id];
    const Shim& shim = world_.shims[ask.shim];
    // The number that the decision is about to get.
    ask.waiting_or_decision = static_cast<std::uint32_t>(shim.ledger.last() + 1);
    const std::string devices = ask.has_entries ? devices_of(world_, id) : std::string();
    const bool told = !shim.must_resync;
    const auto key = world_.asks.key(id);  // a short one is within this
    const std::string_view node = world_.nodes.name(happening.slot);
    announcer_.place({world_.now_ns, ask.shim, key, node}, devices, told);
    if (told) {
        lifecycle_.count_decision(ask.shim, true, world_.asks.handle(id),
                                  key.view().size() + node.size() + devices.size());
    }
}

void ShimTeller::queried(const Happening& happening, DecisionKind kind) {
    const Ask& ask = world_.asks[happening.ask];
    if (world_.shims[ask.shim].must_resync) {
        return;
    }
    const auto key = world_.asks.key(happening.ask);  // a short one is within this
    const std::string text = with_second_list(happening.query->others, happening.query->totals);
    const Decision decision{.kind = kind,
                            .needed = static_cast<std::uint16_t>(happening.query->needed),
                            .violations = static_cast<std::uint16_t>(happening.query->violations),
                            .name = key,
                            .node = world_.nodes.name(happening.slot),
                            .text = text,
                            .query = happening.query->number};
    announcer_.decide(ask.shim, decision);
    lifecycle_.count_decision(ask.shim, false, {}, decision.name.size() + decision.node.size() + decision.text.size());
}

void ShimTeller::failed(const Happening& happening) {
    Ask& ask = world_.asks[happening.ask];
    const bool scale_up = !happening.failure->nominated && ask.priority >= world_.options.scale_up_cutoff;
    if (ask.failures == 1 || (scale_up && !ask.told_scale_up)) {
        lifecycle_.decide(ask.shim, DecisionKind::ask_waiting, world_.asks.key(happening.ask),
                          happening.failure->message, Termination::unknown, {}, scale_up);
        ask.told_scale_up = ask.told_scale_up || scale_up;
    }
}

// --- asks that wait

void WakeUps::observe(const Happening& happening) {
    if (happening.kind == Kind::freed || happening.kind == Kind::nomination_cleared) {
        lifecycle_.wake_if_unschedulable(happening.ask);
    }
    if (happening.wakes != 0) {
        lifecycle_.wake(happening.wakes);
    }
}

}  // namespace bayplan
