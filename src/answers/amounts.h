// Amounts of resources as answers show them: by name, in the order of names.
//
// Thread: pure functions and plain data.
#pragma once

#include <string_view>

#include "answers/json_text.h"
#include "queue_config/resources.h"
#include "read_model/version.h"

namespace bayplan::answers {

using queue_config::Resources;

// Without zeros, unless these were stated.
Resources sums(const read_model::Version&, const read_model::AmountList&);
Resources stated(const read_model::Version&, const read_model::AmountList&);

void put(JsonText&, std::string_view name, const Resources&);     // always
void put_if(JsonText&, std::string_view name, const Resources&);  // unless there are none
// Of the resources that both name, how many percent of the whole the part is, at most INT32_MAX.
Resources percent(const Resources& part, const Resources& whole);

}  // namespace bayplan::answers
