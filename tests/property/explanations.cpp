// See explanations.h.
#include "explanations.h"

#include <algorithm>
#include <map>

namespace bayplan::property {

namespace {

// Reasons and scores in an order of their own: each side lists them as it comes to them.
std::string told(const NodeExplanation& node) {
    std::string text = std::to_string(static_cast<int>(node.verdict));
    for (const PredicateFailure& failure : node.failures) {
        std::vector<std::string> reasons = failure.reasons;
        std::ranges::sort(reasons);
        text += " " + failure.predicate;
        for (const std::string& reason : reasons) text += ", " + reason;
    }
    std::map<std::string, std::string> scores;
    for (const ScoreShare& score : node.scores) {
        scores[score.plugin] =
            std::to_string(score.raw) + "/" + std::to_string(score.normalised) + "/" + std::to_string(score.weighted);
    }
    for (const auto& [plugin, score] : scores) text += " " + plugin + " " + score;
    return text + " = " + std::to_string(node.total);
}

std::string told(const std::optional<GroupExplanation>& group) {
    if (!group) return "none";
    std::string text = group->name + " minimum " + std::to_string(group->minimum);
    text += " priority " + std::to_string(group->priority) + " counted " + std::to_string(group->counted);
    text += " assigned " + std::to_string(group->assigned);
    for (const GroupNomination& one : group->nominations) {
        text += " " + one.pod + " to " + one.node + " for '" + one.guarantor + "'";
        for (const std::string& victim : one.victims) text += " " + victim;
    }
    return text + (group->deadline_ns == INT64_MAX ? "" : " deadline " + std::to_string(group->deadline_ns));
}

}  // namespace

std::string differing_groups(const std::optional<GroupExplanation>& engine,
                             const std::optional<GroupExplanation>& oracle) {
    const std::string ours = told(engine);
    const std::string theirs = told(oracle);
    return ours == theirs ? "" : "its group is " + ours + "; by the oracle " + theirs;
}

std::string differing_explanations(const Explanation& engine, const Explanation& oracle) {
    if (engine.ends != AttemptEnd::in_a_verdict) return "";  // the message is all there is, and stands in the log
    if (engine.node != oracle.node) return "would go to '" + engine.node + "', by the oracle to '" + oracle.node + "'";
    std::map<std::string, std::string> nodes;
    for (const NodeExplanation& node : oracle.nodes) nodes[node.node] = told(node);
    if (engine.nodes.size() != nodes.size()) {
        return std::to_string(engine.nodes.size()) + " nodes explained, by the oracle " + std::to_string(nodes.size());
    }
    for (const NodeExplanation& node : engine.nodes) {
        const auto found = nodes.find(node.node);
        const std::string ours = told(node);
        if (found == nodes.end()) return "node " + node.node + " is explained by the engine alone";
        if (ours != found->second) return "node " + node.node + ": " + ours + "; by the oracle: " + found->second;
    }
    return "";
}

}  // namespace bayplan::property
