// A number for each domain of a topology key. While only a few of many domains have one, they are kept by themselves: a
// cluster of many applications has a counter for each of them, and few nodes have pods of one.
//
// Thread: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "topology/topology_keys.h"

namespace bayplan {

class DomainCounts {
public:
    std::int32_t operator[](Domain domain) const {
        if (!is_sparse_) {
            return domain < all_.size() ? all_[domain] : 0;
        }
        const auto found = few_.find(domain);
        return found == few_.end() ? 0 : found->second;
    }

    // Returns the domain's number.
    std::int32_t add(Domain domain, std::int32_t change) {
        end_ = std::max(end_, std::size_t{domain} + 1);
        if (!is_sparse_ && domain >= all_.size()) {
            make_room();
        }
        return is_sparse_ ? add_to_few(domain, change) : add_to_all(all_[domain], change);
    }

    // By domain, for that many at least; null: only a few have one.
    const std::int32_t* column(std::size_t domains) {
        if (is_sparse_) {
            return nullptr;
        }
        all_.resize(std::max(all_.size(), domains), 0);
        return all_.data();
    }

    // each(domain, number), for numbers that are not 0 where only a few have one; else for all.
    template <typename Each>
    void for_each(Each&& each) const {
        for (const auto& [domain, number] : few_) each(domain, number);
        for (std::size_t domain = 0; domain < all_.size(); ++domain) each(static_cast<Domain>(domain), all_[domain]);
    }

private:
    static constexpr std::size_t kAlwaysAll = 256;  // domains, which take no more than the few would
    // Of so many domains one has a number: below, they are kept by themselves, above the second no more.
    static constexpr std::size_t kFew = 16;
    static constexpr std::size_t kMany = 8;

    void make_room() {
        if (end_ <= kAlwaysAll || numbered_ * kFew >= end_) {
            all_.resize(end_, 0);
            return;
        }
        for (std::size_t domain = 0; domain < all_.size(); ++domain) {
            if (all_[domain] != 0) few_.emplace(static_cast<Domain>(domain), all_[domain]);
        }
        all_ = {};
        is_sparse_ = true;
    }

    std::int32_t add_to_all(std::int32_t& number, std::int32_t change) {
        const bool had = number != 0;
        number += change;
        numbered_ += (number != 0 ? 1 : 0) - (had ? 1 : 0);
        return number;
    }

    std::int32_t add_to_few(Domain domain, std::int32_t change) {
        const std::int32_t number = few_[domain] += change;
        if (number == 0) few_.erase(domain);
        if (few_.size() * kMany > end_) {
            all_.assign(end_, 0);
            for (const auto& [each, its] : few_) all_[each] = its;
            numbered_ = few_.size();
            few_ = {};
            is_sparse_ = false;
        }
        return number;
    }

    bool is_sparse_ = false;
    std::size_t end_ = 0;       // behind the last domain that ever had a number
    std::size_t numbered_ = 0;  // domains with a number, of `all_`
    std::vector<std::int32_t> all_;
    boost::unordered_flat_map<Domain, std::int32_t> few_;
};

}  // namespace bayplan
