// Checks lists of limits: the users and groups named, their order, and the limits themselves.
//
// Thread: any.
#include <unordered_set>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/checks.h"

namespace bayplan::queue_config {
namespace {

// Users, or groups, of the limits of one queue so far.
struct Names {
    const char* title;
    bool (*is_name)(std::string_view);
    std::unordered_set<std::string> seen;

    bool has_wildcard() const { return seen.contains(std::string(kWildcard)); }
};

void check_name_once(const Text& name, const std::string& path, Names& names, FaultList& faults) {
    const bool wildcard = name.text == kWildcard;
    if (!wildcard && !names.is_name(name.text)) {
        faults.add(name.position,
                   fmt::format("'{}' in a limit of queue {} is no name of a {}", name.text, path, names.title),
                   "start with a letter or _");
        return;
    }
    if (names.has_wildcard() && !wildcard) {
        faults.add(name.position,
                   fmt::format("{} '{}' of queue {} comes behind the wildcard, which has taken everybody", names.title,
                               name.text, path),
                   "put the wildcard last");
    }
    if (!names.seen.insert(name.text).second) {
        faults.add(name.position, fmt::format("{} '{}' has two limits in queue {}", names.title, name.text, path),
                   "remove one of them");
    }
}

void check_groups(const LimitConfig& limit, const std::string& path, Names& groups, FaultList& faults) {
    for (const Text& group : limit.groups) {
        if (group.text == kWildcard && groups.seen.empty()) {
            faults.add(group.position,
                       fmt::format("queue {} limits group '*' without a limit for a named group before it", path),
                       "name a group first");
        }
        check_name_once(group, path, groups, faults);
    }
}

void check_amounts(const LimitConfig& limit, const QueueConfig& queue, const std::string& path, FaultList& faults) {
    const Resources& amounts = limit.max_resources.or_none();
    const std::string title = fmt::format("limit '{}' of queue {}", limit.limit.text, path);
    const bool has_amounts = !limit.max_resources.texts.empty();
    if (!has_amounts && limit.max_applications == 0) {
        faults.add(limit.position, title + " limits nothing", "give maxapplications, or maxresources, above 0");
    }
    if (has_amounts && amounts.size() == limit.max_resources.texts.size() && !any_above_zero(amounts)) {
        faults.add(limit.max_resources.position, title + " has maxresources of zero", "give more than 0 of something");
    }
    if (queue.max_applications != 0 && limit.max_applications > queue.max_applications) {
        faults.add(limit.position,
                   fmt::format("{} has maxapplications {}, more than {} of the queue", title, limit.max_applications,
                               queue.max_applications),
                   "give at most that of the queue");
    }
    if (!fits_in(amounts, queue.resources.max.or_none(), Missing::unlimited)) {
        faults.add(limit.max_resources.position,
                   fmt::format("{} has maxresources {}, more than max {} of the queue", title, to_text(amounts),
                               to_text(queue.resources.max.or_none())),
                   "give at most max of the queue");
    }
}

void check_limits_of_queue(const QueueConfig& queue, const std::string& path, FaultList& faults) {
    Names users{"user", is_user_name, {}};
    Names groups{"group", is_group_name, {}};
    for (const LimitConfig& limit : queue.limits) {
        if (limit.users.empty() && limit.groups.empty()) {
            faults.add(limit.position,
                       fmt::format("limit '{}' of queue {} names no user and no group", limit.limit.text, path),
                       "name some, or '*'");
        }
        for (const Text& user : limit.users) check_name_once(user, path, users, faults);
        check_groups(limit, path, groups, faults);
        check_amounts(limit, queue, path, faults);
    }
    if (!queue.queues) return;
    for (const QueueConfig& child : *queue.queues) {
        check_limits_of_queue(child, path + "." + lower_case(child.name.text), faults);
    }
}

}  // namespace

void check_limits(const QueueConfig& root, FaultList& faults) {
    check_limits_of_queue(root, std::string(kRootName), faults);
}

}  // namespace bayplan::queue_config
