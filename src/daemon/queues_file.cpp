// File to text, by way of a model that is thrown away: the engine makes its own from the text that is recorded.
//
// Thread: any.
#include "daemon/queues_file.h"

#include "config/text_file.h"
#include "queue_config/load.h"

namespace bayplan::daemon {

bool read_queues_file(const std::string& file, std::string& text, std::vector<std::string>& faults) {
    queue_config::SchedulerConfig config;
    config::Faults found;
    const bool sound =
        config::read_text_file(file, text, found) && queue_config::load_queue_config(text, file, config, found);
    for (const config::Fault& fault : found) faults.push_back(fault.to_string());
    return sound;
}

}  // namespace bayplan::daemon
