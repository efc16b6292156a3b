// A partition's queues.yaml: read and checked before an engine hears of it, so that every fault is told with its place.
//
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "queue_config/model.h"

namespace bayplan::daemon {

// A text, and what it says for one partition; null: it is read where it is taken.
struct GivenQueues {
    std::string text;
    std::shared_ptr<const queue_config::PartitionConfig> read;
};

// False: `faults` has all that is wrong, one per line.
bool read_queues_file(const std::string& file, std::string& text, std::vector<std::string>& faults);
// Likewise, for a running partition of this name: its engine does not read what was read here.
bool read_queues_file(const std::string& file, std::string_view partition, GivenQueues& queues,
                      std::vector<std::string>& faults);

}  // namespace bayplan::daemon
