// Events in YuniKorn's schema: enumerators are numbers, what is empty or zero is left out.
//
// Thread: plain functions, any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "answers/answers.h"
#include "events/event_store.h"

namespace bayplan::answers {

// One event, without a line end.
void put_event(std::string& into, const events::Event&);
// Events from this id on, with the ids that there are; null in place of none. They are copied from the store as they are
// written: where one has given way meanwhile, the batch ends. The store outlives the answer.
AnswerPtr event_batch(events::EventStore&, std::uint64_t start, std::uint64_t count);
// The first line of a stream, without its end.
std::string stream_head(std::string_view instance);

}  // namespace bayplan::answers
