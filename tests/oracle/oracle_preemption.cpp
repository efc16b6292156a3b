// What comes of a search for victims: nominations made and cleared, victims chosen:
// rules/preemption.md; the search itself is in kube_preemption.h.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <limits>

#include "oracle_gang_preemption.h"

namespace bayplan::oracle {

std::string full_name(const Ask& ask) { return ask.shim + "/" + ask.key; }

// In the order in which they would be tried.
std::vector<const Ask*> Oracle::nominated_to(const std::string& node) const {
    std::vector<const Ask*> out;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.nominated_node == node) {
            out.push_back(&ask);
        }
    }
    std::sort(out.begin(), out.end(), [this](const Ask* a, const Ask* b) { return goes_before(*a, *b); });
    return out;
}

std::string Oracle::costs_text(const KubeVictims& chosen, std::uint64_t nodes) {
    if (chosen.victims.empty()) {
        return "violations=0 highest=0 sum=0 count=0 started=- nodes=0: ";
    }
    const std::int64_t start = chosen.earliest_start();
    const bool known = start != std::numeric_limits<std::int64_t>::max();
    return "violations=" + std::to_string(chosen.violations) + " highest=" + std::to_string(chosen.highest_priority()) +
           " sum=" + std::to_string(chosen.priority_sum()) + " count=" + std::to_string(chosen.told()) +
           " started=" + (known ? std::to_string(start) : "-") + " nodes=" + std::to_string(nodes) + ": ";
}

std::string Oracle::victim_names(const std::vector<std::uint64_t>& victims) const {
    std::string names;
    for (const std::uint64_t victim : victims) {
        names += (names.empty() ? "" : ",") + full_name(asks_.at(victim));
    }
    return names.empty() ? "-" : names;
}

namespace {

std::vector<std::uint64_t> all_of(const KubeVictims& chosen, const std::vector<std::uint64_t>& others) {
    std::vector<std::uint64_t> victims;
    for (const KubePod* victim : chosen.victims) {
        victims.push_back(victim->sequence);
    }
    victims.insert(victims.end(), others.begin(), others.end());
    return victims;
}

}  // namespace

void Oracle::log_nomination(const Ask& ask, const KubePreemption& found, const std::vector<std::uint64_t>& others,
                            const std::string& message) {
    const KubeVictims& chosen = found.candidates[*found.chosen];
    log_line("nominate", ask, chosen.node->name, costs_text(chosen, found.nodes) + message,
             victim_names(all_of(chosen, others)));
}

void Oracle::choose(Ask& ask, const KubeVictims& chosen, const std::vector<std::uint64_t>& others,
                    const std::string& guarantor) {
    ++nominated_;
    const std::string node = chosen.node->name;
    if (!ask.nominated_node.empty() && ask.nominated_node != node) {
        saw("nomination to another node");
        clear_nomination(ask, "preemption chose " + node);
    }
    nominate(ask, node);
    ask.nominated_for = guarantor;
    decide(ask.shim, DecisionKind::nominated, ask.key, std::string(kNominatedNodeKey), node);
    bool told = false;
    bool gives_way = false;
    send_away(ask, all_of(chosen, others), told, gives_way);
    clear_lower_nominations(ask, node);
    ask.state = AskState::unschedulable;
    if (told) {
        wake(Event::pod_changed);
    }
    if (gives_way) {
        wake(Event::allocation_ended);
    }
    for (const KubePod* pod : chosen.victims) {
        if (pod->stuck && ask.nominated_node == node) {
            saw("victim stuck already");
            give_up_for(ask, asks_.at(pod->sequence));
        }
    }
}

// They go for it; on its nominated node it waits for them.
void Oracle::send_away(Ask& preemptor, const std::vector<std::uint64_t>& victims, bool& told, bool& gives_way) {
    preemptor.victims.clear();
    const std::string& guarantor = preemptor.nominated_for;
    const std::string why =
        "preempted by " + full_name(preemptor) + (guarantor.empty() ? "" : " for the guarantee of " + guarantor);
    for (const std::uint64_t sequence : victims) {
        Ask& victim = asks_.at(sequence);
        if (victim.state == AskState::queried) {
            give_way(victim, why);
            gives_way = true;
            continue;
        }
        if (victim.node == preemptor.nominated_node) {
            preemptor.victims.insert(sequence);
        }
        told = choose_victim(victim, preemptor, why) || told;
    }
}

// True if it was not terminating before.
bool Oracle::choose_victim(Ask& victim, const Ask& preemptor, const std::string& why) {
    const bool is_new = !victim.pod.terminating;
    saw(is_new ? "victim told" : "victim terminates already");
    if (victim.shim != preemptor.shim) {
        saw("victim of another shim");
    }
    victim.chosen = true;
    count_end_anew(victim);
    if (is_new) {
        touch(victim);
        take_from_budgets(victim.pod);
        victim.told_to_delete = why;
        decide(victim.shim, DecisionKind::released, victim.key, victim.told_to_delete, victim.node,
               Termination::preempted_by_scheduler);
    }
    return is_new;
}

void Oracle::take_from_budgets(const KubePod& victim) {
    for (auto& [name, budget] : objects_.budgets) {
        if (protects(budget, victim) && budget.allowed > 0) {
            budget.allowed -= 1;
            saw("taken from a budget");
        }
    }
}

void Oracle::clear_lower_nominations(const Ask& ask, const std::string& node) {
    const bool all = options_.preemption.lower_nominations == LowerNominations::clear;
    for (const Ask* other : nominated_to(node)) {
        if (other->priority >= ask.priority) {
            continue;
        }
        if (all || !passes_when_all_are_gone(*other, node)) {
            saw(all ? "lower nomination cleared" : "lower nomination fits no longer");
            clear_nomination(asks_.at(other->sequence), full_name(ask) + " was nominated");
        } else {
            saw("lower nomination fits still");
        }
    }
}

// All that terminate, on whatever node; and here all that a reservation waits for.
bool Oracle::passes_when_all_are_gone(const Ask& ask, const std::string& node) const {
    const KubeObjects objects = assumed_objects();
    const KubeState state = state_for(ask, objects);
    std::vector<const KubePod*> terminating;
    for (const KubePod* pod : state.pods) {
        const bool waited_for = !ask.gang.empty() && ask.gang == reserved_ && pod->node == node &&
                                GangReservations::may_be_waited_for(asks_.at(pod->sequence), ask);
        if (pod->terminating || waited_for) {
            terminating.push_back(pod);
        }
    }
    return !why_not_without(state, terminating, ask.pod, nodes_.at(node).facts);
}

void Oracle::nominate(Ask& ask, const std::string& node) {
    end_nomination(ask, false);
    ask.nominated_node = node;
    add(ask.requests, 1, nodes_.at(node).held);
}

void Oracle::end_nomination(Ask& ask, bool wakes) {
    if (ask.nominated_node.empty()) {
        return;
    }
    add(ask.requests, -1, nodes_.at(ask.nominated_node).held);
    ask.nominated_node.clear();
    ask.nominated_for.clear();
    ask.victims.clear();
    if (wakes) {
        wake(Event::allocation_ended);
    }
}

void Oracle::clear_nomination(Ask& ask, const std::string& text) {
    ++cleared_;
    log_line("clear", ask, ask.nominated_node, text);
    decide(ask.shim, DecisionKind::nominated, ask.key, std::string(kNominatedNodeKey) + ": " + text);
    end_nomination(ask, false);
    if (ask.state == AskState::unschedulable) {
        wake(ask);
    }
    wake(Event::allocation_ended);
}

// R-LAW-5: none of the victims could stay. Where pods can be of help to the ask by being there, one
// that was tried early may fit in the end.
void Oracle::check_victims(const Ask& ask, const KubeState& state, const KubeVictims& chosen, bool by_guarantee) {
    if (!ask.pod.spec->affinity.empty() || !ask.pod.spec->spread.empty()) {
        return;
    }
    for (const KubePod* victim : chosen.victims) {
        if (is_forced(ask, *victim)) {
            continue;
        }
        std::vector<const KubePod*> others = chosen.victims;
        std::erase(others, victim);
        if (!why_not_without(state, others, ask.pod, *chosen.node)) {
            broken_at_commit_.push_back("R-LAW-5: " + ask.key + " fits beside its victim " + victim->key);
        }
        if (!by_guarantee && (victim->priority >= ask.priority || victim->spared)) {
            broken_at_commit_.push_back("R-LAW-5: " + victim->key + " is not below " + ask.key);
        }
    }
}

}  // namespace bayplan::oracle
