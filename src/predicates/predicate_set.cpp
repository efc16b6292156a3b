#include "predicates/predicate_set.h"

#include <utility>

namespace bayplan {

PredicateSet::PredicateSet(std::vector<std::unique_ptr<Predicate>> predicates) : predicates_(std::move(predicates)) {}

std::uint64_t PredicateSet::filter(const AskClass& ask_class, const NodeBlock& block) const noexcept {
    std::uint64_t lanes = block.present;
    for (const auto& predicate : predicates_) {
        if (lanes == 0) {
            break;
        }
        if (predicate->concerns(ask_class)) {
            lanes = predicate->filter(ask_class, block, lanes);
        }
    }
    return lanes;
}

PredicateSet::Failure PredicateSet::explain(const AskClass& ask_class, const NodeBlock& block, std::uint32_t lane,
                                            const KindNames& kinds) const {
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        const Predicate& predicate = *predicates_[index];
        if (!predicate.concerns(ask_class)) {
            continue;
        }
        Refusal refusal = predicate.explain(ask_class, block, lane, kinds);
        if (refusal.verdict != Verdict::feasible) {
            return {index, std::move(refusal)};
        }
    }
    return {};
}

std::uint32_t PredicateSet::woken_by(std::uint32_t failed) const {
    std::uint32_t events = kNodeAdded;  // with no nodes at all, nothing but a node helps
    for (std::uint32_t index = 0; index < predicates_.size(); ++index) {
        if (failed >> index & 1) {
            events |= predicates_[index]->woken_by();
        }
    }
    return events;
}

}  // namespace bayplan
