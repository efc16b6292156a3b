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

// Kinds of resources that amounts of a partition have ever named, and that one shim was the first to name. A cluster has some
// dozens; nodes, queues and applications have columns for each.
inline constexpr std::size_t kKindsMax = 1'024;
inline constexpr std::size_t kKindsOfShimMax = 256;

// Pods of a group with a minimum: a message about one of them costs a step for each of the others.
inline constexpr std::size_t kGangMembersMax = 16'384;

// Placeholders of one application: when their time is up they go in one step.
inline constexpr std::size_t kPlaceholdersMax = 16'384;

// Slices of one pool, of one node, for all nodes, and for selected nodes.
inline constexpr std::size_t kSlicesTogetherMax = 4'096;

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
