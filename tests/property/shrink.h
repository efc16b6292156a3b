// Makes a failing history small: drops runs of events, then single events, then single items of
// messages, as long as some difference remains. Bounded by a number of trials.
//
// Thread: one. Errors: none; at worst the history comes back as it was.
#pragma once

#include <functional>

#include "history.h"

namespace bayplan::property {

History shrink(const History&, const std::function<bool(const History&)>& fails, int trials_max);

}  // namespace bayplan::property
