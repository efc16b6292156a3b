// See explanation_text.h.
#include "sim/explanation_text.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "options/score_rows.h"
#include "sim/group_text.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kBestShown = 5;
constexpr std::size_t kNamesShown = 8;
constexpr std::size_t kCausesShown = 4;

// Headings that fit a column.
std::string_view heading(std::string_view plugin) {
    for (const ScoreRow& row : kScoreRows) {
        if (row.name == plugin) {
            return row.heading;
        }
    }
    return plugin;
}

class ExplanationText {
public:
    explicit ExplanationText(std::FILE* out) : out_(out) {}

    void explained(const SimulatedDecision& decision) {
        const bool placed = decision.outcome == Outcome::scheduled || decision.outcome == Outcome::nominated;
        fmt::print(out_, "{}: {}{}{}\n", decision.pod, to_string(decision.outcome), placed ? " on " : "",
                   placed ? where_or_why(decision) : "");
        if (!decision.message.empty()) {
            fmt::print(out_, "  {}\n", decision.message);
        }
        const std::vector<NodeExplanation>& nodes = decision.explanation->nodes;
        std::vector<const NodeExplanation*> feasible;
        std::map<Against, Group> groups;
        for (const NodeExplanation& node : nodes) {
            if (node.verdict == Verdict::feasible) {
                feasible.push_back(&node);
            } else {
                sort_in(decision, node, groups);
            }
        }
        if (!feasible.empty()) {
            best(decision, feasible, nodes.size());
        }
        if (!groups.empty()) {
            others(groups, nodes.size());
        }
        for (std::size_t index = 0; index < decision.nearest.size(); ++index) {
            fmt::print(out_, "  {} {}\n", index == 0 ? "nearest:" : "        ", decision.nearest[index]);
        }
        if (!decision.explanation->woken_by.empty()) {
            fmt::print(out_, "  woken by: {}\n", fmt::join(decision.explanation->woken_by, ", "));
        }
        if (decision.daemonset && decision.daemonset->looked_for_victims) {
            steps(*decision.daemonset);
        }
        if (decision.explanation->preemption) {
            preemption(*decision.explanation->preemption);
        }
        if (decision.explanation->group) {
            print_group(out_, *decision.explanation->group);
        }
        fmt::print(out_, "\n");
    }

private:
    struct Group {
        std::size_t count = 0;
        std::vector<std::string_view> names;                                     // the first few
        std::map<std::string, std::pair<std::size_t, std::string_view>> causes;  // nodes that have it, and the first
    };
    // Failures of a node; the first failing predicate leads.
    using Against = std::vector<std::tuple<std::string, std::vector<std::string>, Verdict>>;

    // The pods on the node, in the order in which they would go.
    void steps(const DaemonsetExplanation& told) {
        for (const auto& [pod, reason] : told.filtered) {
            fmt::print(out_, "      stays ({}): {}\n", reason, pod);
        }
        for (const auto& [name, pods] : told.classes) {
            if (!pods.empty()) {
                fmt::print(out_, "      {}: {}\n", name, fmt::join(pods, ", "));
            }
        }
        if (!told.chosen.empty()) {
            fmt::print(out_, "      chosen by {}: {}\n", told.strategy, fmt::join(told.chosen, ", "));
        }
    }

    // The nodes where room can be made, the chosen one first, and what decides between them: from left to right.
    void preemption(const PreemptionExplanation& found) {
        if (found.candidates.empty()) {
            fmt::print(out_, "  preemption: {}\n", found.text);
            return;
        }
        std::vector<const VictimChoice*> sorted;
        std::size_t width = 4;
        for (const VictimChoice& choice : found.candidates) {
            sorted.push_back(&choice);
            width = std::max(width, choice.node.size());
        }
        const auto rank = [&found](const VictimChoice& choice) {
            return std::tuple(choice.node != found.nominated_node, choice.budget_violations, choice.highest_priority,
                              choice.priority_sum, choice.victims.size(), -choice.earliest_start_ms);
        };
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](const auto* one, const auto* other) { return rank(*one) < rank(*other); });
        fmt::print(out_,
                   "  on {} of them preemption makes room; fewest budgets broken, then the least important victims:\n",
                   sorted.size());
        fmt::print(out_, "      {:<{}}  {:>7}  {:>11}  {:>14}  {:>6}  {}\n", "NODE", width, "BUDGETS", "HIGHEST",
                   "PRIORITIES", "COUNT", "VICTIMS");
        for (std::size_t index = 0; index < std::min(sorted.size(), kBestShown); ++index) {
            one_choice(*sorted[index], found, width);
        }
        if (sorted.size() > kBestShown) {
            fmt::print(out_, "      and {} more\n", sorted.size() - kBestShown);
        }
    }

    void one_choice(const VictimChoice& choice, const PreemptionExplanation& found, std::size_t width) {
        std::vector<std::string_view> names(choice.victims.begin(), choice.victims.end());
        names.resize(std::min(names.size(), kNamesShown));
        const std::size_t more = choice.victims.size() - names.size();
        // Compared is the sum of (priority + 2^31), as in Kubernetes; for people the sum itself.
        const std::int64_t priorities = choice.priority_sum - (static_cast<std::int64_t>(choice.victims.size()) << 31);
        fmt::print(out_, "    {} {:<{}}  {:>7}  {:>11}  {:>14}  {:>6}  {}{}\n",
                   choice.node == found.nominated_node ? '>' : ' ', choice.node, width, choice.budget_violations,
                   choice.highest_priority, priorities, choice.victims.size(), fmt::join(names, ", "),
                   more > 0 ? fmt::format(" and {} more", more) : "");
    }

    static void sort_in(const SimulatedDecision& decision, const NodeExplanation& node,
                        std::map<Against, Group>& groups) {
        Against against;
        for (const PredicateFailure& failure : node.failures) {
            against.emplace_back(failure.predicate, failure.reasons, failure.verdict);
        }
        Group& group = groups[against];
        if (group.count++ < kNamesShown) {
            group.names.push_back(node.node);
        }
        const auto causes = decision.causes.find(node.node);
        if (causes == decision.causes.end() || causes->second.empty()) return;
        const auto [at, fresh] =
            group.causes.try_emplace(fmt::format("{}", fmt::join(causes->second, "; ")), 0, node.node);
        ++at->second.first;
    }

    // The chosen node first: of equal totals it is not the first by any other rule that shows.
    void best(const SimulatedDecision& decision, std::vector<const NodeExplanation*>& feasible, std::size_t all) {
        std::stable_sort(feasible.begin(), feasible.end(), [&](const auto* one, const auto* other) {
            const bool chosen = one->node == decision.node;
            const bool other_chosen = other->node == decision.node;
            return std::tie(other->total, other_chosen) < std::tie(one->total, chosen);
        });
        const std::size_t shown = std::min(feasible.size(), kBestShown);
        std::size_t width = 4;
        for (std::size_t index = 0; index < shown; ++index) {
            width = std::max(width, feasible[index]->node.size());
        }
        fmt::print(out_, "  {} of {} nodes can take it; the best by score:\n", feasible.size(), all);
        fmt::print(out_, "      {:<{}}  {:>6}", "NODE", width, "TOTAL");
        for (const ScoreShare& share : feasible.front()->scores) {
            fmt::print(out_, "  {:>7}", heading(share.plugin));
        }
        fmt::print(out_, "\n");
        for (std::size_t index = 0; index < shown; ++index) {
            const NodeExplanation& node = *feasible[index];
            fmt::print(out_, "    {} {:<{}}  {:>6}", node.node == decision.node ? '>' : ' ', node.node, width,
                       node.total);
            for (const ScoreShare& share : node.scores) {
                fmt::print(out_, "  {:>{}}", share.weighted, std::max<std::size_t>(7, heading(share.plugin).size()));
            }
            fmt::print(out_, "{}\n",
                       node.devices.empty() ? "" : fmt::format("  {} of {}", node.devices, node.devices_left));
        }
    }

    void others(const std::map<Against, Group>& groups, std::size_t all) {
        std::vector<std::pair<const Against*, const Group*>> sorted;
        std::size_t count = 0;
        for (const auto& [against, group] : groups) {
            sorted.emplace_back(&against, &group);
            count += group.count;
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& one, const auto& other) { return one.second->count > other.second->count; });
        fmt::print(out_, "  {} of {} nodes cannot:\n", count, all);
        for (const auto& [against, group] : sorted) {
            one_group(*against, *group);
        }
    }

    void one_group(const Against& against, const Group& group) {
        bool first = true;
        for (const auto& [predicate, reasons, verdict] : against) {
            const std::string lead = first ? fmt::format("{:>6}", group.count) : std::string(6, ' ');
            fmt::print(out_, "  {}  {}: {}{}\n", lead, predicate, fmt::join(reasons, ", "),
                       verdict == Verdict::unresolvable ? "" : " (room could be made)");
            first = false;
        }
        fmt::print(
            out_, "          {}{}\n", fmt::join(group.names, ", "),
            group.count > group.names.size() ? fmt::format(" and {} more", group.count - group.names.size()) : "");
        print_causes(group);
    }

    // Causes of most nodes first.
    void print_causes(const Group& group) {
        std::vector<std::pair<std::size_t, std::string>> sorted;
        for (const auto& [cause, found] : group.causes) {
            sorted.emplace_back(found.first,
                                found.first == group.count
                                    ? cause
                                    : fmt::format("{} ({}{})", cause, found.second,
                                                  found.first > 1 ? fmt::format(" and {} more", found.first - 1) : ""));
        }
        std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) { return one.first > other.first; });
        for (std::size_t index = 0; index < std::min(sorted.size(), kCausesShown); ++index) {
            fmt::print(out_, "            {}\n", sorted[index].second);
        }
        if (sorted.size() > kCausesShown) {
            fmt::print(out_, "            and {} other amounts\n", sorted.size() - kCausesShown);
        }
    }

    std::FILE* out_;
};

}  // namespace

std::string where_or_why(const SimulatedDecision& decision) {
    switch (decision.outcome) {
        case Outcome::scheduled: return decision.node + (decision.devices.empty() ? "" : " (" + decision.devices + ")");
        case Outcome::nominated:
            return fmt::format("{}, in place of {}", decision.nominated_node, fmt::join(decision.victims, ", "));
        case Outcome::reserved:
            return decision.message +
                   (decision.victims.empty() ? "" : fmt::format(" In place of {}", fmt::join(decision.victims, ", ")));
        case Outcome::waiting: return decision.node + ": " + decision.message;
        default: return decision.message;
    }
}

void print_explanation(std::FILE* out, const SimulatedDecision& decision) { ExplanationText(out).explained(decision); }

}  // namespace bayplan::sim
