// Makes the predicates of options/predicate_rows.h, in Kubernetes' order of evaluation.
//
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "options/predicate_rows.h"
#include "predicates/predicate_set.h"

namespace bayplan {

// make_<id>() of each row, which a file of this folder defines.
#define BAYPLAN_MAKE(id, name, wakes, parts) std::unique_ptr<Predicate> make_##id(const LaneKernels&);
BAYPLAN_PREDICATE_ROWS(BAYPLAN_MAKE)
#undef BAYPLAN_MAKE

// The predicates of the white-list, in the order of the rows; an empty list means all. Unknown names are left out here:
// the configuration refuses them (see unknown_predicate).
// The kernels must live as long as the predicates.
std::unique_ptr<PredicateSet> make_predicates(const std::vector<std::string>& white_list,
                                              const LaneKernels& kernels = lane_kernels(SimdLevel::automatic));

}  // namespace bayplan
