// Limits on what one statement may bring with it: far above what Kubernetes lets a pod or a node have, low enough that no
// statement costs more than its size (engine/rules/limits.md).
//
// Thread: any; pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "bayplan/messages.h"

namespace bayplan {

// Pods that one node has, or that wait for it. Kubernetes: 110 by default, some hundreds at most.
inline constexpr std::size_t kPodsPerNodeMax = 4'096;

// Groups of an application's user.
inline constexpr std::size_t kUserGroupsMax = 64;

// Kinds of what an application's placeholders need together.
inline constexpr std::size_t kPlaceholderAmountsMax = 256;

// Tags of an ask, or of an application.
inline constexpr std::size_t kTagsMax = 256;

// Asks that are nominated to one node by a statement.
inline constexpr std::size_t kStatedNominationsMax = 64;

// The first list that is too long, or ""; in the order of the fields, outer lists before inner ones.
std::string list_fault(const PodSpec&);
std::string list_fault(const ClusterObject&);
std::string list_fault(const NodeItem&);
std::string list_fault(const AskItem&);

// Of all lists.
std::size_t entries_of(const PodSpec&);
std::size_t entries_of(const ClusterObject&);

}  // namespace bayplan
