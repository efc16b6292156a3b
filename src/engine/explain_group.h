// The state of a pod group: its members, its quorum, and which of them the next attempt would find nodes for.
//
// Thread: the engine's. Tries the members one after another, and undoes that.
#pragma once

#include "bayplan/explanation.h"
#include "engine/attempts.h"

namespace bayplan {

// Of so many members, the eldest.
inline constexpr std::size_t kMembersExplained = 512;

GroupExplanation explain_group(World&, Attempts&, const PredicateSet&, const Gang&);

}  // namespace bayplan
