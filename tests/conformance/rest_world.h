// The state that the examples of REST answers are about, made from the messages that led to it.
//
// Thread: made by main; read by the server's.
#pragma once

#include <memory>
#include <vector>

#include <boost/json.hpp>

#include "http/router.h"
#include "rest/metrics_routes.h"
#include "rest/shown_config.h"
#include "rest/state_routes.h"
#include "rest/watch.h"
#include "rest_state.h"

namespace bayplan::conformance {

class RestWorld {
public:
    // Throws if the messages are not understood.
    explicit RestWorld(const boost::json::object& state);

    std::vector<http::Route> routes();

private:
    RestState state_;
    std::unique_ptr<rest::ConfigBoard> config_;
    rest::ShownPartitions partitions_;
    rest::Watch watch_{partitions_};
    rest::MetricsBoard metrics_;
};

}  // namespace bayplan::conformance
