// Filters that TaintToleration and NodeAffinity share: their answers lie together in the signature's mask, so only
// nodes that it leaves out need to be asked which of the two it was.
//
// Thread: the engine's.
#pragma once

#include <bit>
#include <utility>

#include "predicates/predicate.h"

namespace bayplan {

// The lanes of `lanes` for whose node's facts `refuse` is true.
template <typename Refuse>
std::uint64_t those_that(Refuse&& refuse, const Subject& subject, std::uint32_t number, std::uint64_t lanes) {
    std::uint64_t refused = 0;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
        refused |= refuse(*subject.cluster.topology.facts()[raw(slot)]) ? left & -left : 0;
    }
    return refused;
}

// False: unmasked() finds none in any block.
inline bool any_unmasked(const Subject& subject) {
    return subject.cluster.topology.signatures().mask(subject.plan.signature) != nullptr;
}

// The lanes of `lanes` that are not in the mask and for whose node's facts `refuse` is true.
template <typename Refuse>
std::uint64_t unmasked(const Subject& subject, std::uint32_t number, std::uint64_t lanes, Refuse&& refuse) {
    const NodeMask* mask = subject.cluster.topology.signatures().mask(subject.plan.signature).get();
    if (mask == nullptr) {
        return 0;
    }
    const std::uint64_t out = number < mask->size() ? ~(*mask)[number] : 0;
    return those_that(std::forward<Refuse>(refuse), subject, number, lanes & out);
}

}  // namespace bayplan
