// See explanation_text.h.
#include "sim/explanation_text.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "options/score_rows.h"
#include "sim/group_text.h"
#include "terminal/table.h"
#include "terminal/text.h"

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
    ExplanationText(std::FILE* out, std::size_t columns) : out_(out), columns_(columns) {}

    void explained(const SimulatedDecision& decision) {
        const bool placed = decision.outcome == Outcome::scheduled || decision.outcome == Outcome::nominated;
        say(0, "",
            fmt::format("{}: {}{}{}", decision.pod, to_string(decision.outcome), placed ? " on " : "",
                        placed ? where_or_why(decision) : ""));
        if (!decision.message.empty()) {
            say(2, "", decision.message);
        }
        behind(decision, decision.node, decision.outcome == Outcome::waiting);
        fmt::print(out_, "\n");
    }

    void behind(const Explained& decision, std::string_view chosen, bool waits) {
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
            best(chosen, feasible, nodes.size());
        }
        if (!groups.empty()) {
            others(groups, nodes.size());
        }
        for (std::size_t index = 0; index < decision.nearest.size(); ++index) {
            say(2, index == 0 ? "nearest: " : "         ", decision.nearest[index]);
        }
        if (!decision.explanation->woken_by.empty()) {
            say(2, "woken by: ", fmt::format("{}", fmt::join(decision.explanation->woken_by, ", ")));
        }
        if (decision.daemonset && decision.daemonset->looked_for_victims) {
            steps(*decision.daemonset);
        }
        if (decision.explanation->preemption) {
            preemption(*decision.explanation->preemption);
        }
        if (decision.explanation->group) {
            print_group(out_, *decision.explanation->group, columns_, waits);
        }
    }

private:
    struct Group {
        std::size_t count = 0;
        std::vector<std::string_view> names;                                     // the first few
        std::map<std::string, std::pair<std::size_t, std::string_view>> causes;  // nodes that have it, and the first
    };
    // Failures of a node; the first failing predicate leads.
    using Against = std::vector<std::tuple<std::string, std::vector<std::string>, Verdict>>;

    // `lead` behind so many spaces, then the text, whose further lines begin below its first.
    void say(std::size_t indent, std::string_view lead, std::string_view text) {
        fmt::print(out_, "{}{}{}\n", std::string(indent, ' '), lead,
                   terminal::wrapped(text, columns_, indent + lead.size()));
    }

    void put(const terminal::Table& table) {
        fmt::print(out_, "{}", table.text(columns_));
        if (const auto gone = table.without_room(columns_); !gone.empty()) {
            say(6, "", fmt::format("no room for {}", fmt::join(gone, ", ")));
        }
    }

    // The chosen one is marked.
    static std::string named(std::string_view node, bool chosen) {
        return fmt::format("    {} {}", chosen ? '>' : ' ', node);
    }

    // The pods on the node, in the order in which they would go.
    void steps(const DaemonsetExplanation& told) {
        for (const auto& [pod, reason] : told.filtered) {
            say(6, fmt::format("stays ({}): ", reason), pod);
        }
        for (const auto& [name, pods] : told.classes) {
            if (!pods.empty()) {
                say(6, fmt::format("{}: ", name), fmt::format("{}", fmt::join(pods, ", ")));
            }
        }
        if (!told.chosen.empty()) {
            say(6, fmt::format("chosen by {}: ", told.strategy), fmt::format("{}", fmt::join(told.chosen, ", ")));
        }
    }

    // The nodes where room can be made, the chosen one first, and what decides between them: from left to right.
    void preemption(const PreemptionExplanation& found) {
        if (!found.guarantee.empty()) {
            say(2, "guarantee: ", found.guarantee);
        }
        if (found.candidates.empty()) {
            say(2, "preemption: ", found.text);
            return;
        }
        std::vector<const VictimChoice*> sorted;
        for (const VictimChoice& choice : found.candidates) {
            sorted.push_back(&choice);
        }
        const auto rank = [&found](const VictimChoice& choice) {
            return std::tuple(choice.node != found.nominated_node, choice.budget_violations, choice.highest_priority,
                              choice.priority_sum, choice.victims.size(), -choice.earliest_start_ms);
        };
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](const auto* one, const auto* other) { return rank(*one) < rank(*other); });
        say(2, "",
            fmt::format("on {} of them preemption makes room; fewest budgets broken, then the least important victims:",
                        sorted.size()));
        terminal::Table table({{"      NODE"},
                               {"BUDGETS", true},
                               {"HIGHEST", true},
                               {"PRIORITIES", true, true},
                               {"COUNT", true},
                               {"VICTIMS"}});
        for (std::size_t index = 0; index < std::min(sorted.size(), kBestShown); ++index) {
            add_choice(table, *sorted[index], found);
        }
        put(table);
        if (sorted.size() > kBestShown) {
            fmt::print(out_, "      and {} more\n", sorted.size() - kBestShown);
        }
    }

    static void add_choice(terminal::Table& table, const VictimChoice& choice, const PreemptionExplanation& found) {
        std::vector<std::string_view> names(choice.victims.begin(), choice.victims.end());
        names.resize(std::min(names.size(), kNamesShown));
        const std::size_t more = choice.victims.size() - names.size();
        // Compared is the sum of (priority + 2^31), as in Kubernetes; for people the sum itself.
        const std::int64_t priorities = choice.priority_sum - (static_cast<std::int64_t>(choice.victims.size()) << 31);
        table.row({named(choice.node, choice.node == found.nominated_node), std::to_string(choice.budget_violations),
                   std::to_string(choice.highest_priority), std::to_string(priorities),
                   std::to_string(choice.victims.size()),
                   fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "")});
    }

    static void sort_in(const Explained& decision, const NodeExplanation& node, std::map<Against, Group>& groups) {
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
    void best(std::string_view node_of_pod, std::vector<const NodeExplanation*>& feasible, std::size_t all) {
        std::stable_sort(feasible.begin(), feasible.end(), [&](const auto* one, const auto* other) {
            const bool chosen = one->node == node_of_pod;
            const bool other_chosen = other->node == node_of_pod;
            return std::tie(other->total, other_chosen) < std::tie(one->total, chosen);
        });
        const std::size_t shown = std::min(feasible.size(), kBestShown);
        say(2, "", fmt::format("{} of {} nodes can take it; the best by score:", feasible.size(), all));
        std::vector<terminal::TableColumn> columns{{"      NODE"}, {"TOTAL", true}};
        for (const ScoreShare& share : feasible.front()->scores) {
            columns.push_back({std::string(heading(share.plugin)), true, true});
        }
        columns.push_back({""});
        terminal::Table table(std::move(columns));
        for (std::size_t index = 0; index < shown; ++index) {
            const NodeExplanation& node = *feasible[index];
            std::vector<std::string> cells{named(node.node, node.node == node_of_pod), std::to_string(node.total)};
            for (const ScoreShare& share : node.scores) {
                cells.push_back(std::to_string(share.weighted));
            }
            // Devices of claims have no shares that could be left.
            cells.push_back(node.devices_left.empty() ? node.devices
                                                      : fmt::format("{} of {}", node.devices, node.devices_left));
            table.row(std::move(cells));
        }
        put(table);
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
            say(2, lead + "  ",
                fmt::format("{}: {}{}", predicate, fmt::join(reasons, ", "),
                            verdict == Verdict::unresolvable ? "" : " (room could be made)"));
            first = false;
        }
        const std::size_t more = group.count - group.names.size();
        say(10, "",
            fmt::format("{}{}", fmt::join(group.names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
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
            say(12, "", sorted[index].second);
        }
        if (sorted.size() > kCausesShown) {
            fmt::print(out_, "            and {} other amounts\n", sorted.size() - kCausesShown);
        }
    }

    std::FILE* out_;
    std::size_t columns_;
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

void print_explanation(std::FILE* out, const SimulatedDecision& decision, std::size_t columns) {
    ExplanationText(out, columns).explained(decision);
}

void print_explained(std::FILE* out, const Explained& explained, std::string_view node, bool waits,
                     std::size_t columns) {
    ExplanationText(out, columns).behind(explained, node, waits);
}

}  // namespace bayplan::sim
