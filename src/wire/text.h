// Whether bytes of a peer may be taken for text.
//
// Names end up in logs, REST answers and metric labels, where a control character or broken UTF-8
// would let one peer forge lines or break a document for everybody; checked once, where bytes
// become records.
//
// Thread: any, no state. Errors: as a static text.
#pragma once

#include <string_view>

namespace bayplan::wire {

enum class TextRule {
    name,   // UTF-8 without control characters: keys, dictionary texts, identities
    prose,  // UTF-8; tab, line feed and carriage return are allowed: messages, reasons,
            // configuration
};

// nullptr when `text` keeps to the rule, else what is wrong with it ("has a control character").
const char* text_fault(std::string_view text, TextRule rule);

}  // namespace bayplan::wire
