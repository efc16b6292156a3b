// The caches of classes of asks, by the class's id, and how the pipeline has last to do with each class.
//
// Caches have a limit in bytes: the least recently used ones are taken from their classes when there is more, and a
// class that is gone gives its cache back. A few small ones are kept to be used again.
//
// Thread: the engine's. A class's cache is handed to a proposal and back (`cache` is null meanwhile).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "apps/class_table.h"
#include "placement/class_cache.h"

namespace bayplan {

class ClassCaches final : public ClassListener {
public:
    struct Entry {
        std::unique_ptr<ClassCache> cache;  // null: none, or away with a proposal
        std::uint64_t proposed_in = 0;      // number of the batch whose proposal has the cache; 0 = none
        std::uint64_t last_batch = 0;       // newest batch with an ask of the class
        std::uint64_t last_proposal = 0;    // newest executor batch that proposed for it

    private:
        friend ClassCaches;
        std::list<ClassId>::iterator used;  // place in the least-recently-used list, while it has a cache
        std::size_t bytes = 0;              // of the cache, as it was when another class was used
        bool in_use_list = false;           // else, with a cache, it is away
    };

    // Both for as long as the table.
    ClassCaches(ClassTable& classes, std::size_t bytes_max) : classes_(classes), bytes_max_(bytes_max) {
        classes.add_listener(*this);
    }
    ClassCaches(const ClassCaches&) = delete;
    ClassCaches& operator=(const ClassCaches&) = delete;

    // Valid until a class with a higher id is asked for.
    Entry& operator[](ClassId id) {
        if (raw(id) >= entries_.size()) {
            entries_.resize(raw(id) + std::size_t{1});
        }
        return entries_[raw(id)];
    }
    // The class's cache; null: it has none, or the cache is away (lent).
    const ClassCache* find(ClassId id) const {
        return raw(id) < entries_.size() ? entries_[raw(id)].cache.get() : nullptr;
    }

    // The class's cache, made or taken from the pool if need be; must not be away with a proposal. Others may lose theirs.
    ClassCache& use(ClassId);
    // Hands the cache out for a proposal, and takes it back. The class stays in its table meanwhile.
    std::unique_ptr<ClassCache> lend(ClassId, std::uint64_t batch);
    void take_back(ClassId, std::unique_ptr<ClassCache>);

    void class_gone(ClassId) override;

private:
    // Caches kept for classes to come: so many, of no more than this.
    static constexpr std::size_t kPooledMax = 64;
    static constexpr std::size_t kPooledBytesMax = 64 * 1024;

    void mark_used(ClassId);
    void give_up(Entry&);
    void count_bytes(ClassId);

    ClassTable& classes_;
    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;  // the sum of what is counted
    std::vector<Entry> entries_;
    std::list<ClassId> use_list_;  // most recently used first
    std::list<ClassId> away_;      // items of classes whose cache is away
    std::vector<std::unique_ptr<ClassCache>> pool_;
};

}  // namespace bayplan
