// Endpoints that show the state of partitions, each from a version of its read model: what is true of one moment, however
// long the answer takes.
//
// Thread: handlers and the answers that they return run on the server's.
#pragma once

#include <functional>
#include <vector>

#include "answers/answers.h"
#include "http/router.h"

namespace bayplan::rest {

// A partition as endpoints know it. `version` is asked once per request; null: the engine has told nothing yet (503).
struct ShownPartition {
    answers::Place place;
    std::function<answers::VersionPtr()> version;
};
using ShownPartitions = std::vector<ShownPartition>;

// Source: YuniKorn 1.9, REST interface. `partitions` outlives the server.
std::vector<http::Route> state_routes(const ShownPartitions& partitions);

}  // namespace bayplan::rest
