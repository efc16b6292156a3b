// See events.h.

#include "answers/events.h"

#include <algorithm>
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

// Of events as the store has them: what an answer holds at a time.
constexpr std::size_t kBytesAtOnce = 16u << 10;

class BatchSteps {
public:
    BatchSteps(events::EventStore& store, std::uint64_t start, std::uint64_t count)
        : store_(&store), slice_(store.read(start, count, kBytesAtOnce)), any_(slice_.size() > 0) {
        left_ = any_ ? std::min(count, slice_.highest - start + 1) : 0;
    }

    bool step(JsonText& json) {
        if (!std::exchange(begun_, true)) {
            begin(json);
        }
        if (at_ == slice_.size() && left_ > 0) {
            slice_ = store_->read(slice_.next, left_, kBytesAtOnce);
            at_ = 0;
        }
        if (at_ < slice_.size()) {
            put(json, slice_[at_++]);
            --left_;
            return true;
        }
        if (any_) {
            json.end_array();
        }
        json.end_object();
        return false;
    }

private:
    void begin(JsonText& json) const {
        json.begin_object();
        json.member("InstanceUUID", std::string_view(store_->instance()));
        json.name("LowestID").value_unsigned(slice_.lowest);
        json.name("HighestID").value_unsigned(slice_.highest);
        json.name("EventRecords");
        any_ ? json.begin_array() : json.null();
    }

    events::EventStore* store_;
    events::EventSlice slice_;
    bool any_;
    std::uint64_t left_ = 0;  // events to be written
    std::size_t at_ = 0;      // in the slice
    bool begun_ = false;
};

}  // namespace

void put_event(std::string& into, const events::Event& event) {
    JsonText json;
    put(json, event);
    into += json.text();
}

AnswerPtr event_batch(events::EventStore& store, std::uint64_t start, std::uint64_t count) {
    return piecewise(BatchSteps(store, start, count));
}

std::string stream_head(std::string_view instance) {
    JsonText json;
    json.begin_object();
    json.member("InstanceUUID", instance);
    json.end_object();
    return json.take();
}

}  // namespace bayplan::answers
