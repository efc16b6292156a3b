// Telling members of pod groups why they are not tried, and forgetting gangs, naively: rules/gangs.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <tuple>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::string fault_text(GroupFault fault) {
    if (fault == GroupFault::no_name) {
        return "refused: empty pod group name";
    }
    return fault == GroupFault::no_minimum
               ? "refused: min-available of its pod group is no number from 1 to 2147483647"
               : "refused: topology mode of its pod group is neither required nor preferred";
}

}  // namespace

void Oracle::hold_back(Ask& ask, const std::string& why) {
    const std::string kind = why.substr(0, why.find(' '));
    if (ask.told_why != kind) {
        ask.told_why = kind;
        log_line("wait", ask, "-", why);
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, why);
    }
}

void Oracle::tell_gangs() {
    for (auto& [sequence, ask] : asks_) {
        if (ask.group_fault != GroupFault::none && !ask.has_node() && !ask.stands_at_its_gates()) {
            saw("refused: fault");
            hold_back(ask, fault_text(ask.group_fault));
        }
    }
    std::map<std::pair<std::uint64_t, std::string>, std::string> by_number;
    for (const auto& [key, gang] : gangs_) {
        by_number[{gang.number, key}] = key;
    }
    for (const auto& [number, key] : by_number) {
        const Gang& gang = gangs_.at(key);
        const std::size_t counted = assigned(key) + waiting_members(key).size();
        for (Ask* member : members(key)) {
            std::string why;
            if (!member->has_node() && !member->stands_at_its_gates() && !is_going(*member)) {
                if (member->group_minimum != gang.minimum) {
                    why = "refused: min-available differs: " + std::to_string(member->group_minimum) + ", pod group " +
                          gang.name + " has " + std::to_string(gang.minimum);
                }
                if (member->priority != gang.priority) {
                    why += (why.empty() ? "refused: " : "; ") + std::string("priority differs: ") +
                           std::to_string(member->priority) + ", pod group " + gang.name + " has " +
                           std::to_string(gang.priority);
                }
                if (member->topology != gang.topology) {
                    why += (why.empty() ? "refused: " : "; ") + std::string("topology differs: ") +
                           member->topology.text() + ", pod group " + gang.name + " has " + gang.topology.text();
                }
                if (why.empty() && !gang.quorum) {
                    why = "quorum not reached: " + std::to_string(counted) + " of " + std::to_string(gang.minimum);
                }
            }
            if (why.empty()) {
                member->told_why.clear();
            } else {
                saw(why.starts_with("refused") ? "refused: differs" : "told: no quorum");
                hold_back(*member, why);
            }
        }
    }
}

void Oracle::forget_gangs() {
    for (auto at = gangs_.begin(); at != gangs_.end();) {
        const bool old = members(at->first).empty() && now_ - at->second.empty_since > options_.coscheduling.memory_ns;
        at = old ? gangs_.erase(at) : std::next(at);
    }
    std::set<std::tuple<std::int64_t, std::uint64_t, std::string>> empty;  // the gang that is empty for longest first
    for (const auto& [key, gang] : gangs_) {
        if (members(key).empty()) {
            empty.insert({gang.empty_since, gang.number, key});
        }
    }
    for (; empty.size() > 16'384; empty.erase(empty.begin())) {
        gangs_.erase(std::get<2>(*empty.begin()));
    }
}

}  // namespace bayplan::oracle
