#include "predicates/registry.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bayplan {

namespace {

using Make = std::unique_ptr<Predicate> (*)(const LaneKernels&);

template <std::unique_ptr<Predicate> (*kMake)()>
std::unique_ptr<Predicate> plain(const LaneKernels&) {
    return kMake();
}

constexpr Make kAll[] = {
    plain<make_node_unschedulable>,  make_node_name,                 plain<make_taint_toleration>,
    plain<make_node_affinity>,       plain<make_node_ports>,         make_node_resources_fit,
    plain<make_volume_restrictions>, plain<make_node_volume_limits>, plain<make_volume_binding>,
    plain<make_volume_zone>,         plain<make_pod_topology_spread>, plain<make_inter_pod_affinity>,
};
static_assert(std::size(kAll) == kPredicateNames.size());

}  // namespace

std::unique_ptr<PredicateSet> make_predicates(const std::vector<std::string>& white_list,
                                              const LaneKernels& kernels) {
    std::vector<std::unique_ptr<Predicate>> predicates;
    for (const Make make : kAll) {
        std::unique_ptr<Predicate> predicate = make(kernels);
        if (white_list.empty() ||
            std::find(white_list.begin(), white_list.end(), predicate->name()) != white_list.end()) {
            predicates.push_back(std::move(predicate));
        }
    }
    return std::make_unique<PredicateSet>(std::move(predicates));
}

}  // namespace bayplan
