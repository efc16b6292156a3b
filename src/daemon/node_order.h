// The node sort policies of partitions' queue files, put in force when the daemon starts: an engine's scores are made once. A
// record of the run has them as settings.
//
// Thread: main.
#pragma once

#include <string>

#include "config/config.h"
#include "config/fault.h"

namespace bayplan::daemon {

// A setting, or a file of `scheduler_config`, that says otherwise is a fault. Files that cannot be read are told of elsewhere.
void read_node_sort_policies(config::Config&, config::Faults&);

// Of a text of queues that is read while the daemon runs: what of its node sort policy is not in force, or "".
std::string node_order_remark(const std::string& text, const config::PartitionConfig&);

}  // namespace bayplan::daemon
