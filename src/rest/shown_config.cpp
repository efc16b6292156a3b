// See shown_config.h.
#include "rest/shown_config.h"

#include "queue_config/characters.h"
#include "queue_config/load.h"

namespace bayplan::rest {

std::shared_ptr<const ShownConfig> show_config(const std::string& text, std::map<std::string, std::string> extra) {
    auto shown = std::make_shared<ShownConfig>();
    config::Faults faults;
    if (!queue_config::load_queue_config(text, "queues", shown->config, faults, queue_config::NamesAs::written)) {
        return nullptr;
    }
    shown->checksum = queue_config::checksum_of(text);
    shown->extra = std::move(extra);
    return shown;
}

queue_config::PartitionConfig partition_with_one_leaf(const std::string& name) {
    queue_config::PartitionConfig partition;
    partition.name.text = name;
    queue_config::QueueConfig root;
    root.name.text = queue_config::kRootName;
    root.submit_acl.text = "*";
    partition.queues.emplace().push_back(std::move(root));
    return partition;
}

}  // namespace bayplan::rest
