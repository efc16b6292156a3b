// Kubernetes' words for a node that has not enough of a resource.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace bayplan {

// In two parts: what comes first, and what goes on after it.
struct Shortage {
    std::string_view first;
    std::string_view more;
};
inline Shortage shortage_parts(std::string_view resource) {
    return resource == "pods" ? Shortage{"Too many pods", {}} : Shortage{"Insufficient ", resource};
}

inline std::string shortage_of(std::string_view resource) {
    const Shortage parts = shortage_parts(resource);
    return std::string(parts.first).append(parts.more);
}

}  // namespace bayplan
