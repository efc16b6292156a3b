// Kubernetes' words for a node that has not enough of a resource kind.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace bayplan {

inline std::string shortage_of(std::string_view kind) {
    return kind == "pods" ? "Too many pods" : "Insufficient " + std::string(kind);
}

}  // namespace bayplan
