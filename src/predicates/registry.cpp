// One constructor for each row of options/predicate_rows.h; see registry.h.
#include "predicates/registry.h"

#include <array>
#include <utility>

namespace bayplan {

namespace {

using Make = std::unique_ptr<Predicate> (*)(const LaneKernels&);

constexpr std::array<Make, kPredicates> kMake = {
#define BAYPLAN_MAKE(id, name, wakes, parts) make_##id,
    BAYPLAN_PREDICATE_ROWS(BAYPLAN_MAKE)
#undef BAYPLAN_MAKE
};

}  // namespace

std::unique_ptr<PredicateSet> make_predicates(const std::vector<std::string>& white_list, const LaneKernels& kernels) {
    std::vector<PredicateInForce> predicates;
    for (std::size_t index = 0; index < kPredicates; ++index) {
        if (is_listed(kPredicateRows[index], white_list)) {
            predicates.push_back({kPredicateRows[index], kMake[index](kernels)});
        }
    }
    return std::make_unique<PredicateSet>(std::move(predicates));
}

}  // namespace bayplan
