// The topology keys that a shim's specs name, counted (R-LIMIT-42 ff.): each has a column with an entry per node.
//
// Thread: the engine's. Owner: Shim.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "bayplan/pod_spec.h"

namespace bayplan {

class KeysOfShim {
public:
    // Another spec, or one of them no more.
    void add(const PodSpec& spec) {
        for_each_key(spec, [&](Text key) { ++times_[key]; });
    }
    void remove(const PodSpec& spec) {
        for_each_key(spec, [&](Text key) {
            const auto found = times_.find(key);
            if (--found->second == 0) {
                times_.erase(found);
            }
        });
    }
    bool has_room_for(const PodSpec& spec, std::size_t most) const {
        boost::unordered_flat_set<Text> fresh;
        for_each_key(spec, [&](Text key) {
            if (!times_.contains(key)) {
                fresh.insert(key);
            }
        });
        return fresh.empty() || times_.size() + fresh.size() <= most;
    }
    bool operator==(const KeysOfShim&) const = default;

private:
    template <typename Each>
    static void for_each_key(const PodSpec& spec, Each&& each) {
        for (const std::vector<PodTerm>* terms : {&spec.affinity, &spec.anti_affinity}) {
            for (const PodTerm& term : *terms) {
                each(term.topology_key);
            }
        }
        for (const std::vector<WeightedPodTerm>* terms : {&spec.preferred_affinity, &spec.preferred_anti_affinity}) {
            for (const WeightedPodTerm& term : *terms) {
                each(term.term.topology_key);
            }
        }
        for (const SpreadConstraint& constraint : spec.spread) {
            each(constraint.topology_key);
        }
    }

    boost::unordered_flat_map<Text, std::uint32_t> times_;  // a key's, in the specs
};

}  // namespace bayplan
