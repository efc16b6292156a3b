// Rights of the daemon: few before its threads exist, and none that a daemon at work does not need once its port
// is open.
//
//   before the first thread: no program that it starts gets more than it has (no_new_privs), no core files, memory locked
//   once the port is open:   another user, no capability in any thread, a filter of system calls
//
// A port needs no capability once it is open: its sockets and devices are open files.
//
// Thread: main.
#pragma once

#include <string>

#include "config/config.h"

namespace bayplan::daemon {

// False: `error` says what failed, and what would help.
bool begin_with_few_privileges(const config::PrivilegesConfig&, bool lock_memory, std::string& error);
bool give_up_privileges(const config::PrivilegesConfig&, std::string& error);

// As the kernel has it, of this thread.
struct Privileges {
    std::string user;          // its name, or its number where it has none
    std::string capabilities;  // effective ones, hexadecimal: "0" is none
    bool no_new_privileges = false;
    bool system_calls_limited = false;
    std::string locked;  // memory, "12345 kB"
};
Privileges read_privileges();

}  // namespace bayplan::daemon
