// The way in: a YuniKorn queues.yaml, as it is, to a checked model. Everything that is wrong with it is said at once.
// What YuniKorn's validator accepts and its scheduler then fails on, or cuts in silence, is refused here.
//
// Thread: any; the same text gives the same model, so that a recorded text can be read again.
#pragma once

#include <string>

#include "config/fault.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

// True: `config` is sound, with one queue root on top of each partition, names in lower case, limits of a partition at
// its root. False: `faults` has everything found, in order of place.
bool load_queue_config(const std::string& text, const std::string& file, SchedulerConfig& config,
                       config::Faults& faults);

// What tells two texts apart in the REST interface: SHA-256 in hexadecimal, without what the text says of it.
std::string checksum_of(const std::string& text);

}  // namespace bayplan::queue_config
