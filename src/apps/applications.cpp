// Adding and removing applications and pod groups; see applications.h.
#include "apps/applications.h"

#include "base/check.h"

namespace bayplan {

ApplicationId ApplicationTable::add(ShimId shim, std::string_view name) {
    ApplicationId id;
    if (free_.empty()) {
        applications_.emplace_back();
        id = static_cast<ApplicationId>(applications_.size() - 1);
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Application& application = applications_[raw(id)];
    application.alive = true;
    application.shim = shim;
    application.name.assign(name);
    return id;
}

void ApplicationTable::remove(ApplicationId id) {
    Application& application = applications_[raw(id)];
    BP_CHECK(application.asks.empty());
    const std::uint32_t generation = application.generation + 1;
    application = Application{};
    application.generation = generation;
    free_.push_back(id);
}

bool ApplicationTable::alive(ApplicationHandle handle) const {
    return raw(handle.id) < applications_.size() && applications_[raw(handle.id)].alive &&
           applications_[raw(handle.id)].generation == handle.generation;
}

std::uint32_t ApplicationTable::join_group(ApplicationId id, std::string_view name, std::uint64_t number,
                                           std::int64_t time_ns, std::int64_t created_s) {
    Application& application = applications_[raw(id)];
    auto found = application.group_ids.find(name);
    if (found == application.group_ids.end()) {
        std::uint32_t group = static_cast<std::uint32_t>(application.groups.size());
        if (application.free_groups.empty()) {
            application.groups.emplace_back();
        } else {
            group = application.free_groups.back();
            application.free_groups.pop_back();
        }
        application.groups[group] = {std::string(name), number, time_ns, created_s, 0};
        found = application.group_ids.emplace(std::string(name), group).first;
    }
    ++application.groups[found->second].members;
    return found->second;
}

void ApplicationTable::leave_group(ApplicationId id, std::uint32_t group) {
    Application& application = applications_[raw(id)];
    if (--application.groups[group].members == 0) {
        application.group_ids.erase(application.groups[group].name);
        application.groups[group] = {};
        application.free_groups.push_back(group);
    }
}

}  // namespace bayplan
