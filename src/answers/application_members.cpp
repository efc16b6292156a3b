// See application_members.h.
#include "answers/application_members.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>

#include "queue_tree/applications.h"

namespace bayplan::answers {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kYearOne_ms = -62'135'596'800'000;

// RFC 3339, in UTC; of the second as many digits as it takes.
std::string time_text(std::int64_t since_1970_ns) {
    std::string text = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}", fmt::gmtime(std::time_t{since_1970_ns / kSecond}),
                                   since_1970_ns % kSecond);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text + "Z";
}

}  // namespace

void put_texts(JsonText& json, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) {
        return;
    }
    json.name(name);
    json.begin_array();
    for (const std::string& text : texts) {
        json.value(std::string_view(text));
    }
    json.end_array();
}

void put_submission(JsonText& json, const Place& place, std::int64_t oldest_s, std::int64_t came_ns) {
    if (oldest_s > 0 && oldest_s <= INT64_MAX / kSecond) {
        json.member("submissionTime", oldest_s * kSecond);
    } else if (place.zero_tick_ns) {
        json.member("submissionTime", *place.zero_tick_ns + came_ns);
    }
}

void put_log(JsonText& json, const Place& place, const read_model::ApplicationRun& run) {
    if (run.log.empty()) {
        return;
    }
    json.name("stateLog");
    json.begin_array();
    for (const read_model::StateEntry& entry : run.log) {
        json.begin_object();
        if (place.zero_tick_ns) {
            json.member("time", *place.zero_tick_ns + entry.at_ns);
        }
        json.member("applicationState", to_text(static_cast<queue_tree::ApplicationState>(entry.state)));
        json.end_object();
    }
    json.end_array();
}

void put_start(JsonText& json, const Place& place, const read_model::ApplicationRun& run) {
    if (run.started_ns == read_model::kNever) {
        json.member("startTime", kYearOne_ms);
    } else if (place.zero_tick_ns) {
        json.member("startTime", (*place.zero_tick_ns + run.started_ns) / kMillisecond);
    }
}

void put_resource_history(JsonText& json) {
    json.name("resourceHistory");
    json.begin_object();
    json.end_object();
}

void put_rest(JsonText& json, const Place& place, std::int64_t until_ns) {
    if (until_ns != read_model::kNever && place.zero_tick_ns) {
        json.member("backoffDeadline",
                    time_text(*place.zero_tick_ns + std::min(until_ns, INT64_MAX - *place.zero_tick_ns)));
    }
}

}  // namespace bayplan::answers
