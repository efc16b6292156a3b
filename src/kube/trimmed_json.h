// An object as JSON again: whole, or without the parts that no scheduler looks at and that nobody likes to hand over:
// environments, commands, probes, most annotations.
//
// Thread: any, pure.
#pragma once

#include <string>
#include <string_view>

#include "kube/value.h"

namespace bayplan::kube {

// Appended in one line; of equal names the last counts for a reader.
void append_whole(std::string& out, const Value& object);
void append_trimmed(std::string& out, std::string_view kind, const Value& object);
// In quotes.
void append_json_text(std::string& out, std::string_view text);

}  // namespace bayplan::kube
