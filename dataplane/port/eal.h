// DPDK's environment layer: started once per process, without disturbing the process that hosts it.
// No DPDK type appears here. DPDK's log lines go to the function given to set_port_log().
//
// Thread: start_eal() may be called from any thread, one at a time is enforced inside;
// register_polling_thread(): the thread it is for. Errors: false and a text that says what to do.
#pragma once

#include <string>
#include <vector>

namespace bayplan::dataplane {

// EAL arguments for a host without hugepages, NIC or privileges. For ring ports and tests.
std::vector<std::string> portable_eal_arguments();

// Starts EAL with `arguments` (without the program name). Where they leave it open:
// - cores: one, the first that this process may use. EAL's own lcore runs nothing; threads that
//   poll ports are the program's.
// - files: none shared with other processes (--no-shconf) under a prefix of this process; log level
//   warning; no telemetry socket.
// The caller's affinity stays as it was: EAL pins a short-lived thread of its own.
// Called again, it only brings up --vdev devices that do not exist yet; other arguments of a later
// call have no effect, for EAL cannot be started twice.
bool start_eal(const std::vector<std::string>& arguments, std::string& error);

// Lets dpdk-dumpcap copy packets of this process; once EAL has started. False and `error` if other processes cannot share its
// memory.
bool allow_capture(std::string& error);

// Gives the calling thread DPDK's per-thread buffer caches (5 instead of 15 ns per buffer), once,
// and takes them back when the thread ends. Without it all still works.
void register_polling_thread();

}  // namespace bayplan::dataplane
