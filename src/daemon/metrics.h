// The daemon's own metrics in the text format of Prometheus: engines, data plane, REST interface, events, process.
//
// Thread: main.
#pragma once

#include <string>

#include "daemon/status.h"

namespace bayplan::daemon {

// Each family with its HELP and TYPE. Names begin with bayplan_, but for names that YuniKorn or every process has.
std::string metrics_text(const Status&);

}  // namespace bayplan::daemon
