// Rights that a shim has beside others of its partition. Source: engine/rules/trust.md.
//
// Thread: any.
#pragma once

#include <string_view>

#include "options/engine_options.h"

namespace bayplan {

// Of the first entry that the name matches; all of them, if there are no entries.
ShimRights rights_of(const EngineOptions&, std::string_view shim);

}  // namespace bayplan
