// Kubernetes' words for nodes that pods there keep an ask off, beside what they occupy.
//
// Thread: any.
#pragma once

#include <string_view>

namespace bayplan {

inline constexpr std::string_view kPortsTaken = "node(s) didn't have free ports for the requested pod ports";
inline constexpr std::string_view kUnwantedPods = "node(s) didn't match pod anti-affinity rules";
inline constexpr std::string_view kUnwantedByPods = "node(s) didn't satisfy existing pods anti-affinity rules";

}  // namespace bayplan
