// The tables: every setting of baypland, once.
//
// Thread: any; constant after the first use.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

const Settings<Config>& all_settings();
const Settings<PartitionConfig>& partition_settings();
const Settings<ProfileConfig>& profile_settings();
const Settings<HostNeeds>& host_needs_settings();

}  // namespace bayplan::config
