// Which classes are alike in their columns, and the copying; see column_source.h.
#include "placement/column_source.h"

namespace bayplan {

// All that BlockEvaluator looks at: the class's own amounts, and of its spec the signature (labels and taints).
bool ColumnSource::alike(const AskClass& a, const AskClass& b) const {
    return a.requests == b.requests && a.required_node == b.required_node &&
           a.tolerates_unschedulable == b.tolerates_unschedulable && a.priority == b.priority &&
           a.own_cpu == b.own_cpu && a.own_memory == b.own_memory &&
           topology_.plan(a.pod_spec).signature == topology_.plan(b.pod_spec).signature;
}

const ClassCache* ColumnSource::cache_alike(ClassId id, const AskClass& ask_class) const {
    for (const ClassId other : known_) {
        if (other == kNone<ClassId> || other == id) {
            continue;
        }
        // Null: the class is gone, or its cache is, or it is away with a proposal.
        const ClassCache* const cache = caches_.find(other);
        if (cache != nullptr && cache->columns() && cache->position() != ClassCache::kNever &&
            alike(*classes_[other].spec, ask_class)) {
            return cache;
        }
    }
    return nullptr;
}

std::uint64_t ColumnSource::fills_up_to(ClassId id, const AskClass& ask_class) const {
    const ClassCache* const source = cache_alike(id, ask_class);
    return source == nullptr ? ClassCache::kNever : source->position();
}

void ColumnSource::fill(ClassId id, const AskClass& ask_class, ClassCache& cache) {
    if (cache.position() != ClassCache::kNever) {
        return;
    }
    if (const ClassCache* const source = cache_alike(id, ask_class); source != nullptr) {
        cache.copy_columns(*source);
        return;
    }
    const ClassCaches::Entry& entry = caches_[id];
    if (!entry.cache && entry.proposed_in == 0) {
        return;  // the class keeps no cache: nobody could take its columns
    }
    known_[next_] = id;
    next_ = (next_ + 1) % kRemembered;
}

}  // namespace bayplan
