// The arguments of a profile's plugins.
//
// Thread: any.
#pragma once

#include <string_view>

#include "kube/value.h"
#include "scheduler_config/notes.h"
#include "scheduler_config/scheduler_config.h"

namespace bayplan::scheduler_config {

void read_arguments(std::string_view plugin, const kube::Value& arguments, Profile&, Notes&);

}  // namespace bayplan::scheduler_config
