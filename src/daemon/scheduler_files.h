// The daemon's configuration, completed by the KubeSchedulerConfigurations of its partitions, and by the node sort policies of
// their queue files. After it an engine's settings
// are in force as they stand, and a record of the run has them: a replay needs neither file.
//
// Thread: main.
#pragma once

#include <string>

#include "config/config.h"
#include "config/fault.h"
#include "threads/host_cpus.h"

namespace bayplan::daemon {

// As config::load_config, and with the files of `scheduler_config` read. Fields of these that
// mean nothing here are told in `config.remarks`.
bool load_config(const std::string& file, const threads::HostCpus&, config::Config& config, config::Faults& faults);

// The second part of it.
void read_scheduler_files(config::Config&, config::Faults&);

}  // namespace bayplan::daemon
