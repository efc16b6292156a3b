// An object as JSON again, without the parts that no scheduler looks at and that nobody likes to hand over: environments,
// commands, probes, most annotations.
//
// Thread: any, pure.
#pragma once

#include <string>
#include <string_view>

#include "kube/value.h"

namespace bayplan::kube {

// Appended in one line.
void append_trimmed(std::string& out, std::string_view kind, const Value& object);

}  // namespace bayplan::kube
