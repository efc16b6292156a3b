// One profile of a KubeSchedulerConfiguration: its plugins (here) and their arguments (plugin_arguments.h).
//
// Thread: any.
#pragma once

#include "kube/value.h"
#include "scheduler_config/notes.h"
#include "scheduler_config/scheduler_config.h"

namespace bayplan::scheduler_config {

Profile read_profile(const kube::Value&, Notes&);

}  // namespace bayplan::scheduler_config
