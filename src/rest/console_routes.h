// The console: a page at `/` that asks the other endpoints, and an endpoint that it alone needs.
//
// Thread: handlers run on the server's.
#pragma once

#include <string_view>
#include <vector>

#include "http/router.h"
#include "rest/state_routes.h"

namespace bayplan::rest {

// console.html, as the build has put it into the program.
extern const std::string_view kConsolePage;

std::vector<http::Route> console_routes(const ShownPartitions&);

}  // namespace bayplan::rest
