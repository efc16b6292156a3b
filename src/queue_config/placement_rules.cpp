// Paths and their parts.
//
// Thread: any.
#include "queue_config/placement_rules.h"

#include <algorithm>

#include "queue_config/characters.h"

namespace bayplan::queue_config {

bool is_qualified(std::string_view path) {
    return path == kRootName || (path.starts_with(kRootName) && path[kRootName.size()] == '.');
}

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        parts.emplace_back(path.substr(start, dot - start));
        start = dot + 1;
    }
    return parts;
}

bool is_expression(std::string_view name) { return name.find_first_of("^$*+?()[{}|") != std::string_view::npos; }

}  // namespace bayplan::queue_config
