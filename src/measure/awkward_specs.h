// Terms and constraints of an application's pods in an awkward cluster, and its Service.
//
// Thread: any; pure functions. Texts get their numbers from the caller.
#pragma once

#include <cstdint>
#include <string_view>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"
#include "workload/awkward_loads.h"
#include "workload/kube_loads.h"

namespace bayplan::measure {

inline constexpr std::string_view kRackKey = "example.com/rack";

// Label, spread constraints and affinity of pods of the application.
void add_terms(const workload::AwkwardLoad&, std::uint32_t application, const workload::TextNumber&, PodSpec&);
PodSet service_of(std::uint32_t application, const workload::TextNumber&);

}  // namespace bayplan::measure
