// A partition in the state that a list of YuniKorn's messages leads to: each is said to a real engine in Bayplan's words, and a
// read model takes in what the engine tells.
//
// Thread: the maker's; the version is anybody's.
#pragma once

#include <boost/json.hpp>

#include "../engine/harness.h"
#include "events/event_source.h"
#include "instruments/scheduling_times.h"
#include "read_model/model.h"
#include "read_model/version.h"

namespace bayplan::conformance {

class RestState {
public:
    RestState();

    // Throws if the message has another form than YuniKorn's. `name`: its type; "schedule": attempts are made.
    void say(std::string_view name, const boost::json::object& body);
    read_model::VersionPtr version();
    events::EventStore& events() { return events_; }
    const instruments::SchedulingTimes& times() const { return times_; }
    // As the shim said it: lines KEY=VALUE.
    const std::string& build() const { return build_; }

private:
    void say_preference();
    void say_nodes(const boost::json::object& body);
    void say_applications(const boost::json::object& body);
    void say_allocations(const boost::json::object& body);
    void say_allocation(const boost::json::object&);
    std::vector<Amount> amounts_of(const boost::json::object& holder, std::string_view name);

    read_model::ChangeFeed feed_;
    testing::KeepingSink sink_;
    Engine engine_;
    events::EventStore events_;
    events::EventSource event_source_{
        events_, {.partition = "default", .zero_tick_ns = 1'700'000'000'000'000'000, .node_occupied = true}};
    read_model::Model model_{&event_source_};
    std::unique_ptr<testing::TestShim> shim_;
    std::int64_t now_ns_ = 0;
    instruments::SchedulingTimes times_;
    std::string build_;
};

}  // namespace bayplan::conformance
