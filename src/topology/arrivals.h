// Specs by a label that each has, oldest first, so that a selector is held only against specs that came since it was last
// looked at, and only against specs that have a label it wants.
//
// Thread: one. Owner: PodCounts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "bayplan/pod_spec.h"
#include "labels/selector.h"

namespace bayplan {

class Arrivals {
public:
    // `born` grows from spec to spec.
    void add(std::span<const Label> labels, SpecId id, std::uint64_t born) {
        all_.add(id, born);
        for (const Label& label : labels) {
            with_[number_of(label.key, label.value)].add(id, born);
        }
    }
    void remove(std::span<const Label> labels, std::uint64_t born) {
        all_.remove(born);
        for (const Label& label : labels) {
            const auto found = with_.find(number_of(label.key, label.value));
            if (found->second.remove(born) == 0) {
                with_.erase(found);
            }
        }
    }

    // How many have one of the requirement's labels.
    std::size_t count(const LabelRequirement& wanted) const {
        std::size_t sum = 0;
        for (const Text value : wanted.values) {
            if (const auto found = with_.find(number_of(wanted.key, value)); found != with_.end()) {
                sum += found->second.alive();
            }
        }
        return sum;
    }

    // Each that was born after that and has one of the requirement's labels. Null: each.
    template <typename Each>
    void for_each_since(std::uint64_t born, const LabelRequirement* wanted, Each&& each) const {
        if (wanted == nullptr) {
            all_.for_each_since(born, each);
            return;
        }
        for (const Text value : wanted->values) {
            if (const auto found = with_.find(number_of(wanted->key, value)); found != with_.end()) {
                found->second.for_each_since(born, each);
            }
        }
    }

private:
    class List {
    public:
        void add(SpecId id, std::uint64_t born) { places_.push_back({born, id}); }
        // Returns how many are left.
        std::size_t remove(std::uint64_t born) {
            std::lower_bound(places_.begin(), places_.end(), born, before)->id = kNone<SpecId>;
            if (++gone_ * 2 > places_.size()) {
                std::erase_if(places_, [](const Place& place) { return place.id == kNone<SpecId>; });
                gone_ = 0;
            }
            return alive();
        }
        std::size_t alive() const { return places_.size() - gone_; }
        template <typename Each>
        void for_each_since(std::uint64_t born, Each&& each) const {
            for (auto at = std::lower_bound(places_.begin(), places_.end(), born + 1, before); at != places_.end();
                 ++at) {
                if (at->id != kNone<SpecId>) each(at->id);
            }
        }

    private:
        struct Place {
            std::uint64_t born = 0;
            SpecId id = kNone<SpecId>;  // none: it is gone
        };
        static bool before(const Place& place, std::uint64_t born) { return place.born < born; }

        std::vector<Place> places_;
        std::size_t gone_ = 0;
    };

    SplitMap<std::uint64_t, List, NumberHash> with_;
    List all_;
};

}  // namespace bayplan
