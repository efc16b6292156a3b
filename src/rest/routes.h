// All endpoints of the REST interface, one row each.
//
// Thread: made by the owner of the server; handlers run on the server's.
#pragma once

#include <vector>

#include "http/router.h"
#include "rest/condition_board.h"
#include "rest/event_routes.h"
#include "rest/metrics_routes.h"
#include "rest/shim_states.h"
#include "rest/shown_config.h"
#include "rest/state_routes.h"
#include "rest/watch.h"

namespace bayplan::rest {

// Where answers come from; each outlives the server.
struct Sources {
    const ConfigBoard& config;
    const ShownPartitions* partitions = nullptr;  // null: no endpoint shows a state
    ShownEvents events = {};
    const Watch* watch = nullptr;               // null: no health, no history
    const MetricsBoard* metrics = nullptr;      // null: metrics of the state alone
    const ConditionBoard* condition = nullptr;  // null: it goes on and takes work
    ShimStates* shims = nullptr;                // null: no shim is asked for its state
};

std::vector<http::Route> routes(const Sources&);

}  // namespace bayplan::rest
