// Placed pods on their way out: marks, times, and victims that stay. rules/world.md, rules/victims.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle.h"

namespace bayplan::oracle {

// What was stated of the pod and what was chosen, put together. Its time begins when it becomes
// terminating on its node.
void Oracle::count_end_anew(Ask& ask) {
    const bool placed = !ask.node.empty();
    const bool was_terminating = ask.pod.terminating;
    ask.pod.terminating = placed && (ask.stated_terminating || ask.chosen || ask.sent_away);
    ask.pod.preempted = placed && (ask.stated_preempted || ask.chosen);
    if (!ask.pod.terminating) {
        ask.pod.stuck = false;
        ask.told_to_delete.clear();
        ask.retries = 0;
    } else if (!was_terminating) {
        ask.terminating_since = now_;
    }
}

std::optional<Oracle::Due> Oracle::next_due(const Ask& ask) const {
    if (!ask.pod.terminating || ask.pod.stuck) {
        return std::nullopt;
    }
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t grace = ask.grace_period_s < 0 ? 30 : ask.grace_period_s;
    const std::int64_t grace_ends = ask.terminating_since + grace * kSecond;
    const std::int64_t retries = options_.preemption.victim_retries;
    const std::int64_t stuck_after = options_.preemption.stuck_after_ns;
    if (!ask.told_to_delete.empty() && ask.retries < retries) {
        const std::int64_t wait = stuck_after * (ask.retries + 1) / (retries + 1);
        return Due{grace_ends + wait, ask.sequence, false};
    }
    return Due{grace_ends + stuck_after, ask.sequence, true};
}

// The first by (time, sequence number).
std::optional<Oracle::Due> Oracle::next_due() const {
    std::optional<Due> first;
    for (const auto& [sequence, ask] : asks_) {
        const auto due = next_due(ask);
        if (due && (!first || *due < *first)) {
            first = due;
        }
    }
    return first;
}

void Oracle::do_what_is_due() {
    for (auto due = next_due(); due && due->at <= now_; due = next_due()) {
        Ask& ask = asks_.at(due->sequence);
        if (due->stuck) {
            become_stuck(ask);
            continue;
        }
        ask.retries += 1;
        saw("victim told again");
        decide(ask.shim, DecisionKind::released, ask.key, ask.told_to_delete, ask.node,
               Termination::preempted_by_scheduler);
    }
}

void Oracle::become_stuck(Ask& ask) {
    ask.pod.stuck = true;
    for (const Ask* other : nominated_to(ask.node)) {
        if (other->victims.contains(ask.sequence)) {
            saw("victim became stuck");
            give_up_for(asks_.at(other->sequence), ask);
        }
    }
    wake_behind(ask);
}

// Those that are nominated to the pod's node, and above it: it keeps them from preempting no more.
void Oracle::wake_behind(const Ask& pod) {
    for (const Ask* other : nominated_to(pod.node)) {
        if (other->state == AskState::unschedulable && other->priority > pod.priority) {
            saw("woken behind a pod that stays");
            wake(asks_.at(other->sequence));
        }
    }
}

// The ask waits no longer for the stuck pod's node, and leaves it out until that pod is gone.
void Oracle::give_up_for(Ask& ask, const Ask& stuck) {
    ask.excluded[stuck.sequence] = stuck.node;
    for (Ask* member : ask.gang.empty() ? std::vector<Ask*>() : waiting_members(ask.gang)) {
        member->excluded[stuck.sequence] = stuck.node;
    }
    clear_nomination(ask, stuck.key + " does not terminate");
}

// --- gangs as budgets

void Oracle::show_gangs(KubeState& state) const {
    std::map<std::string, std::int64_t> running;
    for (const auto& [sequence, ask] : asks_) {
        const bool runs = (!ask.node.empty() && ask.state != AskState::on_permit) || !ask.awaited_node.empty();
        if (!ask.gang.empty() && runs && counts(gangs_.at(ask.gang), ask)) {
            ++running[ask.gang];
            if (!ask.node.empty()) {
                state.gang_of[&ask.pod] = ask.gang;
            }
        }
    }
    for (const auto& [key, count] : running) {
        if (count >= gangs_.at(key).minimum) {
            state.gang_spare[key] = count - gangs_.at(key).minimum;
        }
    }
}

std::vector<std::string> Oracle::broken_by(const std::vector<const KubePod*>& victims) const {
    KubeState state;
    show_gangs(state);
    std::vector<std::string> broken;
    for (const KubePod* victim : victims) {
        const auto gang = state.gang_of.find(victim);
        if (gang != state.gang_of.end() && state.gang_spare.contains(gang->second) &&
            --state.gang_spare[gang->second] < 0 && std::ranges::find(broken, gang->second) == broken.end()) {
            broken.push_back(gang->second);
        }
    }
    return broken;
}

std::vector<std::uint64_t> Oracle::others_of_broken(const std::vector<const KubePod*>& victims) {
    std::vector<std::uint64_t> others;
    for (const std::string& key : broken_by(victims)) {
        saw("a gang goes whole");
        for (const Ask* member : members(key)) {
            if (!member->node.empty() && member->state != AskState::on_permit && counts(gangs_.at(key), *member) &&
                std::ranges::find(victims, &member->pod) == victims.end()) {
                others.push_back(member->sequence);
            }
        }
    }
    return others;
}

}  // namespace bayplan::oracle
