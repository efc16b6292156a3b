// See event_routes.h.
#include "rest/event_routes.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "answers/events.h"
#include "rest/errors.h"
#include "rest/event_stream.h"
#include "rest/pieces.h"

namespace bayplan::rest {

namespace {

using http::Request;
using http::Response;

// A number of the query. `fault` is in the words of YuniKorn's language.
std::uint64_t number_in(const Request& request, std::string_view name, std::uint64_t otherwise, std::string& fault) {
    const std::optional<std::string> text = request.query_value(name);
    if (!text || text->empty() || !fault.empty()) return otherwise;
    std::uint64_t number = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, number);
    if (error == std::errc() && stopped == end) return number;
    const bool too_large = error == std::errc::result_out_of_range && stopped == end;
    fault =
        fmt::format("strconv.ParseUint: parsing {:?}: {}", *text, too_large ? "value out of range" : "invalid syntax");
    return otherwise;
}

Response not_tracked() { return error_answer(500, "Event tracking is disabled"); }

Response batch(const ShownEvents& events, const Request& request) {
    if (events.store == nullptr) return not_tracked();
    std::string fault;
    const std::uint64_t count = number_in(request, "count", events.limits.batch_events, fault);
    if (fault.empty() && count == 0) fault = "0 is not a valid value for \"count\"";
    const std::uint64_t start = number_in(request, "start", 0, fault);
    if (!fault.empty()) return error_answer(400, fault);
    return json_pieces(answers::event_batch(*events.store, start, std::min(count, events.limits.batch_events)));
}

Response stream(const ShownEvents& events, const std::shared_ptr<StreamPlaces>& places, const Request& request) {
    if (events.store == nullptr) return not_tracked();
    std::string fault;
    const std::uint64_t history = number_in(request, "count", 0, fault);
    if (!fault.empty()) return error_answer(400, fault);
    const std::string host(request.header("Host"));
    if (!places->take(host, events.limits.streams, events.limits.streams_of_host)) {
        return error_answer(503, "Too many streaming connections");
    }
    Response response;
    response.content_type = kJsonType;
    response.may_compress = false;
    response.source =
        std::make_unique<EventStream>(*events.store, history, [places, host] { places->give_back(host); });
    return response;
}

}  // namespace

std::vector<http::Route> event_routes(const ShownEvents& events) {
    return {
        {"GET", "/ws/v1/events/batch", [events](const Request& request) { return batch(events, request); }},
        {"GET", "/ws/v1/events/stream", [events, places = std::make_shared<StreamPlaces>()](const Request& request) {
             return stream(events, places, request);
         }}};
}

}  // namespace bayplan::rest
