// Members that answers about live and about ended applications share.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answers/answers.h"
#include "answers/json_text.h"
#include "read_model/entries.h"

namespace bayplan::answers {

// Nothing, if the list is empty.
void put_texts(JsonText&, std::string_view name, const std::vector<std::string>&);
// When the first pod was made, else when the application came.
void put_submission(JsonText&, const Place&, std::int64_t oldest_s, std::int64_t came_ns);
void put_log(JsonText&, const Place&, const read_model::ApplicationRun&);
// In milliseconds. An application without a node ever has, in YuniKorn, started in the year 1.
void put_start(JsonText&, const Place&, const read_model::ApplicationRun&);
// Always there, and empty: no use over time is kept.
void put_resource_history(JsonText&);
// Until when it rests, as Go writes times; nothing, if it does not.
void put_rest(JsonText&, const Place&, std::int64_t until_ns);

}  // namespace bayplan::answers
