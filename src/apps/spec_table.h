// The contents of pod specs, each once, counted: pods of one controller share one.
//
// Thread: the engine's. Holds references on the texts of what it keeps. Entry 0 is the empty spec and
// stays for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/ask_list.h"
#include "base/hashed_key.h"
#include "base/ids.h"
#include "base/split_map.h"
#include "base/text_table.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

inline constexpr SpecId kEmptySpec = static_cast<SpecId>(0);

// Told of every content that comes and goes (the topology keeps what follows from it).
class SpecListener {
public:
    virtual ~SpecListener() = default;
    virtual void spec_added(SpecId) = 0;
    virtual void spec_going(SpecId) = 0;  // no ask has it
};

class SpecTable {
public:
    explicit SpecTable(TextTable& texts);
    void listen(SpecListener* listener) { listener_ = listener; }

    // The content, with one reference more. Texts are the engine's, labels sorted by key.
    SpecId acquire(PodSpec&&);
    void add_reference(SpecId id) { ++entries_[raw(id)]->references; }
    void release(SpecId);

    const PodSpec& operator[](SpecId id) const { return entries_[raw(id)]->spec; }
    AskList<OfSpec>& pods(SpecId id) { return entries_[raw(id)]->pods; }
    bool alive(SpecId id) const { return entries_[raw(id)]->references > 0; }
    // No two contents that had the same id have the same number; 0: it has no content.
    std::uint64_t born(SpecId id) const { return entries_[raw(id)]->born; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }  // free places included

private:
    struct Entry {
        PodSpec spec;
        std::uint64_t references = 0;
        std::uint64_t born = 0;
        std::size_t hash = 0;
        AskList<OfSpec> pods;  // that have a place, ours and foreign
    };

    TextTable& texts_;
    SpecListener* listener_ = nullptr;
    std::vector<std::unique_ptr<Entry>> entries_;  // specs must not move: the map's keys point to them
    std::vector<SpecId> free_;
    std::uint64_t births_ = 0;
    SplitMap<HashedKey<PodSpec>, SpecId, HashOfKey, SameKey> ids_;
};

}  // namespace bayplan
