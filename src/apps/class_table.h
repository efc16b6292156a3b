// Classes of asks: each distinct shape once, counted. Caches for a class are kept by other tables, by its id: they are
// told when it is gone.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "apps/ask.h"
#include "apps/ask_class.h"
#include "apps/spec_table.h"
#include "base/hashed_key.h"
#include "base/name_table.h"
#include "base/split_map.h"

namespace bayplan {

// One class. Engine thread only; `spec` may be shared with proposals.
struct ClassEntry {
    std::shared_ptr<const AskClass> spec;
    std::uint64_t references = 0;  // asks of the class, placed ones included
    bool held = false;             // it is worked on: it stays until that has ended, even without asks
    std::size_t hash = 0;          // of the content
    bool failed = false;           // an attempt found no node, and nobody to preempt: it will be asked for again
};

class ClassListener {
public:
    // Its id may come back, as another's.
    virtual void class_gone(ClassId) = 0;

protected:
    ~ClassListener() = default;
};

class ClassTable {
public:
    ClassTable(NameTable<ResourceId>& resources, NameTable<NameId>& names, SpecTable& specs)
        : resources_(resources), names_(names), specs_(specs) {}
    void add_listener(ClassListener& listener) { listeners_.push_back(&listener); }

    // The class like this one, with one reference more. `spec.requests` must be sorted by resource.
    ClassId acquire(const AskClass& spec);
    void add_reference(ClassId id) { ++entries_[raw(id)].references; }
    void release(ClassId);
    // Not twice at a time.
    void hold(ClassId id) { entries_[raw(id)].held = true; }
    void let_go(ClassId);

    ClassEntry& operator[](ClassId id) { return entries_[raw(id)]; }
    const ClassEntry& operator[](ClassId id) const { return entries_[raw(id)]; }
    SpecId spec_of(const Ask& ask) const { return entries_[raw(ask.ask_class)].spec->pod_spec; }
    std::size_t size() const { return ids_.size(); }

private:
    struct Same {
        bool operator()(const HashedKey<AskClass>& a, const HashedKey<AskClass>& b) const {
            return a.hash == b.hash && a.key->same_as(*b.key);
        }
    };

    ClassId find_or_make(const AskClass&);
    void forget(ClassId);

    NameTable<ResourceId>& resources_;
    NameTable<NameId>& names_;
    SpecTable& specs_;
    std::vector<ClassListener*> listeners_;
    std::deque<ClassEntry> entries_;
    std::vector<ClassId> free_;
    SplitMap<HashedKey<AskClass>, ClassId, HashOfKey, Same> ids_;
    ClassId last_ = kNone<ClassId>;  // acquired last: asks alike come together, and a look costs less than a hash
};

}  // namespace bayplan
