// The settings of a partition about when asks are tried, and about preemption (engine/rules:
// attempt.md, preemption.md).
//
// Thread: any; the table is built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void append_attempt_settings(Settings<PartitionConfig>&);

}  // namespace bayplan::config
