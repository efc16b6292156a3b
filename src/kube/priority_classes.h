// Priority classes by name, and what they make of a pod that names one, as the API server does when the pod
// is created.
//
// Thread: one. Owns the classes. Source: Kubernetes 1.35, the admission plugin Priority.
#pragma once

#include <string_view>
#include <vector>

#include "kube/objects.h"
#include "kube/pod.h"

namespace bayplan::kube {

class PriorityClasses {
public:
    // Takes the place of one of the same name.
    void put(PriorityClass);
    void remove(std::string_view name);

    // Sets the priority of a pod that names a class; with `defaults` also of a pod that names none: from the default
    // class, of several default classes the lowest value. A stated priority stays. False: there is no such class.
    bool resolve(ConvertedPod&, bool defaults) const;

private:
    const PriorityClass* find(std::string_view name) const;
    const PriorityClass* global_default() const;

    std::vector<PriorityClass> classes_;
};

}  // namespace bayplan::kube
