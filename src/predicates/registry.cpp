#include "predicates/registry.h"

#include <utility>

namespace bayplan {

std::unique_ptr<PredicateSet> make_default_predicates() {
    std::vector<std::unique_ptr<Predicate>> predicates;
    predicates.push_back(make_node_unschedulable());
    predicates.push_back(make_node_name());
    predicates.push_back(make_node_resources_fit());
    return std::make_unique<PredicateSet>(std::move(predicates));
}

}  // namespace bayplan
