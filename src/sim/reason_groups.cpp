// See reason_groups.h.
#include "sim/reason_groups.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "sim/report.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kCountWidth = 8;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// "0/12 nodes are available: 3 Insufficient cpu, 9 node(s) ...": a number counts where a clause begins, and behind "0/".
bool begins_a_count(std::string_view message, std::size_t at) {
    if (at == 0) return true;
    if (at > 0 && is_digit(message[at - 1])) return false;
    const std::string_view before = message.substr(0, at);
    return before.ends_with(", ") || before.ends_with(": ") ||
           (before.ends_with("/") && at > 1 && is_digit(message[at - 2]));
}

}  // namespace

std::string without_counts(std::string_view message) {
    std::string plain;
    for (std::size_t at = 0; at < message.size();) {
        std::size_t end = at;
        while (end < message.size() && is_digit(message[end])) ++end;
        const bool stands_alone = end == message.size() || message[end] == ' ' || message[end] == '/';
        if (end > at && stands_alone && begins_a_count(message, at)) {
            plain += '#';
            at = end;
        } else {
            end = std::max(end, at + 1);
            plain += message.substr(at, end - at);
            at = end;
        }
    }
    return plain;
}

void ReasonGroups::add(const SimulatedDecision& decision) {
    if (finds_room(decision.outcome)) {
        waiting_.erase(decision.pod);
    } else {
        add_waiting(decision.pod, decision.outcome, decision.message);
    }
}

void ReasonGroups::add_waiting(std::string pod, Outcome outcome, std::string message) {
    waiting_[std::move(pod)] = {++decisions_, outcome, std::move(message)};
}

std::vector<ReasonGroup> ReasonGroups::groups() const {
    std::vector<std::pair<const std::string*, const Waiting*>> sorted;
    for (const auto& [pod, why] : waiting_) sorted.emplace_back(&pod, &why);
    std::ranges::sort(sorted, {}, [](const auto& one) { return one.second->order; });
    std::map<std::pair<Outcome, std::string>, ReasonGroup> by_reason;
    for (const auto& [pod, why] : sorted) {
        ReasonGroup& group = by_reason[{why->outcome, without_counts(why->message)}];
        group.outcome = why->outcome;
        group.counts_differ = group.counts_differ || (group.pods > 0 && group.message != why->message);
        group.message = why->message;
        if (group.pods++ < kExamples) group.examples.push_back(*pod);
    }
    std::vector<ReasonGroup> groups;
    for (auto& [reason, group] : by_reason) groups.push_back(std::move(group));
    std::ranges::stable_sort(groups, std::greater<>(), &ReasonGroup::pods);
    return groups;
}

void print_reasons(std::FILE* out, const std::vector<ReasonGroup>& groups, ReasonOutcomes outcomes, std::size_t columns,
                   const terminal::Colours& colours) {
    constexpr std::size_t kIndent = kCountWidth + 2;
    if (!groups.empty()) fmt::print(out, "{:>{}}  WHY THEY WAIT\n", "PODS", kCountWidth);
    for (const ReasonGroup& group : groups) {
        const std::string outcome =
            outcomes == ReasonOutcomes::said ? fmt::format("{}: ", to_string(group.outcome)) : "";
        const std::string why =
            fmt::format("{}{}{}", outcome, group.message, group.counts_differ ? " (counts: of the last of them)" : "");
        std::string names = fmt::format("{}", fmt::join(group.examples, ", "));
        if (group.pods > group.examples.size()) {
            names += fmt::format(" and {} more", group.pods - group.examples.size());
        }
        fmt::print(out, "{:>{}}  {}\n{}{}\n", group.pods, kCountWidth, terminal::wrapped(why, columns, kIndent),
                   std::string(kIndent, ' '),
                   colours(terminal::Colour::faint, terminal::wrapped(names, columns, kIndent)));
    }
}

}  // namespace bayplan::sim
