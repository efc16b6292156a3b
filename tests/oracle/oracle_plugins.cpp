// Predicates that shims serve: rules/plugins.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <sstream>

#include "oracle.h"
#include "oracle_look.h"

namespace bayplan::oracle {

namespace {

constexpr const char* kAnyReason = "node(s) were refused by a plugin";

std::string commas(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ",") + name;
    }
    return text.empty() ? "-" : text;
}

std::string plugin_names(const Ask& ask) {
    std::string text = "plugin ";
    for (std::size_t i = 0; i < ask.pod.spec->plugins.size(); ++i) {
        text += (i == 0 ? "" : ", ") + ask.pod.spec->plugins[i];
    }
    return text;
}

void be_refused(const Ask& ask, const PluginSays& said, NodeExplanation& node) {
    node.verdict = said.verdict == PluginVerdict::unschedulable ? Verdict::unschedulable : Verdict::unresolvable;
    node.failures = {{plugin_names(ask), node.verdict, {said.text}}};
    node.scores.clear();
    node.total = 0;
}

}  // namespace

bool needs_plugins(const Ask& ask) { return !ask.pod.spec->plugins.empty(); }

// R-PLUGIN-1.
void Oracle::take_plugins(Shim& shim, std::string_view names) {
    shim.plugins.clear();
    std::istringstream lines{std::string(names)};
    for (std::string name; std::getline(lines, name);) {
        if (!name.empty() && name.size() <= 512 && shim.plugins.size() < 64) {
            shim.plugins.push_back(name);
        }
    }
}

// R-PLUGIN-3, R-PLUGIN-4.
std::string Oracle::plugins_fault(const Shim& shim, const AskItem& record) {
    if (record.spec == 0 || record.node != 0) {
        return "";
    }
    const std::vector<std::string>& needed = shim.specs.at(record.spec)->plugins;
    for (const std::string& name : needed) {
        if (std::count(shim.plugins.begin(), shim.plugins.end(), name) == 0) {
            return "plugin " + name + " is not served by its shim";
        }
    }
    const bool grouped = record.group_min_available != 0 || record.group_fault != GroupFault::none;
    return !needed.empty() && grouped ? "pods that need plugins cannot be placed together" : "";
}

// R-PLUGIN-6 to R-PLUGIN-8.
const PluginSays* Oracle::says(const Ask& ask, const std::string& node_name) const {
    const Node& node = nodes_.at(node_name);
    const auto found = ask.plugin_says.find(node.slot);
    if (found == ask.plugin_says.end() || found->second.creation != node.creation) {
        return nullptr;
    }
    return found->second.lasting || found->second.changes == node.changes ? &found->second : nullptr;
}

void Oracle::node_changes(const std::string& node) { nodes_.at(node).changes += 1; }

std::set<std::string> Oracle::nodes_refused(const Ask& ask) const {
    std::set<std::string> out;
    for (const auto& [name, node] : nodes_) {
        const PluginSays* const said = says(ask, name);
        if (said != nullptr && said->verdict != PluginVerdict::feasible) {
            out.insert(name);
        }
    }
    return out;
}

// R-PLUGIN-33. True: there is such a node.
bool Oracle::refuse_by_plugins(const Ask& ask, KubeAnswer& answer) const {
    bool any = false;
    std::vector<std::string> reasons;
    for (NodeExplanation& node : answer.explanation.nodes) {
        if (node.verdict == Verdict::feasible) {
            be_refused(ask, *says(ask, node.node), node);
            any = true;
        }
        const auto& of_node = node.failures.at(0).reasons;
        reasons.insert(reasons.end(), of_node.begin(), of_node.end());
    }
    if (any) {
        answer.explanation.node.clear();
        answer.explanation.state = "unschedulable";
        answer.explanation.message =
            "0/" + std::to_string(nodes_.size()) + " nodes are available: " + counted(reasons) + ".";
        answer.bindings.clear();
    }
    return any;
}

// R-PLUGIN-33, where another node is found: a node is refused by the predicates here before it is by plugins.
KubeAnswer Oracle::with_refusals(const Ask& ask, const Look& look) const {
    KubeAnswer answer = look.answer;
    const std::set<std::string> refused = needs_plugins(ask) ? nodes_refused(ask) : std::set<std::string>();
    if (refused.empty() || answer.explanation.node.empty()) {
        return answer;
    }
    KubeState state = look.state;
    // Its own nomination would pass without a look at other nodes.
    std::erase_if(state.nominations, [&](const KubeNomination& own) { return own.pod == &ask.pod; });
    if (!look.avoided.empty() && state.excluded.insert(look.avoided).second) {
        state.avoided = look.avoided;
    }
    const std::vector<NodeExplanation> by_predicates = judge(state, ask.pod).explanation.nodes;
    for (std::size_t i = 0; i < by_predicates.size(); ++i) {
        NodeExplanation& node = answer.explanation.nodes[i];
        if (refused.contains(node.node)) {
            node = by_predicates[i];
            if (node.verdict == Verdict::feasible) {
                be_refused(ask, *says(ask, node.node), node);
            }
        }
    }
    return answer;
}

// R-PLUGIN-11 to R-PLUGIN-14, R-PLUGIN-66. False: the node has a verdict.
bool Oracle::query_about(Ask& ask, const std::string& node, const Look& look, bool made_room) {
    if (says(ask, node) != nullptr) {
        saw("placed by a verdict known before");
        forget_plugins(ask);
        return false;
    }
    std::uint64_t most = options_.plugins.nodes;
    for (std::uint64_t i = 0; i < ask.queries && most < 1024; ++i) {
        most *= 2;
    }
    std::vector<std::string> nodes{node};
    KubeState left = look.state;
    left.excluded.merge(nodes_refused(ask));
    if (!ask.avoids.empty() && now_ < ask.avoids_until) {
        left.excluded.insert(ask.avoids);
    }
    const bool best = !made_room && !takes_nominated(left, ask.pod);
    std::erase_if(left.nominations, [&](const KubeNomination& own) { return own.pod == &ask.pod; });
    std::vector<NodeExplanation> others = judge(left, ask.pod).explanation.nodes;  // in the order of slots
    std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
    const auto own = std::ranges::find(others, node, &NodeExplanation::node);
    const std::int64_t own_total = own == others.end() ? 0 : own->total;
    std::string totals;
    for (const NodeExplanation& other : others) {
        const bool asks = other.verdict == Verdict::feasible && other.node != node && says(ask, other.node) == nullptr;
        if (asks && nodes.size() < std::min<std::uint64_t>(most, 1024)) {
            nodes.push_back(other.node);
            totals += std::to_string(other.total - own_total) + "\n";
        }
    }
    if (!totals.empty() && best) {
        saw("queried with totals");
    }
    saw(nodes.size() > 1 ? "queried about several nodes" : "queried about one node");
    const std::vector<KubeBinding> bindings = look.answer.bindings;
    ask.resting_node = ask.nominated_node;
    ask.resting_creation = ask.nominated_node.empty() ? 0 : nodes_.at(ask.nominated_node).creation;
    ask.resting_victims = ask.victims;
    ask.resting_for = ask.nominated_for;
    place(ask, node, AskState::queried);
    ask.bindings = bindings;
    send_query(ask, nodes, totals.empty() || !best ? "" : "\n0\n" + totals);
    return true;
}

void Oracle::send_query(Ask& ask, const std::vector<std::string>& nodes, const std::string& totals) {
    ask.query = ++last_query_;
    ask.queries += 1;
    ask.query_deadline = now_ + options_.plugins.deadline_ns;
    ask.asked.clear();
    std::string lines;
    for (const std::string& name : nodes) {
        const Node& node = nodes_.at(name);
        PluginSays moment;
        moment.changes = node.changes;
        moment.creation = node.creation;
        ask.asked.emplace_back(node.slot, moment);
        lines += name == nodes.front() ? "" : name + "\n";
    }
    const std::vector<std::string> others(nodes.begin() + 1, nodes.end());
    log_line("query", ask, nodes.front(), commas(others));
    decide(ask.shim, DecisionKind::queried, ask.key, lines + totals, nodes.front(), Termination::unknown, false, "",
           ask.query);
}

void Oracle::forget_plugins(Ask& ask) {
    ask.query = 0;
    ask.queries = 0;
    ask.asked.clear();
    ask.plugin_says.clear();
    ask.plugin_texts.clear();
    ask.victims_said.clear();
    ask.resting_node.clear();
}

void Oracle::lose_queried_node(Ask& ask, AskState state) {
    leave_node(ask);
    ask.query = 0;
    ask.state = state;
    const auto resting = nodes_.find(ask.resting_node);
    if (resting != nodes_.end() && resting->second.creation == ask.resting_creation) {
        saw("a nomination that rested");
        nominate(ask, ask.resting_node);
        ask.nominated_for = ask.resting_for;
        for (const std::uint64_t victim : ask.resting_victims) {
            if (asks_.contains(victim) && asks_.at(victim).node == ask.resting_node) {
                ask.victims.insert(victim);
            }
        }
    }
    ask.resting_node.clear();
}

// R-PLUGIN-29, R-PLUGIN-30.
void Oracle::end_query(Ask& ask, bool wakes) {
    saw("a query ends by an input");
    if (ask.state == AskState::asking) {
        ask.state = AskState::pending;
        forget_plugins(ask);
        return;
    }
    lose_queried_node(ask, AskState::pending);
    forget_plugins(ask);
    if (wakes) {
        wake(Event::allocation_ended);
    }
}

// R-PLUGIN-31.
void Oracle::give_way(Ask& ask, const std::string& why) {
    saw("a queried pod gives way");
    log_line("deny", ask, ask.node, why);
    lose_queried_node(ask, AskState::pending);
    forget_plugins(ask);
}

// R-PLUGIN-26.
void Oracle::stay_without_answer(Ask& ask, const std::string& why) {
    const bool asking = ask.state == AskState::asking;
    const std::string node = asking ? ask.asked_node : ask.node;
    if (asking) {
        ask.state = AskState::backoff;
    } else {
        lose_queried_node(ask, AskState::backoff);
    }
    count_failure(ask);
    ask.nacked = true;
    log_line("deny", ask, node, why);
    if (ask.failures == 1) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, why);
    }
    forget_plugins(ask);
    if (!asking) {
        wake(Event::allocation_ended);
    }
}

void Oracle::end_overdue_queries() {
    std::map<std::uint64_t, std::uint64_t> overdue;  // sequence by query
    for (const auto& [sequence, ask] : asks_) {
        if ((ask.state == AskState::queried || ask.state == AskState::asking) && ask.query_deadline <= now_) {
            overdue[ask.query] = sequence;
        }
    }
    for (const auto& [query, sequence] : overdue) {
        saw("a query without an answer");
        Ask& ask = asks_.at(sequence);
        stay_without_answer(ask, plugin_names(ask) + " did not answer in " +
                                     std::to_string(options_.plugins.deadline_ns / 1'000'000) + " ms");
    }
}

void Oracle::message(const std::string& name, const PluginAnswersMessage& answers) {
    for (const PluginAnswer& answer : answers.answers) {
        Ask* found = nullptr;
        for (auto& [sequence, ask] : asks_) {
            if (ask.shim == name && ask.query != 0 && ask.query == answer.query) {
                found = &ask;
            }
        }
        if (found == nullptr) {
            saw("an answer to no open query");
        } else {
            take_answer(*found, answer);
        }
    }
}

std::string Oracle::answer_fault(const Ask& ask, const PluginAnswer& answer) const {
    if (!answer.failure.empty()) {
        return ": " + std::string(answer.failure);
    }
    if (answer.verdicts.size() != ask.asked.size()) {
        return " gave " + std::to_string(answer.verdicts.size()) + " verdicts for " + std::to_string(ask.asked.size()) +
               " nodes";
    }
    std::uint64_t bytes = 0;
    for (const PluginVerdict verdict : answer.verdicts) {
        if (verdict == PluginVerdict::unknown) {
            return " gave no verdict for a node";
        }
        bytes += 32;
    }
    if (ask.state == AskState::asking) {
        const bool yes = answer.verdicts[0] == PluginVerdict::feasible;
        if (const std::string fault = yes ? victims_fault(ask, answer) : ""; !fault.empty()) {
            return fault;
        }
        bytes += 32 * (answer.first_victims + answer.victims.size());
    }
    for (const PluginReason& reason : answer.reasons) {
        bytes += reason.text.size();
    }
    const std::string fault = bytes_fault(ask.shim, bytes, 0);
    return fault.empty() ? "" : ": " + fault;
}

// R-PLUGIN-23, R-PLUGIN-24.
std::string Oracle::reason_for(Ask& ask, const PluginAnswer& answer, std::size_t node) {
    for (const PluginReason& reason : answer.reasons) {
        if (reason.node != node || reason.text.empty()) {
            continue;
        }
        const std::string text(reason.text);
        if (std::count(ask.plugin_texts.begin(), ask.plugin_texts.end(), text) > 0) {
            return text;
        }
        if (ask.plugin_texts.size() >= 16) {
            return kAnyReason;
        }
        ask.plugin_texts.push_back(text);
        return text;
    }
    return kAnyReason;
}

void Oracle::take_answer(Ask& ask, const PluginAnswer& answer) {
    if (const std::string fault = answer_fault(ask, answer); !fault.empty()) {
        saw("a faulty answer");
        stay_without_answer(ask, plugin_names(ask) + fault);
        return;
    }
    // Texts are kept in the order in which the answer gives them.
    std::map<std::size_t, std::string> texts;
    for (const PluginReason& reason : answer.reasons) {
        if (reason.node < answer.verdicts.size() && !reason.text.empty() && !texts.contains(reason.node) &&
            answer.verdicts[reason.node] != PluginVerdict::feasible) {
            texts[reason.node] = reason_for(ask, answer, reason.node);
        }
    }
    if (ask.state == AskState::asking) {
        take_victims(ask, answer, texts.contains(0) ? texts[0] : kAnyReason);
        return;
    }
    for (std::size_t i = 0; i < ask.asked.size(); ++i) {
        PluginSays said = ask.asked[i].second;
        said.verdict = answer.verdicts[i];
        said.lasting = answer.lasting;
        said.text = texts.contains(i) ? texts[i] : kAnyReason;
        ask.plugin_says[ask.asked[i].first] = said;
    }
    ask.asked.clear();
    const std::string node = ask.node;
    if (answer.verdicts[0] != PluginVerdict::feasible) {
        saw("a plugin refuses the node");
        const std::string text = ask.plugin_says.at(nodes_.at(node).slot).text;
        log_line("deny", ask, node, text);
        lose_queried_node(ask, AskState::pending);
        wake(Event::allocation_ended);
    } else if (says(ask, node) == nullptr) {
        saw("asked again, as the node has changed");
        send_query(ask, {node});
    } else {
        saw("a plugin confirms the node");
        confirm(ask);
    }
}

void Oracle::confirm(Ask& ask) {
    forget_plugins(ask);
    ++placed_;
    ask.state = AskState::unacknowledged;
    node_changes(ask.node);
    tell_place(ask);
}

}  // namespace bayplan::oracle
