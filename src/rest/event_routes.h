// Endpoints of events: a batch from the store, and streams that never end.
//
//   batch    {"InstanceUUID","LowestID","HighestID","EventRecords"}: from `start` on, `count` at most
//   stream   a line with the instance, the last `count` events, then each as it happens; a line each
//
// Thread: handlers and streams run on the server's. Source: YuniKorn 1.9, REST interface.
#pragma once

#include <cstdint>
#include <vector>

#include "events/event_store.h"
#include "http/router.h"

namespace bayplan::rest {

struct EventLimits {
    std::uint64_t batch_events = 10'000;  // at most, and if no count is given
    std::uint32_t streams = 100;
    std::uint32_t streams_of_host = 15;  // by the Host header of the request
};

struct ShownEvents {
    events::EventStore* store = nullptr;  // null: events are not tracked; outlives the server
    EventLimits limits;
};

std::vector<http::Route> event_routes(const ShownEvents&);

}  // namespace bayplan::rest
