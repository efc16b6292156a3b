// See priority_classes.h.
#include "kube/priority_classes.h"

#include <utility>

namespace bayplan::kube {

namespace {

// The two that every API server makes by itself.
constexpr std::pair<std::string_view, std::int32_t> kBuiltInClasses[] = {{"system-cluster-critical", 2'000'000'000},
                                                                         {"system-node-critical", 2'000'001'000}};

}  // namespace

void PriorityClasses::put(PriorityClass made) {
    for (PriorityClass& one : classes_) {
        if (one.name == made.name) {
            one = std::move(made);
            return;
        }
    }
    classes_.push_back(std::move(made));
}

void PriorityClasses::remove(std::string_view name) {
    std::erase_if(classes_, [name](const PriorityClass& one) { return one.name == name; });
}

bool PriorityClasses::resolve(ConvertedPod& pod, bool defaults) const {
    const PriorityClass* found = nullptr;
    for (const PriorityClass& one : classes_) {
        const bool fallback = pod.priority_class.empty() && defaults && one.global_default;
        if (one.name == pod.priority_class || fallback) {
            found = &one;
        }
    }
    if (found != nullptr) {
        pod.ask.priority = found->value;
        pod.ask.never_preempts = pod.ask.never_preempts || found->never_preempts;
        return true;
    }
    for (const auto& [name, value] : kBuiltInClasses) {
        if (name == pod.priority_class) {
            pod.ask.priority = value;
            return true;
        }
    }
    return pod.priority_class.empty();
}

}  // namespace bayplan::kube
