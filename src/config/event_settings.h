// The settings of events.
//
// Thread: any; the table is built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

const Settings<EventsConfig>& event_settings();

}  // namespace bayplan::config
