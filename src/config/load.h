// The way in: a file to a Config, with all that is wrong with it; and a Config or the manual to
// text.
//
// Thread: main.
#pragma once

#include <string>

#include "config/config.h"
#include "config/fault.h"
#include "threads/host_cpus.h"

namespace bayplan::config {

// True: `config` is complete and checked against the host. False: `faults` has everything found, in
// order of place; `config` means nothing.
bool load_config(const std::string& file, const threads::HostCpus&, Config& config, Faults& faults);

// Every setting with its value, as YAML that load_config reads to an equal Config.
std::string print_config(const Config&);

// The manual of the configuration file.
std::string config_manual();

}  // namespace bayplan::config
