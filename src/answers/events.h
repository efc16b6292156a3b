// Events in YuniKorn's schema: enumerators are numbers, what is empty or zero is left out.
//
// Thread: plain functions, any.
#pragma once

#include <string>
#include <string_view>

#include "answers/answers.h"
#include "events/event_store.h"

namespace bayplan::answers {

// One event, without a line end.
void put_event(std::string& into, const events::Event&);
// A slice with the ids that there are; one without events has null.
AnswerPtr event_batch(events::EventSlice, std::string_view instance);
// The first line of a stream, without its end.
std::string stream_head(std::string_view instance);

}  // namespace bayplan::answers
