// Versions of Semver 2.0. Thread: any, pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "cel/value.h"

namespace bayplan::cel {

// None: the text is no version. The build part is not kept: it counts nowhere.
std::optional<Version> parse_version(std::string_view text);

}  // namespace bayplan::cel
