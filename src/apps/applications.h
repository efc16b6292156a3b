// Applications: the unit in which a shim groups its asks, with their pod groups.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask_list.h"

namespace bayplan {

struct PodGroup {
    std::string name;
    std::uint64_t number = 0;    // sequence number of the first ask ever added to it
    std::int64_t time_ns = 0;    // of that ask
    std::int64_t created_s = 0;  // when the pod of that ask was made
    std::uint32_t members = 0;   // asks alive
};

struct Application {
    bool alive = false;
    std::uint32_t generation = 0;
    ShimId shim = kNone<ShimId>;
    std::string name;
    // Of its life, in ticks, for operators; states are the queue tree's (queue_tree/applications.h).
    std::uint8_t state = 0;
    std::int64_t came_ns = 0;
    std::int64_t since_ns = 0;            // it is in that state
    std::int64_t started_ns = INT64_MIN;  // it had its first node; INT64_MIN: it has had none
    std::uint64_t bytes = 0;              // that count of it for its shim, without its asks
    AskList<InApplication> asks;          // by sequence number
    std::deque<PodGroup> groups;
    std::vector<std::uint32_t> free_groups;
    std::map<std::string, std::uint32_t, std::less<>> group_ids;
};

class ApplicationTable {
public:
    ApplicationId add(ShimId shim, std::string_view name);
    void remove(ApplicationId);  // without asks

    Application& operator[](ApplicationId id) { return applications_[raw(id)]; }
    const Application& operator[](ApplicationId id) const { return applications_[raw(id)]; }
    ApplicationHandle handle(ApplicationId id) const { return {id, applications_[raw(id)].generation}; }
    bool alive(ApplicationHandle) const;
    std::uint32_t end() const { return static_cast<std::uint32_t>(applications_.size()); }  // ids are below

    // The group of this name, made with number and times if it has no members yet; counts one member more.
    std::uint32_t join_group(ApplicationId, std::string_view name, std::uint64_t number, std::int64_t time_ns,
                             std::int64_t created_s);
    void leave_group(ApplicationId, std::uint32_t group);

private:
    std::deque<Application> applications_;
    std::vector<ApplicationId> free_;
};

}  // namespace bayplan
