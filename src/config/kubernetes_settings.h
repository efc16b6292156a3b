// Settings of a partition in Kubernetes' own words: a scheduler's configuration, feature gates.
//
// Thread: any.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void append_kubernetes_settings(Settings<PartitionConfig>&);

}  // namespace bayplan::config
