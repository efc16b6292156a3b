// One shim's dictionary: its own numbers for texts, with what the engine found behind them.
//
// Numbers are the shim's choice, usually dense and small, but nothing is assumed.
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "bayplan/messages.h"
#include "cluster/resources.h"

namespace bayplan {

class Dictionary {
public:
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
    Entry* find(DictId id) {
        if (id == 0) {
            return nullptr;
        }
        const auto found = entries_.find(id);
        return found == entries_.end() ? nullptr : &found->second;
    }
    void define(DictId id, std::string_view text) { entries_[id].text.assign(text); }
    bool forget(DictId id);
    void clear();
    std::size_t size() const { return entries_.size(); }
    const auto& all() const { return entries_; }

    // The engine's id of the resource an entry names.
    ResourceId resource(Entry& entry) {
        if (entry.resource == kNone<ResourceId>) {
            entry.resource = resources_.acquire(entry.text);
        }
        return entry.resource;
    }

private:
    ResourceTable& resources_;
    boost::unordered_flat_map<DictId, Entry, NumberHash> entries_;
};

}  // namespace bayplan
