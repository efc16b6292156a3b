// How many pod terms of a shim's specs want each label. They have a limit (rules/limits.md), for a pod that has the label is
// held against all of them.
//
// Thread: the engine's. Owner: Shim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/seeded_hash.h"
#include "labels/pod_terms.h"

namespace bayplan {

class TermCrowds {
public:
    // Terms have numbers, equal ones of one spec too. A term counts once, however many specs have it.
    void add(std::uint32_t term, const TermMatch& match) {
        if (times_[term]++ == 0) {
            ByLabel& wanting = in_[sole_namespace(match)];
            for (const std::uint64_t label : labels_of(match)) ++wanting[label];
        }
    }
    void remove(std::uint32_t term, const TermMatch& match) {
        const auto times = times_.find(term);
        if (--times->second > 0) return;
        times_.erase(times);
        const auto wanting = in_.find(sole_namespace(match));
        for (const std::uint64_t label : labels_of(match)) {
            const auto found = wanting->second.find(label);
            if (--found->second == 0) wanting->second.erase(found);
        }
        if (wanting->second.empty()) in_.erase(wanting);
    }
    std::uint32_t times(std::uint32_t term) const {
        const auto found = times_.find(term);
        return found == times_.end() ? 0 : found->second;
    }
    std::size_t size() const { return times_.size(); }
    bool has(std::uint32_t term) const { return times_.contains(term); }
    // Every requirement that wants labels names a label that so many terms want; or the term has none, like so many others.
    bool is_full(const TermMatch& match, std::uint32_t most) const {
        const auto found = in_.find(sole_namespace(match));
        if (found == in_.end()) return false;
        const auto crowded = [&](std::uint64_t label) {
            const auto wanting = found->second.find(label);
            return wanting != found->second.end() && wanting->second >= most;
        };
        bool wants_any = false;
        for (const LabelRequirement& requirement : requirements_of(match)) {
            if (requirement.op != LabelOperator::in) continue;
            wants_any = true;
            if (std::none_of(requirement.values.begin(), requirement.values.end(),
                             [&](Text value) { return crowded(both(requirement.key, value)); })) {
                return false;
            }
        }
        return wants_any || crowded(kNoLabel);
    }

private:
    using ByLabel = boost::unordered_flat_map<std::uint64_t, std::uint32_t, NumberHash>;
    static constexpr std::uint64_t kNoLabel = UINT64_MAX;

    static std::uint64_t both(Text key, Text value) { return std::uint64_t{key} << 32 | value; }
    static std::vector<LabelRequirement> requirements_of(const TermMatch& match) {
        return match.selector ? match.selector->requirements : std::vector<LabelRequirement>{};
    }
    // Each once.
    static std::vector<std::uint64_t> labels_of(const TermMatch& match) {
        std::vector<std::uint64_t> labels;
        bool wants_any = false;
        for (const LabelRequirement& requirement : requirements_of(match)) {
            if (requirement.op != LabelOperator::in) continue;
            wants_any = true;
            for (const Text value : requirement.values) labels.push_back(both(requirement.key, value));
        }
        if (!wants_any) return {kNoLabel};
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        return labels;
    }

    boost::unordered_flat_map<std::uint32_t, std::uint32_t, NumberHash> times_;  // specs that have the term
    boost::unordered_flat_map<Text, ByLabel, NumberHash> in_;
};

}  // namespace bayplan
