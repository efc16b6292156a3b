// Queues one by one: names, access lists, numbers of applications; and the order of nodes.
//
// Thread: any.
#include <unordered_map>

#include <fmt/format.h>

#include "queue_config/access_list.h"
#include "queue_config/characters.h"
#include "queue_config/checks.h"

namespace bayplan::queue_config {
namespace {

void check_access_list(const Text& acl, const char* title, const std::string& path, FaultList& faults) {
    if (!AccessList::parse(acl.text)) {
        faults.add(acl.position, fmt::format("{} of queue {} is '{}', with more than one blank", title, path, acl.text),
                   "write users, one blank, groups; commas between names");
    }
}

void check_child_name(const QueueConfig& child, const std::string& path, FaultList& faults) {
    const std::string& name = child.name.text;
    if (!is_queue_name(name)) {
        faults.add(child.name.position, fmt::format("'{}' of queue {} is no name of a queue", name, path),
                   "give 1 to 64 of letters, digits and - _ # @ / :");
    } else if (path == kRootName && lower_case(name) == kRecoveryName) {
        faults.add(child.name.position,
                   fmt::format("the name {} is reserved for applications that are recovered", name),
                   "give another name");
    }
}

void check_max_applications(const QueueConfig& queue, const QueueConfig& child, const std::string& path,
                            FaultList& faults) {
    if (queue.max_applications == 0) return;
    if (child.max_applications == 0) {
        faults.add(
            child.position,
            fmt::format("queue {} has no maxapplications, or 0, but its parent has {}", path, queue.max_applications),
            "give at most that of the parent");
    } else if (child.max_applications > queue.max_applications) {
        faults.add(child.max_applications_position,
                   fmt::format("maxapplications {} of queue {} is larger than {} of its parent", child.max_applications,
                               path, queue.max_applications),
                   "give at most that of the parent");
    }
}

void check_queue(const QueueConfig& queue, const std::string& path, int level, FaultList& faults) {
    check_access_list(queue.admin_acl, "adminacl", path, faults);
    check_access_list(queue.submit_acl, "submitacl", path, faults);
    if (!queue.queues) return;
    std::unordered_map<std::string, const QueueConfig*> names;
    for (const QueueConfig& child : *queue.queues) {
        const std::string child_path = path + "." + lower_case(child.name.text);
        check_child_name(child, path, faults);
        const auto [same, is_new] = names.emplace(lower_case(child.name.text), &child);
        if (!is_new) {
            faults.add(child.name.position,
                       fmt::format("queue {} has two children named '{}' (level {}), the first on line {}", path,
                                   child.name.text, level, same->second->name.position.line),
                       "case does not tell queues apart; rename one");
        }
        check_max_applications(queue, child, child_path, faults);
        check_queue(child, child_path, level + 1, faults);
    }
}

}  // namespace

void check_queues(const QueueConfig& root, FaultList& faults) { check_queue(root, std::string(kRootName), 1, faults); }

void check_node_sort_policy(const NodeSortPolicyConfig& policy, FaultList& faults) {
    const std::string& type = policy.type.text;
    if (type.empty() || type == "fair" || type == "binpacking") return;
    faults.add(policy.type.position, fmt::format("'{}' is no node sort policy", type), "give fair or binpacking");
}

}  // namespace bayplan::queue_config
