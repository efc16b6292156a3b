// One shim's dictionary: its own numbers for texts, with what the engine found behind them.
//
// Numbers are the shim's choice, usually dense and small, but nothing is assumed.
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "bayplan/messages.h"
#include "cluster/resources.h"

namespace bayplan {

class Dictionary {
public:
    static constexpr std::size_t kLeftPerThing =
        64;  // entries left that cost as much to drop as another thing of a shim

    struct Entry {
        std::string text;
        ResourceId resource = kNone<ResourceId>;  // with a reference, once it was used as a resource
        ApplicationHandle application;            // a guess that must be checked, for speed only
    };

    explicit Dictionary(ResourceTable& resources) : resources_(resources) {}
    ~Dictionary() { clear(); }
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;

    // Null if there is none; 0 stands for none (R-SESSION-24).
    Entry* find(DictId id) { return id == 0 ? nullptr : entries_.value_of(id); }
    void define(DictId id, std::string_view text);
    bool forget(DictId id);
    void clear();
    // All ids mean nothing any more. The entries take memory until they are dropped, in pieces, or as others are defined.
    void leave_all();
    void drop_left(std::size_t most);
    std::size_t left() const { return left_count_; }
    std::size_t size() const { return entries_.size(); }
    std::uint64_t text_bytes() const { return text_bytes_; }  // of all texts
    const auto& all() const { return entries_; }

    // The engine's id of the resource an entry names.
    ResourceId resource(Entry& entry) {
        if (entry.resource == kNone<ResourceId>) {
            entry.resource = resources_.acquire(entry.text);
        }
        return entry.resource;
    }

private:
    using Entries = SplitMap<DictId, Entry, NumberHash>;

    void give_back(const Entry& entry) {
        if (entry.resource != kNone<ResourceId>) {
            resources_.release(entry.resource);
        }
    }

    ResourceTable& resources_;
    Entries entries_;
    std::uint64_t text_bytes_ = 0;
    std::deque<Entries> left_;     // by each time that all were left, none empty
    Entries::iterator next_left_;  // of the first of them
    std::size_t left_count_ = 0;
};

}  // namespace bayplan
