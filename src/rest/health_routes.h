// Endpoints that say how the daemon is: health checks, history, whether it lives and is ready, its threads.
//
// Thread: handlers run on the server's.
#pragma once

#include <vector>

#include "http/router.h"
#include "rest/condition_board.h"
#include "rest/state_routes.h"
#include "rest/watch.h"

namespace bayplan::rest {

// `watch`: null: nobody looks. `condition`: null: the daemon goes on and takes work. All outlive the server.
// Source: YuniKorn 1.9, REST interface; /livez and /readyz are Kubernetes'.
std::vector<http::Route> health_routes(const ShownPartitions&, const Watch* watch, const ConditionBoard* condition);

}  // namespace bayplan::rest
