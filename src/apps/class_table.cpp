// Finding or making the class of an ask; see class_table.h.
#include "apps/class_table.h"

#include <utility>

#include "base/seeded_hash.h"
#include "cluster/resources.h"

namespace bayplan {

namespace {

std::size_t hash_of(const AskClass& spec) {
    const HashSecret& secret = HashSecret::of_process();
    std::uint64_t hash = 0;
    const auto add = [&](auto value) { hash = secret.with(hash, static_cast<std::uint64_t>(value)); };
    for (const ResourceAmount& request : spec.requests) {
        add(raw(request.resource));
        add(request.value);
    }
    add(raw(spec.required_node));
    add(spec.tolerates_unschedulable);
    add(spec.priority);
    add(raw(spec.pod_spec));
    add(spec.node_cpu);
    add(spec.node_memory);
    add(spec.own_cpu);
    add(spec.own_memory);
    return hash;
}

}  // namespace

ClassId ClassTable::acquire(const AskClass& wanted) {
    if (last_ != kNone<ClassId> && wanted.same_as(*entries_[raw(last_)].spec)) {
        ++entries_[raw(last_)].references;
        return last_;
    }
    last_ = find_or_make(wanted);
    return last_;
}

ClassId ClassTable::find_or_make(const AskClass& wanted) {
    const std::size_t hash = hash_of(wanted);
    if (const ClassId* const known = ids_.value_of(HashedKey<AskClass>{&wanted, hash})) {
        ++entries_[raw(*known)].references;
        return *known;
    }
    ClassId id;
    if (free_.empty()) {
        entries_.emplace_back();
        id = static_cast<ClassId>(entries_.size() - 1);
    } else {
        id = free_.back();
        free_.pop_back();
    }
    const auto spec = std::make_shared<AskClass>(wanted);
    for (const ResourceAmount& request : spec->requests) {
        resources_.add_reference(request.resource);
        spec->cpu_request = request.resource == kCpu ? request.value : spec->cpu_request;
        spec->memory_request = request.resource == kMemory ? request.value : spec->memory_request;
    }
    spec->occupies = spec->requests;
    spec->occupies.push_back({kScoredCpu, spec->node_cpu});
    spec->occupies.push_back({kScoredMemory, spec->node_memory});
    if (spec->required_node != kNone<NameId>) {
        names_.add_reference(spec->required_node);
    }
    const PodSpec& pod = specs_[spec->pod_spec];
    spec->needs_plugins = !pod.plugins.empty();
    spec->has_claims = !pod.volumes.empty() || !pod.resource_claims.claims.empty();
    specs_.add_reference(spec->pod_spec);
    ClassEntry& entry = entries_[raw(id)];
    entry.spec = spec;
    entry.references = 1;
    entry.hash = hash;
    ids_.emplace(HashedKey<AskClass>{entry.spec.get(), hash}, id);
    return id;
}

void ClassTable::release(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    BP_CHECK_OP(entry.references, >, 0u);
    if (--entry.references == 0 && !entry.held) {
        forget(id);
    }
}

void ClassTable::let_go(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    entry.held = false;
    if (entry.references == 0) {
        forget(id);
    }
}

void ClassTable::forget(ClassId id) {
    ClassEntry& entry = entries_[raw(id)];
    for (ClassListener* const listener : listeners_) {
        listener->class_gone(id);
    }
    ids_.erase(HashedKey<AskClass>{entry.spec.get(), entry.hash});
    for (const ResourceAmount& request : entry.spec->requests) {
        resources_.release(request.resource);
    }
    if (entry.spec->required_node != kNone<NameId>) {
        names_.release(entry.spec->required_node);
    }
    specs_.release(entry.spec->pod_spec);
    entry = ClassEntry{};
    last_ = last_ == id ? kNone<ClassId> : last_;
    free_.push_back(id);
}

}  // namespace bayplan
