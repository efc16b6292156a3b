// See told_groups.h.
#include "sim/told_groups.h"

namespace bayplan::sim {

namespace {

std::shared_ptr<const GroupExplanation> shared(const std::optional<GroupExplanation>& group) {
    return group ? std::make_shared<const GroupExplanation>(*group) : nullptr;
}

}  // namespace

void ToldGroups::know(const kube::ConvertedPod& pod, const Explanation& explanation) {
    if (pod.group.empty()) {
        return;
    }
    const auto [told, first] = groups_.try_emplace({pod.ask.application, pod.group});
    if (first) {
        told->second.group = shared(explanation.group);
    }
}

void ToldGroups::tell(Explained& explained, const kube::ConvertedPod& pod, const Explain& explain) {
    if (pod.group.empty()) {
        return;
    }
    const auto [told, first] = groups_.try_emplace({pod.ask.application, pod.group});
    if (first) {
        const std::optional<Explanation> now = explain();
        told->second.group = now ? shared(now->group) : nullptr;
    }
    explained.group = told->second.group;
    explained.first_of_group = !std::exchange(told->second.on_a_line, true);
}

}  // namespace bayplan::sim
