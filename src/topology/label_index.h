// Things by a label that each has, or must have: specs by their labels, and selectors by one of their `in` requirements, so that
// a spec need be held only against the selectors that name one of its labels, and a selector only against such specs.
//
// Thread: one. Specs and selectors that are found may match, others do not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/seeded_hash.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

// The requirement that a selector is found by; null: it has none of the kind.
inline const LabelRequirement* telling_requirement(const LabelSelector& selector) {
    for (const LabelRequirement& requirement : selector.requirements) {
        if (requirement.op == LabelOperator::in) {
            return &requirement;
        }
    }
    return nullptr;
}

template <typename Id>
class LabelIndex {
public:
    // Something that has these labels.
    void add(std::span<const Label> labels, Id id) {
        for (const Label& label : labels) {
            with_[both(label.key, label.value)].insert(id);
        }
    }
    void remove(std::span<const Label> labels, Id id) {
        for (const Label& label : labels) {
            take(both(label.key, label.value), id);
        }
    }
    // Something that wants one of the requirement's labels. Null: any, perhaps.
    void add(const LabelRequirement* wanted, Id id) {
        if (wanted == nullptr) {
            others_.insert(id);
            return;
        }
        for (const Text value : wanted->values) {
            with_[both(wanted->key, value)].insert(id);
        }
    }
    void remove(const LabelRequirement* wanted, Id id) {
        if (wanted == nullptr) {
            others_.erase(id);
            return;
        }
        for (const Text value : wanted->values) {
            take(both(wanted->key, value), id);
        }
    }

    // Things that have such a label.
    template <typename Each>
    void for_each(const LabelRequirement& wanted, Each&& each) const {
        for (const Text value : wanted.values) {
            each_with(both(wanted.key, value), each);
        }
    }
    // Things that may want one of these labels; of distinct keys, so each comes once.
    template <typename Each>
    void for_each(std::span<const Label> labels, Each&& each) const {
        for (const Id id : others_) {
            each(id);
        }
        for (const Label& label : labels) {
            each_with(both(label.key, label.value), each);
        }
    }

private:
    struct Hash {
        std::size_t operator()(std::uint64_t number) const { return HashSecret::of_process().of_number(number); }
    };

    static std::uint64_t both(Text key, Text value) { return std::uint64_t{key} << 32 | value; }
    void take(std::uint64_t label, Id id) {
        const auto found = with_.find(label);
        if (found != with_.end() && found->second.erase(id) != 0 && found->second.empty()) {
            with_.erase(found);
        }
    }
    template <typename Each>
    void each_with(std::uint64_t label, Each&& each) const {
        if (const auto found = with_.find(label); found != with_.end()) {
            for (const Id id : found->second) {
                each(id);
            }
        }
    }

    boost::unordered_flat_map<std::uint64_t, boost::unordered_flat_set<Id>, Hash> with_;
    boost::unordered_flat_set<Id> others_;
};

}  // namespace bayplan
