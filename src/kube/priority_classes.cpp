// See priority_classes.h.
#include "kube/priority_classes.h"

#include <algorithm>
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

const PriorityClass* PriorityClasses::find(std::string_view name) const {
    const auto at = std::ranges::find(classes_, name, &PriorityClass::name);
    return at == classes_.end() ? nullptr : &*at;
}

const PriorityClass* PriorityClasses::global_default() const {
    const PriorityClass* found = nullptr;
    for (const PriorityClass& one : classes_) {
        if (one.global_default && (found == nullptr || one.value < found->value)) {
            found = &one;
        }
    }
    return found;
}

bool PriorityClasses::resolve(ConvertedPod& pod, bool defaults) const {
    if (const PriorityClass* const one = find(pod.priority_class); one != nullptr && !pod.allows_preemption) {
        pod.ask.never_victim = one->opts_out;
    }
    if (pod.priority_known) {
        return true;
    }
    const bool unnamed = pod.priority_class.empty();
    if (const PriorityClass* found = !unnamed ? find(pod.priority_class) : defaults ? global_default() : nullptr) {
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
    return unnamed;
}

}  // namespace bayplan::kube
