// A shim's record with the engine's texts in place of the shim's dictionary ids.
//
// References on the texts are held while this lives, so a table that keeps the record takes references of its own.
// Thread: the engine's.
#pragma once

#include <string_view>
#include <vector>

#include "base/text_table.h"
#include "base/visit_texts.h"
#include "shims/dictionary.h"

namespace bayplan {

class HeldTexts {
public:
    explicit HeldTexts(TextTable& texts) : texts_(texts) {}
    ~HeldTexts() { clear(); }
    HeldTexts(const HeldTexts&) = delete;
    HeldTexts& operator=(const HeldTexts&) = delete;

    Text hold(std::string_view text) {
        held_.push_back(texts_.acquire(text));
        return held_.back();
    }
    // The engine's text for a dictionary id; 0 for 0, and for an id that is not there, which is remembered.
    Text hold(Dictionary& dictionary, DictId id) {
        if (id == 0) {
            return 0;
        }
        const Dictionary::Entry* entry = dictionary.find(id);
        if (entry == nullptr) {
            unknown_ = unknown_ == 0 ? id : unknown_;
            return 0;
        }
        return hold(entry->text);
    }
    // The first id that the dictionary did not have; 0 = none.
    DictId unknown() const { return unknown_; }
    void clear() {
        for (const Text text : held_) {
            texts_.release(text);
        }
        held_.clear();
        unknown_ = 0;
    }

private:
    TextTable& texts_;
    std::vector<Text> held_;
    DictId unknown_ = 0;
};

template <typename Record>
struct MappedTexts {
    MappedTexts(TextTable& texts, Dictionary& dictionary, const Record& from) : record(from), held(texts) {
        visit_texts(record, [&](Text& text) { text = held.hold(dictionary, text); });
    }
    DictId unknown() const { return held.unknown(); }

    Record record;
    HeldTexts held;
};

}  // namespace bayplan
