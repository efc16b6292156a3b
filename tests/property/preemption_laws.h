// Laws of preemption that need no scheduler to be checked: what a bystander sees in the cluster after one attempt.
// It counts room, host ports and anti-affinity by itself, from the asks alone.
//
// - No victim could stay: with any one of them left in its place, the preemptor does not fit on the node.
// - No pod of lower priority takes a place that is held for a nominated one.
// - A pod that finds nobody to preempt has no node that it would fit on without the pods below it.
// - Victims are of lower priority, ours, on the nominated node, and on their way out.
// Affinity and spread are not counted (others can help by being there), so pods that have them are left to the
// comparison with the oracle.
//
// Thread: one. Borrows the oracle during a call. Errors: the broken law as a text, "" if none is.
#pragma once

#include <string>

#include "oracle.h"

namespace bayplan::property {

// After one attempt, whose lines of the log begin at `log_begin`.
std::string broken_law(const oracle::Oracle&, std::size_t log_begin);

// A node that the ask would fit on if the pods below it went; "" if there is none.
std::string helpful_node(const oracle::Oracle&, const oracle::Ask&);

// When nothing is left to be tried: an ask that sleeps (unschedulable) would neither be placed nor find victims if it
// were tried. Else it missed the event that should have woken it, and may sleep for ever.
std::string broken_sleep(const oracle::Oracle&);

}  // namespace bayplan::property
