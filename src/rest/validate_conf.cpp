// See validate_conf.h.
#include "rest/validate_conf.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json/value.hpp>

#include "queue_config/characters.h"
#include "queue_config/document.h"
#include "queue_config/load.h"
#include "rest/yaml_fault.h"

namespace bayplan::rest {
namespace {

using namespace queue_config;

constexpr std::string_view kQueueNameFault =
    "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
    "allowed";
constexpr std::size_t kFaultsTold = 20;

using Queues = std::optional<std::vector<QueueConfig>>;

bool has_bad_name_at(const Queues& queues, config::Position place) {
    return queues && std::ranges::any_of(*queues, [place](const QueueConfig& queue) {
               const config::Position at = queue.name.position;
               return (at.line == place.line && at.column == place.column && !is_queue_name(queue.name.text)) ||
                      has_bad_name_at(queue.queues, place);
           });
}

// Is the fault at this place the name of a queue?
bool is_queue_name_fault(const SchedulerConfig& config, config::Position place) {
    return std::ranges::any_of(config.partitions, [place](const PartitionConfig& partition) {
        return has_bad_name_at(partition.queues, place);
    });
}

std::string reason_of(const std::string& text, const config::Faults& faults) {
    if (std::string fault = yaml_fault(text); !fault.empty()) return fault;
    config::Faults again;
    FaultList list("", again);
    if (is_queue_name_fault(read_document(text, list), faults.front().position)) return std::string(kQueueNameFault);
    std::string reason;
    for (std::size_t at = 0; at < std::min(faults.size(), kFaultsTold); ++at) {
        reason += (at == 0 ? "" : "\n") + faults[at].to_string();
    }
    if (faults.size() > kFaultsTold) reason += fmt::format("\nand {} more", faults.size() - kFaultsTold);
    return reason;
}

}  // namespace

boost::json::object validate_conf(const std::string& text) {
    SchedulerConfig config;
    config::Faults faults;
    if (load_queue_config(text, "queues.yaml", config, faults)) return {{"allowed", true}};
    return {{"allowed", false}, {"reason", reason_of(text, faults)}};
}

}  // namespace bayplan::rest
