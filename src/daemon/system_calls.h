// A filter of system calls (seccomp): what a daemon at work never asks for is refused from now on, to all threads and for
// good.
//
// It names what is refused and not what is allowed: a driver of DPDK may need calls of its own, and the kernel keeps the
// answers for what is always allowed in a table, so that the calls of the hot path cost what they did. The systemd unit has
// a list of what is allowed besides.
//
// Thread: main; no_new_privs is set.
#pragma once

#include <string>

namespace bayplan::daemon {

bool limit_system_calls(std::string& error);

}  // namespace bayplan::daemon
