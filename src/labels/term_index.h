// Terms by what a spec that they mean must have: the namespace, where a term names only one, and one of the labels that it
// wants. So a spec is held only against terms of its own namespace, or of several, that want one of its labels.
//
// Thread: one. Owners: PodCounts, of all terms; Shim, of its own. Terms that are found may mean the spec, others do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/seeded_hash.h"
#include "labels/pod_terms.h"

namespace bayplan {

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
        const auto terms = in_.find(sole_namespace(match));
        const auto others = [&](std::uint64_t label) -> std::size_t {
            if (terms == in_.end()) return 0;
            const auto found = terms->second.find(label);
            return found == terms->second.end() ? 0 : found->second.size();
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
        for_each_label(match, by, [&](std::uint64_t label) { in_[sole_namespace(match)][label].insert(id); });
    }
    void remove(const TermMatch& match, FoundBy by, Id id) {
        const auto terms = in_.find(sole_namespace(match));
        if (terms == in_.end()) {
            return;  // its requirement had no labels
        }
        for_each_label(match, by, [&](std::uint64_t label) {
            const auto found = terms->second.find(label);
            if (found != terms->second.end() && found->second.erase(id) != 0 && found->second.empty()) {
                terms->second.erase(found);
            }
        });
        if (terms->second.empty()) in_.erase(terms);
    }

    // Once each: a spec's labels have distinct keys.
    template <typename Each>
    void for_each(const PodSpec& spec, Each&& each) const {
        for (const Text name_space : {spec.name_space, kSeveral}) {
            const auto terms = in_.find(name_space);
            if (terms == in_.end()) continue;
            each_with(terms->second, kNoLabel, each);
            for (const Label& label : spec.labels) {
                each_with(terms->second, number_of(label.key, label.value), each);
            }
        }
    }

private:
    using ByLabel = boost::unordered_flat_map<std::uint64_t, boost::unordered_flat_set<Id>, NumberHash>;
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
    static void each_with(const ByLabel& terms, std::uint64_t label, Each&& each) {
        if (const auto found = terms.find(label); found != terms.end()) {
            for (const Id id : found->second) {
                each(id);
            }
        }
    }

    boost::unordered_flat_map<Text, ByLabel, NumberHash> in_;
};

}  // namespace bayplan
