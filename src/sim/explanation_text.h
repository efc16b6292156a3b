// An explained decision for people: the best nodes with their scores, the others grouped by what speaks against them, whom a
// preemption costs.
//
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "sim/simulation.h"

namespace bayplan::sim {

// Of a decision that has an explanation; lines of so many columns at most (0: any).
void print_explanation(std::FILE*, const SimulatedDecision&, std::size_t columns);

// The same without the decision itself. `node`: where the pod is placed, or holds a node; empty: nowhere. `waits`: it holds that
// until its group has its minimum.
void print_explained(std::FILE*, const Explained&, std::string_view node, bool waits, std::size_t columns);

// "n1", "n1, in place of ns/a", "0/3 nodes are available: ...".
std::string where_or_why(const SimulatedDecision&);

}  // namespace bayplan::sim
