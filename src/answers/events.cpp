// See events.h.

#include "answers/events.h"

#include <utility>

#include "answers/json_text.h"
#include "answers/pieces.h"
#include "read_model/change.h"

namespace bayplan::answers {

namespace {

void put(JsonText& json, const events::Event& event) {
    json.begin_object();
    json.member_if("type", std::int64_t{static_cast<std::uint8_t>(event.type)});
    json.member_if("objectID", event.object);
    json.member_if("message", event.message);
    json.member_if("timestampNano", event.time_ns);
    json.member_if("eventChangeType", std::int64_t{static_cast<std::uint8_t>(event.change)});
    json.member_if("eventChangeDetail", std::int64_t{static_cast<std::uint16_t>(event.detail)});
    json.member_if("referenceID", event.reference);
    json.name("resource");
    json.begin_object();
    if (!event.amounts.empty()) {
        json.name("resources");
        json.begin_object();
        std::string_view left = event.amounts;
        std::string_view resource;
        std::int64_t value = 0;
        while (read_model::take_amount(left, resource, value)) {
            json.name(resource);
            json.begin_object();
            json.member_if("value", value);
            json.end_object();
        }
        json.end_object();
    }
    json.end_object();
    json.end_object();
}

class BatchSteps {
public:
    BatchSteps(events::EventSlice slice, std::string_view instance) : slice_(std::move(slice)), instance_(instance) {}

    bool step(JsonText& json) {
        if (at_ == 0) {
            begin(json);
        }
        if (at_ < slice_.size()) {
            put(json, slice_[at_++]);
        }
        if (at_ < slice_.size()) {
            return true;
        }
        if (slice_.size() > 0) {
            json.end_array();
        }
        json.end_object();
        return false;
    }

private:
    void begin(JsonText& json) const {
        json.begin_object();
        json.member("InstanceUUID", std::string_view(instance_));
        json.name("LowestID").value_unsigned(slice_.lowest);
        json.name("HighestID").value_unsigned(slice_.highest);
        json.name("EventRecords");
        slice_.size() > 0 ? json.begin_array() : json.null();
    }

    events::EventSlice slice_;
    std::string instance_;
    std::size_t at_ = 0;
};

}  // namespace

void put_event(std::string& into, const events::Event& event) {
    JsonText json;
    put(json, event);
    into += json.text();
}

AnswerPtr event_batch(events::EventSlice slice, std::string_view instance) {
    return piecewise(BatchSteps(std::move(slice), instance));
}

std::string stream_head(std::string_view instance) {
    JsonText json;
    json.begin_object();
    json.member("InstanceUUID", instance);
    json.end_object();
    return json.take();
}

}  // namespace bayplan::answers
