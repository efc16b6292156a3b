// Finding or making the class of an ask, and giving up what caches use too much; see class_table.h.
#include "apps/class_table.h"

#include <utility>

#include <boost/container_hash/hash.hpp>

#include "cluster/resources.h"

namespace bayplan {

std::size_t ClassTable::Hash::operator()(const AskClass* spec) const {
    std::size_t hash = 0;
    for (const ResourceAmount& request : spec->requests) {
        boost::hash_combine(hash, raw(request.resource));
        boost::hash_combine(hash, request.value);
    }
    boost::hash_combine(hash, raw(spec->required_node));
    boost::hash_combine(hash, spec->tolerates_unschedulable);
    boost::hash_combine(hash, spec->priority);
    boost::hash_combine(hash, raw(spec->pod_spec));
    boost::hash_combine(hash, spec->node_cpu);
    boost::hash_combine(hash, spec->node_memory);
    boost::hash_combine(hash, spec->own_cpu);
    boost::hash_combine(hash, spec->own_memory);
    return hash;
}

ClassId ClassTable::acquire(AskClass&& spec) {
    if (const auto found = ids_.find(&spec); found != ids_.end()) {
        ++entries_[raw(found->second)].references;
        return found->second;
    }
    ClassId id;
    if (free_.empty()) {
        entries_.emplace_back();
        id = static_cast<ClassId>(entries_.size() - 1);
    } else {
        id = free_.back();
        free_.pop_back();
    }
    for (const ResourceAmount& request : spec.requests) {
        resources_.add_reference(request.resource);
        spec.cpu_request = request.resource == kCpu ? request.value : spec.cpu_request;
        spec.memory_request = request.resource == kMemory ? request.value : spec.memory_request;
    }
    spec.occupies = spec.requests;
    spec.occupies.push_back({kScoredCpu, spec.node_cpu});
    spec.occupies.push_back({kScoredMemory, spec.node_memory});
    if (spec.required_node != kNone<NameId>) {
        names_.add_reference(spec.required_node);
    }
    specs_.add_reference(spec.pod_spec);
    ClassEntry& entry = entries_[raw(id)];
    entry.spec = std::make_shared<const AskClass>(std::move(spec));
    entry.references = 1;
    ids_.emplace(entry.spec.get(), id);
    return id;
}

void ClassTable::release(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    BP_CHECK_OP(entry.references, >, 0u);
    // A class whose cache is away is forgotten when the cache comes back.
    if (--entry.references == 0 && entry.proposed_in == 0) {
        forget(id);
    }
}

void ClassTable::forget(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    give_up_cache(id);
    ids_.erase(entry.spec.get());
    for (const ResourceAmount& request : entry.spec->requests) {
        resources_.release(request.resource);
    }
    if (entry.spec->required_node != kNone<NameId>) {
        names_.release(entry.spec->required_node);
    }
    specs_.release(entry.spec->pod_spec);
    entry = ClassEntry{};
    free_.push_back(id);
}

void ClassTable::mark_used(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    if (entry.in_use_list) {
        use_list_.splice(use_list_.begin(), use_list_, entry.used);
    } else {
        use_list_.push_front(id);
        entry.used = use_list_.begin();
        entry.in_use_list = true;
    }
}

void ClassTable::give_up_cache(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    if (entry.in_use_list) {
        use_list_.erase(entry.used);
        entry.in_use_list = false;
    }
    cache_bytes_ -= std::exchange(entry.cache_bytes, 0);
    if (entry.cache && pool_.size() < kPooledMax && entry.cache->bytes() <= kPooledBytesMax) {
        entry.cache->clear();
        pool_.push_back(std::move(entry.cache));
    }
    entry.cache.reset();
}

void ClassTable::count_bytes(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    const std::size_t bytes = entry.cache->bytes();
    cache_bytes_ += bytes - std::exchange(entry.cache_bytes, bytes);
}

ClassCache& ClassTable::cache(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    BP_CHECK_OP(entry.proposed_in, ==, 0u);
    if (entry.cache && !use_list_.empty() && use_list_.front() == id) {
        return *entry.cache;  // the class of the ask before
    }
    if (!use_list_.empty() && use_list_.front() != id) {
        count_bytes(use_list_.front());  // what it has grown to while it was used
    }
    if (!entry.cache) {
        if (pool_.empty()) {
            pool_.push_back(std::make_unique<ClassCache>());
        }
        entry.cache = std::move(pool_.back());
        pool_.pop_back();
    }
    mark_used(id);
    while (cache_bytes_ > cache_bytes_max_ && use_list_.size() > 1) {
        give_up_cache(use_list_.back());
    }
    return *entry.cache;
}

std::unique_ptr<ClassCache> ClassTable::lend_cache(ClassId id, std::uint64_t batch) {
    cache(id);
    ClassEntry& entry = entries_[raw(id)];
    // Off the list while it is away, so that it is not given up.
    away_.splice(away_.begin(), use_list_, entry.used);
    entry.in_use_list = false;
    entry.proposed_in = batch;
    return std::move(entry.cache);
}

void ClassTable::return_cache(ClassId id, std::unique_ptr<ClassCache> cache) {
    ClassEntry& entry = entries_[raw(id)];
    entry.cache = std::move(cache);
    if (!use_list_.empty()) {
        count_bytes(use_list_.front());  // the one that this puts behind
    }
    entry.proposed_in = 0;
    use_list_.splice(use_list_.begin(), away_, entry.used);
    entry.in_use_list = true;
    count_bytes(id);
    if (entry.references == 0) {
        forget(id);
    }
}

}  // namespace bayplan
