// Words to systemd of a service that it has started (sd_notify's protocol): that it is ready, that it stops, that
// it is alive. Without a manager nothing is said.
//
// Thread: main.
#pragma once

#include <string_view>

namespace bayplan::daemon {

// "READY=1", "STOPPING=1", "WATCHDOG=1". A manager that does not listen is none.
void tell_service_manager(std::string_view state);

}  // namespace bayplan::daemon
