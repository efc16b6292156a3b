// The settings by which operators look after a daemon at work.
//
// Thread: any; constant after the first use.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void append_operation_settings(Settings<Config>&);

}  // namespace bayplan::config
