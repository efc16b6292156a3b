// Classes of asks: each distinct shape once, counted, with the cached work that belongs to it.
//
// Caches have a limit in bytes: the least recently used ones are taken from their classes when there is more, and a
// class that nobody refers to gives its cache back. A few small ones are kept to be used again.
//
// Thread: the engine's. A class's cache is handed to a proposal and back (`cache` is null meanwhile).
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask.h"
#include "apps/ask_class.h"
#include "apps/spec_table.h"
#include "base/name_table.h"
#include "placement/class_cache.h"

namespace bayplan {

struct FailureCache;  // engine/failure_cache.h

// One class and what goes with it. Engine thread only; `spec` may be shared with proposals.
struct ClassEntry {
    std::shared_ptr<const AskClass> spec;
    std::uint64_t references = 0;            // asks of the class, placed ones included
    std::unique_ptr<ClassCache> cache;       // null: none, or away with a proposal
    std::uint64_t proposed_in = 0;           // number of the batch whose proposal has the cache; 0 = none
    std::uint64_t last_batch = 0;            // newest batch with an ask of the class
    std::uint64_t last_proposal = 0;         // newest executor batch that proposed for it
    std::list<ClassId>::iterator used;       // place in the least-recently-used list, while it has a cache
    bool in_use_list = false;                // else, with a cache, it is away
    std::size_t cache_bytes = 0;             // of the cache, as it was when another class was used
    std::shared_ptr<FailureCache> failures;  // null: none
    // The message of the last failed attempt and the log position it is true for.
    std::string failure_text;
    std::uint32_t failed_predicates = 0;
    std::uint64_t failure_position = UINT64_MAX;
};

class ClassTable {
public:
    ClassTable(NameTable<ResourceId>& resources, NameTable<NameId>& names, SpecTable& specs,
               std::size_t cache_bytes_max)
        : resources_(resources), names_(names), specs_(specs), cache_bytes_max_(cache_bytes_max) {}

    // The class like this one, with one reference more. `spec.requests` must be sorted by resource.
    ClassId acquire(AskClass&& spec);
    void add_reference(ClassId id) { ++entries_[raw(id)].references; }
    void release(ClassId);

    ClassEntry& operator[](ClassId id) { return entries_[raw(id)]; }
    const ClassEntry& operator[](ClassId id) const { return entries_[raw(id)]; }
    SpecId spec_of(const Ask& ask) const { return entries_[raw(ask.ask_class)].spec->pod_spec; }
    std::size_t size() const { return ids_.size(); }

    // The class's cache, made or taken from the pool if need be; must not be away with a proposal. Others may lose theirs.
    ClassCache& cache(ClassId);
    // Hands the cache out for a proposal, and takes it back.
    std::unique_ptr<ClassCache> lend_cache(ClassId, std::uint64_t batch);
    void return_cache(ClassId, std::unique_ptr<ClassCache>);

private:
    // Caches kept for classes to come: so many, of no more than this.
    static constexpr std::size_t kPooledMax = 64;
    static constexpr std::size_t kPooledBytesMax = 64 * 1024;

    struct Hash {
        std::size_t operator()(const AskClass*) const;
    };
    struct Same {
        bool operator()(const AskClass* a, const AskClass* b) const { return a->same_as(*b); }
    };

    void mark_used(ClassId);
    void give_up_cache(ClassId);
    void count_bytes(ClassId);
    void forget(ClassId);

    NameTable<ResourceId>& resources_;
    NameTable<NameId>& names_;
    SpecTable& specs_;
    const std::size_t cache_bytes_max_;
    std::size_t cache_bytes_ = 0;  // the sum of what is counted
    std::deque<ClassEntry> entries_;
    std::vector<ClassId> free_;
    boost::unordered_flat_map<const AskClass*, ClassId, Hash, Same> ids_;
    std::list<ClassId> use_list_;  // most recently used first
    std::list<ClassId> away_;      // items of classes whose cache is away
    std::vector<std::unique_ptr<ClassCache>> pool_;
};

}  // namespace bayplan
