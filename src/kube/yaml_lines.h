// Where the values of a small YAML text stand, for messages about them. JSON is YAML.
//
// Thread: any; the result owns its texts.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace bayplan::kube {

// The line, from 1 on, of each value of the first document, by its path as path_to (value.h) spells it; a member's is that
// of its name. The document itself is "". Of a text that is no YAML: of the part before the fault.
std::map<std::string, std::size_t> yaml_lines(const std::string& text);

}  // namespace bayplan::kube
