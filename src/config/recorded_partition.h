// The settings of one partition as a record of a run keeps them: what a replay needs to make an
// equal engine, in the configuration's own words.
//
// Thread: any.
#pragma once

#include <string>

#include "config/config.h"
#include "config/fault.h"

namespace bayplan::config {

// With `daemon_instance`, which a configuration file cannot give: it decides between resume and
// resync.
std::string recorded_text(const PartitionConfig&);

// False: `faults` says what is wrong, with lines of the text; `name` stands for the file in them.
bool parse_recorded_text(const std::string& text, const std::string& name, PartitionConfig&, Faults& faults);

}  // namespace bayplan::config
