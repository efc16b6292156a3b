// Names that a shim of a benchmark defines: some of its own, and rows of numbered ones.
//
// Thread: one. Owner: its caller.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/scheduler.h"

namespace bayplan::bench {

class NumberedNames {
public:
    void add(DictId id, std::string name) {
        ids_.push_back(id);
        names_.push_back(std::move(name));
    }
    // From `first` on: name_of(0), name_of(1), ...
    template <typename NameOf>
    void add(DictId first, std::uint32_t count, NameOf&& name_of) {
        for (std::uint32_t n = 0; n < count; ++n) {
            add(first + n, name_of(n));
        }
    }
    // Good until the next name is added.
    std::vector<DictEntry> entries() const {
        std::vector<DictEntry> entries;
        for (std::size_t at = 0; at < names_.size(); ++at) {
            entries.push_back({ids_[at], names_[at]});
        }
        return entries;
    }

private:
    std::vector<DictId> ids_;
    std::vector<std::string> names_;
};

// Nodes that are alike, in a row from `first` on.
inline std::vector<NodeItem> nodes_alike(DictId first, std::uint32_t count, std::span<const Amount> capacity) {
    std::vector<NodeItem> nodes;
    for (std::uint32_t n = 0; n < count; ++n) {
        nodes.push_back({.node = first + n, .capacity = capacity, .attributes = {}});
    }
    return nodes;
}

}  // namespace bayplan::bench
