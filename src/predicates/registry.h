// The feature list of predicates: every one by its name, in Kubernetes' order of evaluation.
//
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "predicates/names.h"
#include "predicates/predicate_set.h"

namespace bayplan {

std::unique_ptr<Predicate> make_node_unschedulable();
std::unique_ptr<Predicate> make_node_name(const LaneKernels&);
std::unique_ptr<Predicate> make_taint_toleration();
std::unique_ptr<Predicate> make_node_affinity();
std::unique_ptr<Predicate> make_node_ports();
std::unique_ptr<Predicate> make_node_resources_fit(const LaneKernels&);
std::unique_ptr<Predicate> make_volume_restrictions();
std::unique_ptr<Predicate> make_node_volume_limits();
std::unique_ptr<Predicate> make_volume_binding();
std::unique_ptr<Predicate> make_volume_zone();
std::unique_ptr<Predicate> make_pod_topology_spread();
std::unique_ptr<Predicate> make_inter_pod_affinity();

// All are named in names.h. (SchedulingGates is no entry: a gated ask is not tried at all.)

// Those of the white-list, in the order above; an empty list means all. Unknown names are left out here:
// the configuration refuses them (see unknown_predicate).
// The kernels must live as long as the predicates.
std::unique_ptr<PredicateSet> make_predicates(const std::vector<std::string>& white_list,
                                              const LaneKernels& kernels = lane_kernels(SimdLevel::automatic));

}  // namespace bayplan
