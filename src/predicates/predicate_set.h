// The predicates in force, in Kubernetes' order of evaluation (the first that fails a node is the one
// that is reported for it).
//
// Thread: immutable once made; any.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "predicates/predicate.h"

namespace bayplan {

class PredicateSet {
public:
    explicit PredicateSet(std::vector<std::unique_ptr<Predicate>> predicates);

    // Lanes of the block where a pod of the class may run.
    std::uint64_t filter(const AskClass&, const NodeBlock&) const noexcept;

    struct Failure {
        std::uint32_t predicate = 0;  // index into predicates()
        Refusal refusal;
    };
    // The first predicate that refuses the lane; verdict feasible if none does.
    Failure explain(const AskClass&, const NodeBlock&, std::uint32_t lane, const KindNames&) const;

    // Bits of WakeEvent for a set of failing predicates (bit = index).
    std::uint32_t woken_by(std::uint32_t failed) const;

    const std::vector<std::unique_ptr<Predicate>>& predicates() const { return predicates_; }

private:
    std::vector<std::unique_ptr<Predicate>> predicates_;
};

}  // namespace bayplan
