// Victims of asks that need plugins: rules/plugins.md#preemption. The search itself is in kube_preemption.h.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle.h"
#include "oracle_guarantees.h"
#include "oracle_look.h"

namespace bayplan::oracle {

// R-PLUGIN-41.
bool Oracle::may_preempt(const Ask& ask) const { return !needs_plugins(ask) || shims_.at(ask.shim).judges_victims; }

// R-PLUGIN-44: what counts of what the plugins have said.
KubeState Oracle::with_plugins(const Ask& ask, const KubeState& state) const {
    KubeState out = state;
    out.plugins_choose = needs_plugins(ask);
    for (const auto& [name, node] : nodes_) {
        const auto found = ask.victims_said.find(node.slot);
        if (found == ask.victims_said.end() || found->second.creation != node.creation ||
            found->second.changes != node.changes) {
            continue;
        }
        const bool any_there = std::any_of(
            found->second.go.begin(), found->second.go.end(),
            [&, &name = name](std::uint64_t pod) { return asks_.contains(pod) && asks_.at(pod).node == name; });
        if (found->second.refused || any_there) {
            out.plugins_said[name] = {found->second.refused, found->second.text, found->second.go};
        }
    }
    return out;
}

// R-PLUGIN-47. False: they need not be asked now.
bool Oracle::asks_about_victims(Ask& ask, const Look& look) {
    if (!options_.preemption.enabled || !needs_plugins(ask) || !may_preempt(ask)) {
        return false;
    }
    const KubeState state = with_plugins(ask, look.state);
    const auto found = preempt(state, ask.pod, look.answer);
    if (!found || !found->chosen || !found->asks) {
        return false;
    }
    GuaranteeRules::waits_long_enough(*this, ask);
    KubeState searched = state;
    searched.skipped = look.answer.skipped;
    send_victims_query(ask, searched, found->candidates[*found->chosen]);
    return true;
}

void Oracle::send_victims_query(Ask& ask, const KubeState& state, const KubeVictims& victims) {
    saw("asked about victims");
    const Node& node = nodes_.at(victims.node->name);
    ask.state = AskState::asking;
    ask.failed_by.clear();
    ask.nacked = false;
    ask.query = ++last_query_;
    ask.query_deadline = now_ + options_.plugins.deadline_ns;
    PluginSays moment;
    moment.changes = node.changes;
    moment.creation = node.creation;
    ask.asked = {{node.slot, moment}};
    ask.asked_node = node.name;
    ask.needed = victims.assumed ? 0 : victims.victims.size();
    const std::int64_t violations = victims.assumed ? 0 : victims.violations;
    ask.offered.clear();
    std::string lines;
    for (const KubePod* pod : offer(state, ask.pod, victims)) {
        ask.offered.push_back(pod->sequence);
        lines += full_name(asks_.at(pod->sequence)) + "\n";
    }
    log_line("victims", ask, node.name, "needed=" + std::to_string(ask.needed), victim_names(ask.offered));
    decide(ask.shim, DecisionKind::victims_queried, ask.key, lines, node.name, Termination::unknown, false, "",
           ask.query, ask.needed, static_cast<std::uint64_t>(violations));
}

// R-PLUGIN-50, of a yes.
std::string Oracle::victims_fault(const Ask& ask, const PluginAnswer& answer) {
    const std::uint64_t chosen = answer.first_victims + answer.victims.size();
    if (chosen == 0) {
        return " chose no victims";
    }
    if (answer.first_victims != 0 && !answer.victims.empty()) {
        return " chose victims in two ways";
    }
    if (chosen > ask.offered.size()) {
        return " chose " + std::to_string(chosen) + " victims of " + std::to_string(ask.offered.size());
    }
    if (answer.victims.empty() && chosen < ask.needed) {
        return " chose " + std::to_string(chosen) + " victims, and at least " + std::to_string(ask.needed) + " must go";
    }
    std::set<std::uint32_t> seen;
    for (const std::uint32_t victim : answer.victims) {
        if (victim >= ask.offered.size()) {
            return " chose a victim that was not offered";
        }
        if (!seen.insert(victim).second) {
            return " chose a victim twice";
        }
    }
    return "";
}

void Oracle::take_victims(Ask& ask, const PluginAnswer& answer, const std::string& text) {
    VictimsSaid said;
    said.changes = ask.asked[0].second.changes;
    said.creation = ask.asked[0].second.creation;
    said.refused = answer.verdicts[0] != PluginVerdict::feasible;
    said.text = text;
    for (std::uint64_t i = 0; i < answer.first_victims && !said.refused; ++i) {
        said.go.insert(ask.offered[i]);
    }
    for (std::size_t i = 0; i < answer.victims.size() && !said.refused; ++i) {
        said.go.insert(ask.offered[answer.victims[i]]);
    }
    saw(said.refused             ? "plugins let nobody go"
        : answer.victims.empty() ? "plugins let the first victims go"
                                 : "plugins let a set of victims go");
    ask.victims_said[ask.asked[0].first] = said;
    ask.asked.clear();
    ask.query = 0;
    ask.state = AskState::pending;
}

bool Oracle::is_forced(const Ask& ask, const KubePod& victim) {
    return std::any_of(ask.victims_said.begin(), ask.victims_said.end(),
                       [&](const auto& said) { return said.second.go.contains(victim.sequence); });
}

}  // namespace bayplan::oracle
