// An event as YuniKorn's clients know it: what happened to which thing, and when. Numbers are of its scheduler
// interface.
//
// Thread: plain data. Texts are the giver's, and live during the call.
#pragma once

#include <cstdint>
#include <string_view>

namespace bayplan::events {

enum class EventType : std::uint8_t { unknown = 0, request = 1, application = 2, node = 3, queue = 4, user_group = 5 };

enum class EventChange : std::uint8_t { none = 0, set = 1, add = 2, remove = 3 };

enum class EventDetail : std::uint16_t {
    none = 0,
    request_cancel = 100,
    app_alloc = 200,
    app_request = 201,
    app_reject = 202,
    app_new = 203,
    app_accepted = 204,
    app_running = 206,
    app_completing = 207,
    app_completed = 208,
    app_failing = 209,
    app_failed = 210,
    app_resuming = 211,
    app_expired = 212,
    node_decommission = 300,
    node_schedulable = 302,
    node_alloc = 303,
    node_capacity = 304,
    node_occupied = 305,
    node_reservation = 306,
    queue_dynamic = 401,
    queue_type = 402,
    queue_max = 403,
    queue_guaranteed = 404,
    queue_app = 405,
    alloc_cancel = 500,
    alloc_preempt = 501,
    alloc_timeout = 502,
    alloc_replaced = 503,
    alloc_node_removed = 504,
    user_limit = 600,
    group_limit = 601,
    app_link = 602,
    user_resource = 603,
    group_resource = 604,
};

struct Event {
    EventType type = EventType::unknown;
    EventChange change = EventChange::none;
    EventDetail detail = EventDetail::none;
    std::int64_t time_ns = 0;  // since 1970
    std::string_view object = {};
    std::string_view reference = {};
    std::string_view message = {};
    std::string_view amounts = {};  // as read_model/change.h lists them, by name
};

}  // namespace bayplan::events
