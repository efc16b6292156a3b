// Applications that are complete, or were rejected, in the order of their names, the earliest first. See answers.h.

#include <algorithm>

#include "answers/amounts.h"
#include "answers/application_members.h"
#include "answers/pieces.h"
#include "answers/queue_view.h"
#include "queue_tree/applications.h"

namespace bayplan::answers {

using read_model::EndedApplication;
using read_model::EndedList;

namespace {

void put_ended(JsonText& json, const Place& place, const EndedApplication& ended) {
    json.begin_object();
    json.member("applicationID", std::string_view(ended.facts->name));
    put_if(json, "maxUsedResource", Resources(ended.most.begin(), ended.most.end()));
    json.member("partition", std::string_view(place.partition));
    json.member("queueName", ended.rejected ? std::string_view() : queue_of(*ended.facts));
    put_submission(json, place, ended.oldest_s, ended.came_ns);
    if (place.zero_tick_ns) {
        json.member("finishedTime", *place.zero_tick_ns + ended.ended_ns());
    }
    json.member("applicationState", to_text(static_cast<queue_tree::ApplicationState>(ended.run->log.back().state)));
    json.member_if("user", std::string_view(ended.facts->user));
    put_texts(json, "groups", ended.facts->groups);
    json.member_if("rejectedMessage", std::string_view(ended.message));
    put_log(json, place, *ended.run);
    json.member("maxRequestPriority", std::int64_t{INT32_MIN});
    put_start(json, place, *ended.run);
    put_resource_history(json);
    json.end_object();
}

// One with each step.
class EndedSteps {
public:
    // `list` is a part of the version.
    EndedSteps(VersionPtr version, Place place, const EndedList& list)
        : version_(std::move(version)), place_(std::move(place)), sorted_(list) {
        std::ranges::stable_sort(sorted_, {}, [](const auto& one) { return std::string_view(one->facts->name); });
    }

    bool step(JsonText& json) {
        if (at_ == 0) {
            json.begin_array();
        }
        if (at_ < sorted_.size()) {
            put_ended(json, place_, *sorted_[at_++]);
        }
        if (at_ < sorted_.size()) {
            return true;
        }
        json.end_array();
        return false;
    }

private:
    VersionPtr version_;
    Place place_;
    EndedList sorted_;
    std::size_t at_ = 0;
};

}  // namespace

AnswerPtr completed_applications(VersionPtr version, Place place) {
    const EndedList& list = *version->completed;
    return piecewise(EndedSteps(std::move(version), std::move(place), list));
}

AnswerPtr rejected_applications(VersionPtr version, Place place) {
    const EndedList& list = *version->rejected;
    return piecewise(EndedSteps(std::move(version), std::move(place), list));
}

}  // namespace bayplan::answers
