#include "predicates/registry.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bayplan {

namespace {

using Make = std::unique_ptr<Predicate> (*)();

constexpr Make kAll[] = {
    make_node_unschedulable,  make_node_name,           make_taint_toleration, make_node_affinity,
    make_node_ports,          make_node_resources_fit,  make_volume_restrictions, make_node_volume_limits,
    make_volume_binding,      make_volume_zone,         make_pod_topology_spread, make_inter_pod_affinity,
};
static_assert(std::size(kAll) == kPredicateNames.size());

}  // namespace

std::unique_ptr<PredicateSet> make_predicates(const std::vector<std::string>& white_list) {
    std::vector<std::unique_ptr<Predicate>> predicates;
    for (const Make make : kAll) {
        std::unique_ptr<Predicate> predicate = make();
        if (white_list.empty() ||
            std::find(white_list.begin(), white_list.end(), predicate->name()) != white_list.end()) {
            predicates.push_back(std::move(predicate));
        }
    }
    return std::make_unique<PredicateSet>(std::move(predicates));
}

}  // namespace bayplan
