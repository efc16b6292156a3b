// The arguments that EAL is started with, completed where the configuration leaves them open, and
// the directory it may write to. Nothing of DPDK is called here.
//
// Thread: any, at start only. Errors: false and a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bayplan::dataplane {

// `given` completed as start_eal() documents, program name first. `first_cpu` is used if no core is
// named, `pid` makes the file prefix. False if two arguments exclude each other.
bool complete_eal_arguments(const std::vector<std::string>& given, int first_cpu, int pid,
                            std::vector<std::string>& out, std::string& error);

// The devices of --vdev arguments, as DPDK wants them: "name,key=value,...".
std::vector<std::string> vdevs_of(const std::vector<std::string>& arguments);

// The lowest CPU that the calling thread may run on.
int first_allowed_cpu();

// In a user namespace the uid is 0, so EAL wants /var/run/dpdk and may not write there. Then points
// RUNTIME_DIRECTORY to a new private directory, removed at exit. False if even that fails.
bool prepare_runtime_directory(std::string& error);

}  // namespace bayplan::dataplane
