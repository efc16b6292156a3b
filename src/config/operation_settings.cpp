// See operation_settings.h.
#include "config/operation_settings.h"

#include "config/setting_values.h"

namespace bayplan::config {

void append_operation_settings(Settings<Config>& table) {
    using C = Config;
    table.push_back(output_file("admin_socket", MEMBER(C, operations.admin_socket),
                                "Where bayplan admin reaches the daemon, a socket of this host: for root, the daemon's "
                                "user and that user's group."));
    table.push_back(output_file("flight_recorder", MEMBER(C, operations.flight_recorder),
                                "Where the last seconds of events and decisions are written on SIGUSR2, when a thread "
                                "hangs, a law is broken, or a failed check ends the daemon."));
    table.push_back(number("watchdog", MEMBER(C, operations.watchdog_ns), NumberForm::duration, {0, 3600 * kSecond}, "",
                           "A thread that does not go on for so long is told as stuck, and systemd is no longer told "
                           "that the daemon is alive; 0: nobody watches."));
    table.push_back(
        number("audit_longest", MEMBER(C, operations.audit_longest_ns), NumberForm::duration, {0, 60 * kSecond}, "",
               "An engine that has nothing to do recounts all that it knows, now and then, if that takes no "
               "longer; 0: never. bayplan admin audit does so whatever it takes."));
}

}  // namespace bayplan::config
