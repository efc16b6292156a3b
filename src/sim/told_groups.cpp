// See told_groups.h.
#include "sim/told_groups.h"

#include <algorithm>

namespace bayplan::sim {

namespace {

bool names(const GroupExplanation& group, const std::string& pod) {
    return std::ranges::find(group.members, pod, &GroupMember::pod) != group.members.end();
}

}  // namespace

void ToldGroups::tell(SimulatedDecision& decision, const kube::ConvertedPod& pod,
                      const std::optional<Explanation>& attempt, const Explain& explain) {
    if (pod.group.empty()) {
        return;
    }
    const auto [told, first] = groups_.try_emplace({pod.ask.application, pod.group});
    if (first) {
        const bool tried = attempt && attempt->group && names(*attempt->group, decision.pod);
        const std::optional<Explanation> now = tried ? attempt : explain();
        told->second = now && now->group ? std::make_shared<const GroupExplanation>(*now->group) : nullptr;
    }
    decision.group = told->second;
    decision.first_of_group = first;
}

}  // namespace bayplan::sim
