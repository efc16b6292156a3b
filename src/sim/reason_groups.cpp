// See reason_groups.h.
#include "sim/reason_groups.h"

#include <algorithm>
#include <cctype>

#include "sim/report.h"

namespace bayplan::sim {

namespace {

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
    ++decisions_;
    if (finds_room(decision.outcome)) {
        waiting_.erase(decision.pod);
    } else {
        waiting_[decision.pod] = {decisions_, decision.outcome, decision.message};
    }
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

}  // namespace bayplan::sim
