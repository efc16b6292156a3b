// File to text, by way of a model. Replays make theirs from the text that was recorded.
//
// Thread: any.
#include "daemon/queues_file.h"

#include <utility>

#include "config/text_file.h"
#include "queue_config/load.h"

namespace bayplan::daemon {

namespace {

bool read_checked(const std::string& file, std::string& text, queue_config::SchedulerConfig& config,
                  std::vector<std::string>& faults) {
    config::Faults found;
    const bool sound =
        config::read_text_file(file, text, found) && queue_config::load_queue_config(text, file, config, found);
    for (const config::Fault& fault : found) faults.push_back(fault.to_string());
    return sound;
}

}  // namespace

bool read_queues_file(const std::string& file, std::string& text, std::vector<std::string>& faults) {
    queue_config::SchedulerConfig config;
    return read_checked(file, text, config, faults);
}

bool read_queues_file(const std::string& file, std::string_view partition, GivenQueues& queues,
                      std::vector<std::string>& faults) {
    queue_config::SchedulerConfig config;
    if (!read_checked(file, queues.text, config, faults)) return false;
    queues.read = queue_config::take_own_partition(std::move(config), partition);
    return true;
}

}  // namespace bayplan::daemon
