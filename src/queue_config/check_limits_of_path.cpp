// A limit may not be above the same user's or group's limit further up; a name that is missing there is under its
// wildcard.
//
// Thread: any.
#include <map>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/checks.h"

namespace bayplan::queue_config {
namespace {

// The limit on one name in a queue: the lowest on the way down to it.
struct Bound {
    Resources max_resources;
    std::uint64_t max_applications = 0;  // 0: none
};

using Bounds = std::map<std::string, Bound, std::less<>>;

struct Path {
    const std::string& text;
    const char* title;  // user or group
};

void check_bounds_of_name(const Text& name, const LimitConfig& limit, const Path& path, const Bounds& above,
                          Bounds& own, FaultList& faults) {
    const auto same = above.find(name.text);
    const auto found = same != above.end() ? same : above.find(kWildcard);
    Bound bound{limit.max_resources.or_none(), limit.max_applications};
    if (found != above.end()) {
        const char* const whose = same != above.end() ? "the same name" : "the wildcard";
        if (!fits_in(bound.max_resources, found->second.max_resources, Missing::unlimited)) {
            faults.add(limit.max_resources.position,
                       fmt::format("{} {} has maxresources {} in queue {}, more than {} for {} in a queue above",
                                   path.title, name.text, to_text(bound.max_resources), path.text,
                                   to_text(found->second.max_resources), whose),
                       "lower it, or raise that one");
        }
        const std::uint64_t applications = found->second.max_applications;
        if (applications != 0 && (bound.max_applications == 0 || bound.max_applications > applications)) {
            faults.add(limit.position,
                       fmt::format("{} {} has maxapplications {}{} in queue {}, more than {} for {} in a queue above",
                                   path.title, name.text, bound.max_applications,
                                   bound.max_applications == 0 ? " (none)" : "", path.text, applications, whose),
                       "lower it, or raise that one");
        }
        bound.max_resources = lower_of(bound.max_resources, found->second.max_resources, Missing::unlimited);
        if (bound.max_applications == 0) bound.max_applications = applications;
    }
    own[name.text] = std::move(bound);
}

void check_bounds_of_queue(const QueueConfig& queue, const std::string& path, const Bounds& users, const Bounds& groups,
                           FaultList& faults) {
    Bounds own_users;
    Bounds own_groups;
    if (!queue.limits.empty()) {  // else those above are as good, without a copy per queue
        own_users = users;
        own_groups = groups;
    }
    for (const LimitConfig& limit : queue.limits) {
        for (const Text& user : limit.users)
            check_bounds_of_name(user, limit, {path, "user"}, users, own_users, faults);
        for (const Text& group : limit.groups)
            check_bounds_of_name(group, limit, {path, "group"}, groups, own_groups, faults);
    }
    if (!queue.queues) return;
    for (const QueueConfig& child : *queue.queues) {
        check_bounds_of_queue(child, path + "." + lower_case(child.name.text), queue.limits.empty() ? users : own_users,
                              queue.limits.empty() ? groups : own_groups, faults);
    }
}

}  // namespace

void check_limits_of_path(const QueueConfig& root, FaultList& faults) {
    check_bounds_of_queue(root, std::string(kRootName), {}, {}, faults);
}

}  // namespace bayplan::queue_config
