// Reading, checks in their order, and the form that the scheduler goes by.
//
// Thread: any.
#include "queue_config/load.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/checks.h"
#include "queue_config/document.h"

namespace bayplan::queue_config {
namespace {

// One queue named root stands for itself; anything else hangs below a root that the file does not name.
void insert_root(PartitionConfig& partition, FaultList& faults) {
    std::vector<QueueConfig>& queues = *partition.queues;
    if (queues.size() == 1 && lower_case(queues[0].name.text) == kRootName) {
        if (queues[0].name.text != kRootName) {
            faults.add(queues[0].name.position, fmt::format("the queue on top is '{}'", queues[0].name.text),
                       "write root");
        }
    } else {
        QueueConfig root;
        root.name.text = kRootName;
        root.position = root.name.position = partition.position;
        root.queues = std::move(queues);
        queues = {std::move(root)};
    }
    queues[0].parent = true;
}

bool equal_names(const std::vector<Text>& a, const std::vector<Text>& b) {
    return std::ranges::equal(a, b, {}, &Text::text, &Text::text);
}

bool equal_limits(const std::vector<LimitConfig>& a, const std::vector<LimitConfig>& b) {
    return std::ranges::equal(a, b, [](const LimitConfig& left, const LimitConfig& right) {
        return left.limit.text == right.limit.text && equal_names(left.users, right.users) &&
               equal_names(left.groups, right.groups) && left.max_resources.texts == right.max_resources.texts &&
               left.max_applications == right.max_applications;
    });
}

void move_limits_to_root(PartitionConfig& partition, FaultList& faults) {
    std::vector<LimitConfig>& of_root = partition.queues->front().limits;
    if (partition.limits.empty()) return;
    if (of_root.empty()) {
        of_root = partition.limits;
    } else if (!equal_limits(partition.limits, of_root)) {
        faults.add(partition.limits.front().position,
                   fmt::format("partition {} and its queue root have different limits", partition.name.text),
                   "give them in one place, or the same");
    }
}

void check_resolver(const Text& type, FaultList& faults) {
    if (type.text.empty() || type.text == "os" || type.text == "ldap" || type.text == "test") return;
    faults.add(type.position, fmt::format("'{}' is no resolver of users and groups", type.text),
               "give os or ldap, or leave it out");
}

void check_partition(PartitionConfig& partition, FaultList& faults) {
    if (!partition.queues) {
        faults.add(partition.position, fmt::format("partition {} has no queues", partition.name.text),
                   "give queues: an empty list makes a root alone");
        return;
    }
    insert_root(partition, faults);
    move_limits_to_root(partition, faults);
    check_queues(partition.root(), faults);
    check_resources(partition.root(), faults);
    check_limits(partition.root(), faults);
    check_limits_of_path(partition.root(), faults);
    check_placement_rules(partition, faults);
    check_node_sort_policy(partition.node_sort_policy, faults);
    check_resolver(partition.user_group_resolver, faults);
}

void check_names(const std::vector<PartitionConfig>& partitions, FaultList& faults) {
    std::unordered_map<std::string, const PartitionConfig*> names;
    for (const PartitionConfig& partition : partitions) {
        const auto [same, is_new] = names.emplace(lower_case(partition.name.text), &partition);
        if (is_new) continue;
        faults.add(partition.name.position,
                   fmt::format("two partitions are named '{}', the first on line {}", partition.name.text,
                               same->second->position.line),
                   "case does not tell them apart; rename one");
    }
}

void fold_names(QueueConfig& queue) {
    queue.name.text = lower_case(queue.name.text);
    if (!queue.queues) return;
    for (QueueConfig& child : *queue.queues) fold_names(child);
}

}  // namespace

const PartitionConfig* own_partition(const SchedulerConfig& config, std::string_view name) {
    for (const PartitionConfig& partition : config.partitions) {
        if (lower_case(partition.name.text) == name) return &partition;
    }
    return config.partitions.size() == 1 ? &config.partitions.front() : nullptr;
}

bool load_queue_config(const std::string& text, const std::string& file, SchedulerConfig& config,
                       config::Faults& faults, NamesAs names) {
    const std::size_t before = faults.size();
    FaultList list(file, faults);
    config = read_document(text, list);
    check_names(config.partitions, list);
    for (PartitionConfig& partition : config.partitions) check_partition(partition, list);
    config::sort_by_position(faults);
    if (faults.size() != before) return false;
    if (names == NamesAs::written) return true;
    for (PartitionConfig& partition : config.partitions) {
        partition.name.text = lower_case(partition.name.text);
        fold_names(partition.queues->front());
    }
    return true;
}

std::shared_ptr<const PartitionConfig> take_own_partition(SchedulerConfig&& config, std::string_view name) {
    const PartitionConfig* const own = own_partition(config, name);
    if (own == nullptr) return nullptr;
    const auto at = static_cast<std::size_t>(own - config.partitions.data());
    return std::make_shared<const PartitionConfig>(std::move(config.partitions[at]));
}

std::shared_ptr<const PartitionConfig> read_own_partition(const std::string& text, std::string_view name,
                                                          std::string& fault) {
    SchedulerConfig config;
    config::Faults faults;
    if (!load_queue_config(text, "queues", config, faults)) {
        fault = faults.front().to_string();
        return nullptr;
    }
    std::shared_ptr<const PartitionConfig> own = take_own_partition(std::move(config), name);
    if (own == nullptr) fault = fmt::format("no partition is called '{}'", name);
    return own;
}

}  // namespace bayplan::queue_config
