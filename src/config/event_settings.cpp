// See event_settings.h. Names are YuniKorn's (event.trackingEnabled and so on) in the form of this file's.
#include "config/event_settings.h"

#include "config/setting_values.h"

namespace bayplan::config {

const Settings<EventsConfig>& event_settings() {
    static const Settings<EventsConfig> table = [] {
        using E = EventsConfig;
        Settings<E> result;
        result.push_back(choice("tracking_enabled", MEMBER(E, tracking),
                                Choices<bool>{{"true", true}, {"false", false}},
                                "Whether events are kept; without, the endpoints of events answer 500."));
        result.push_back(number("ring_buffer_capacity", MEMBER(E, ring_events), NumberForm::plain, {1, 10'000'000},
                                "events", "How many of the newest events are kept."));
        result.push_back(number("ring_buffer_bytes", MEMBER(E, ring_bytes), NumberForm::size,
                                {std::int64_t{1} << 20, std::int64_t{1} << 36}, "",
                                "And in how much memory; what is reached first counts."));
        result.push_back(number("rest_response_size", MEMBER(E, batch_events), NumberForm::plain, {1, 1'000'000},
                                "events", "In one answer of events/batch at most, and if no count is asked for."));
        result.push_back(number("max_streams", MEMBER(E, streams), NumberForm::plain, {0, 10'000}, "",
                                "Clients of events/stream at once; others are answered 503."));
        result.push_back(number("max_streams_per_host", MEMBER(E, streams_of_host), NumberForm::plain, {0, 10'000}, "",
                                "Likewise, by the Host header of the request."));
        result.push_back(choice("node_occupied", MEMBER(E, node_occupied),
                                Choices<bool>{{"deprecated", true}, {"off", false}},
                                "Whether NODE_OCCUPIED events are sent. They are deprecated, and will be off in the "
                                "next release: NODE_ALLOC "
                                "events tell of the pods of other schedulers too, with the message foreign."));
        return result;
    }();
    return table;
}

}  // namespace bayplan::config
