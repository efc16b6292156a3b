// The settings of the REST interface.
//
// Thread: any; the table is built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

void append_rest_settings(Settings<Config>&);

// The checks that look at more than one of them.
void check_rest(const RestConfig&, Position root, ReadContext&);

}  // namespace bayplan::config
