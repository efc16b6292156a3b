// Terms by what a spec that they mean must have: the namespace, where a term names only one, and one of the labels that it
// wants. So a spec is held only against terms of its own namespace, or of several, that want one of its labels.
//
// Thread: one. Owners: PodCounts, of all terms; Shim, of its own. Terms that are found may mean the spec, others do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "labels/pod_terms.h"

namespace bayplan {

// Where terms lie that name one namespace, or several, and are found by one label, or by none.
struct TermPlace {
    Text name_space = 0;
    std::uint64_t label = 0;
    bool operator==(const TermPlace&) const = default;
};
struct TermPlaceHash {
    std::size_t operator()(const TermPlace& place) const {
        const HashSecret& secret = HashSecret::of_process();
        // Of a hash: numbers of two texts, one beside the other, would meet other two, which a peer may choose.
        return secret.with(secret.of_number(place.name_space), place.label);
    }
};

template <typename Id>
class TermIndex {
public:
    // The requirement of the term's selector that it is found by; none: the selector names no label.
    using FoundBy = std::optional<std::uint32_t>;

    struct Choice {
        FoundBy by;
        std::size_t others = 0;  // found by the most crowded of its labels, or by none as it is
    };
    // Where a new term has the fewest others; the first of equals.
    Choice choose(const TermMatch& match) const {
        const auto others = [&](std::uint64_t label) -> std::size_t {
            const auto found = terms_.find(TermPlace{sole_namespace(match), label});
            return found == terms_.end() ? 0 : found->second.size();
        };
        Choice best;
        for (std::uint32_t at = 0; match.selector && at < match.selector->requirements.size(); ++at) {
            const LabelRequirement& requirement = match.selector->requirements[at];
            if (requirement.op != LabelOperator::in) continue;
            std::size_t most = 0;
            for (const Text value : requirement.values)
                most = std::max(most, others(number_of(requirement.key, value)));
            if (!best.by || most < best.others) best = {at, most};
        }
        return best.by ? best : Choice{{}, others(kNoLabel)};
    }

    void add(const TermMatch& match, FoundBy by, Id id) {
        for_each_label(match, by, [&](std::uint64_t label) { terms_[{sole_namespace(match), label}].insert(id); });
    }
    void remove(const TermMatch& match, FoundBy by, Id id) {
        for_each_label(match, by, [&](std::uint64_t label) {
            const auto found = terms_.find(TermPlace{sole_namespace(match), label});
            if (found != terms_.end() && found->second.erase(id) != 0 && found->second.empty()) terms_.erase(found);
        });
    }

    // Once each: a spec's labels have distinct keys.
    template <typename Each>
    void for_each(const PodSpec& spec, Each&& each) const {
        if (terms_.empty()) return;
        for (const Text name_space : {spec.name_space, kSeveral}) {
            each_at({name_space, kNoLabel}, each);
            for (const Label& label : spec.labels) {
                each_at({name_space, number_of(label.key, label.value)}, each);
            }
        }
    }

private:
    static constexpr Text kSeveral = kNone<Text>;  // namespaces, perhaps
    static constexpr std::uint64_t kNoLabel = UINT64_MAX;

    template <typename Each>
    static void for_each_label(const TermMatch& match, FoundBy by, Each&& each) {
        if (!by) {
            each(kNoLabel);
            return;
        }
        const LabelRequirement& requirement = match.selector->requirements[*by];
        for (const Text value : requirement.values) {
            each(number_of(requirement.key, value));
        }
    }
    template <typename Each>
    void each_at(const TermPlace& place, Each&& each) const {
        if (const auto found = terms_.find(place); found != terms_.end()) {
            for (const Id id : found->second) {
                each(id);
            }
        }
    }

    SplitMap<TermPlace, boost::unordered_flat_set<Id>, TermPlaceHash> terms_;
};

}  // namespace bayplan
