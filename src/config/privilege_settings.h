// The settings of what the daemon may do once it runs.
//
// Thread: any; the table is built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

const Settings<PrivilegesConfig>& privilege_settings();

}  // namespace bayplan::config
