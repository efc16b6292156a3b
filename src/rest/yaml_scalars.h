// Texts as scalars of YAML: plain where they read back as the same text, else in quotes of the kind that YuniKorn's library
// takes.
//
// Thread: plain functions, any. Cost: linear.
#pragma once

#include <string>
#include <string_view>

namespace bayplan::rest {

std::string yaml_scalar(std::string_view text);

}  // namespace bayplan::rest
