// The full state dump: all answers about all partitions as one JSON document, indented, made piece by piece.
//
// Thread: handlers and the answers that they return run on the server's.
#pragma once

#include <vector>

#include "http/router.h"
#include "rest/history.h"
#include "rest/shim_states.h"
#include "rest/shown_config.h"
#include "rest/state_routes.h"

namespace bayplan::rest {

// All outlive the server. Source: YuniKorn 1.9, REST interface; its rmDiagnostics is the
// shim's own state, or of several shims these by name; null: no shim is asked.
std::vector<http::Route> state_dump_routes(const ConfigBoard&, const ShownPartitions&, const History*, ShimStates*);

}  // namespace bayplan::rest
