// YAML text as a plain tree in which every part knows its place. The only user of yaml-cpp is the
// .cpp.
//
// Built from the parser's events and not from its node type: that one keeps the last of two equal
// keys and forgets the first without a word.
//
// Thread: any; the tree owns its data. Errors: a text that is no YAML gives one fault with its
// place.
//
// Our own settings take one document without aliases. Files of other programs are read as these read
// them: YamlOptions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fault.h"

namespace bayplan::config {

struct YamlEntry;

struct YamlNode {
    enum class Kind { null, scalar, sequence, map };

    Kind kind = Kind::null;
    Position position;
    std::string text;                // scalar
    bool plain = true;               // scalar: neither quoted nor tagged
    std::vector<YamlNode> items;     // sequence
    std::vector<YamlEntry> entries;  // map, in order of the file, equal keys kept

    // For messages: "nothing", "the value 'x'", "a list", "a mapping".
    std::string describe() const;
};

struct YamlEntry {
    YamlNode key;
    YamlNode value;
};

struct YamlOptions {
    bool aliases = false;         // expanded in place; a fault inside has the place of the anchor
    bool first_document = false;  // of several; none at all is null
};

// Reads the one document of `text`. False: `faults` got the reason. `file` is for the faults only.
bool read_yaml(const std::string& text, const std::string& file, YamlNode& root, Faults& faults,
               YamlOptions options = {});

}  // namespace bayplan::config
