// The arguments of a profile's plugins.
//
// Thread: any.
#pragma once

#include "kube/value.h"
#include "scheduler_config/notes.h"
#include "scheduler_config/scheduler_config.h"

namespace bayplan::scheduler_config {

// One entry of pluginConfig.
void read_arguments(const kube::Value& entry, Profile&, Notes&);

}  // namespace bayplan::scheduler_config
