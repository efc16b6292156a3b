// A partition's queues.yaml: read and checked before an engine hears of it, so that every fault is told with its place.
//
// Thread: any.
#pragma once

#include <string>
#include <vector>

namespace bayplan::daemon {

// False: `faults` has all that is wrong, one per line.
bool read_queues_file(const std::string& file, std::string& text, std::vector<std::string>& faults);

}  // namespace bayplan::daemon
