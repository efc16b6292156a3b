// See application_members.h.
#include "answers/application_members.h"

#include "queue_tree/applications.h"

namespace bayplan::answers {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kYearOne_ms = -62'135'596'800'000;

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

}  // namespace bayplan::answers
