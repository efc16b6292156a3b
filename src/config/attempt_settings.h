// The settings of a partition about when asks are tried, and about preemption (engine/RULES.md, sections 5
// and 10).
//
// Thread: any; the table is built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void append_attempt_settings(Settings<PartitionConfig>&);

}  // namespace bayplan::config
