// The feature list of predicates: every one by its name, in Kubernetes' order of evaluation.
//
// Thread: any.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "predicates/predicate_set.h"

namespace bayplan {

std::unique_ptr<Predicate> make_node_unschedulable();
std::unique_ptr<Predicate> make_node_name();
std::unique_ptr<Predicate> make_node_resources_fit();

// All of them.
std::unique_ptr<PredicateSet> make_default_predicates();

}  // namespace bayplan
