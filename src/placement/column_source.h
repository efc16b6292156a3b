// Classes that differ in their affinity, spread and ports alone find the same on each node's own columns. A class that
// needs columns for the first time takes them over from one alike, instead of judging every node.
//
// Thread: the engine's. Owner: Pipeline. Remembers the last few classes whose columns were found node by node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "apps/class_table.h"
#include "placement/class_caches.h"
#include "topology/cluster_facts.h"

namespace bayplan {

class ColumnSource {
public:
    ColumnSource(const ClassTable& classes, ClassCaches& caches, ClusterFacts& topology)
        : classes_(classes), caches_(caches), topology_(topology) {}

    // The cache is the class's and wants columns. Without columns yet, it gets the columns of a class alike, as far as
    // they are brought up to date; if there is no such class, others may later take this class's columns.
    void fill(ClassId, const AskClass&, ClassCache&);
    // Up to which log position a fresh cache of the class would be filled; ClassCache::kNever: not at all.
    std::uint64_t fills_up_to(ClassId, const AskClass&) const;

private:
    static constexpr std::size_t kRemembered = 16;

    bool alike(const AskClass&, const AskClass&) const;
    const ClassCache* cache_alike(ClassId, const AskClass&) const;

    const ClassTable& classes_;
    ClassCaches& caches_;
    ClusterFacts& topology_;
    std::array<ClassId, kRemembered> known_ = filled();
    std::size_t next_ = 0;

    static constexpr std::array<ClassId, kRemembered> filled() {
        std::array<ClassId, kRemembered> none{};
        none.fill(kNone<ClassId>);
        return none;
    }
};

}  // namespace bayplan
