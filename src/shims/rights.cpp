// Rights by name.
//
// Thread: any.
#include "shims/rights.h"

#include <fnmatch.h>

#include <algorithm>
#include <string>

namespace bayplan {

ShimRights rights_of(const EngineOptions& options, std::string_view shim) {
    if (options.shim_rights.empty()) {
        return ShimRights::all();
    }
    const std::string name(shim);
    const auto found = std::ranges::find_if(options.shim_rights, [&](const ShimRights& rights) {
        return fnmatch(rights.shim.c_str(), name.c_str(), 0) == 0;
    });
    return found == options.shim_rights.end() ? ShimRights() : *found;
}

}  // namespace bayplan
