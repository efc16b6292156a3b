// Texts to dense ids and back, counted: an id is free for another text once nobody refers to it.
//
// Thread: the engine's (only it interns, in input order). Owns the texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/chunk_table.h"
#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"

namespace bayplan {

template <typename Id>
class NameTable {
public:
    // The id of the text, with one reference more.
    Id acquire(std::string_view text) {
        if (const Id* const known = ids_.value_of(text)) {
            ++entries_[*known].references;
            return *known;
        }
        const Id id = entries_.add();
        Entry& entry = entries_[id];
        entry.text.assign(text);
        entry.references = 1;
        ids_.emplace(std::string_view(entry.text), id);
        return id;
    }

    void add_reference(Id id) { ++entries_[id].references; }

    // Of an id that nobody refers to any more only contains() may be asked: its memory may be gone.
    void release(Id id) {
        Entry& entry = entries_[id];
        BP_CHECK_OP(entry.references, >, 0u);
        if (--entry.references == 0) {
            ids_.erase(std::string_view(entry.text));
            entries_.remove(id);
        }
    }

    // kNone if nobody refers to the text. Takes no reference.
    Id find(std::string_view text) const {
        const Id* const known = ids_.value_of(text);
        return known == nullptr ? kNone<Id> : *known;
    }

    bool contains(Id id) const { return entries_.contains(id); }
    std::string_view text(Id id) const { return entries_[id].text; }
    void prefetch(Id id) const { __builtin_prefetch(&entries_[id]); }
    std::size_t size() const { return ids_.size(); }

private:
    struct Entry {
        std::string text;
        std::uint32_t references = 0;
    };

    ChunkTable<Id, Entry, 256> entries_;  // texts must not move: the map's keys are views of them
    SplitMap<std::string_view, Id, TextHash> ids_;
};

}  // namespace bayplan
