// Which limit binds which user or group, and how much of it is left.
//
// Thread: the engine's.
#include "queue_tree/user_limits.h"

#include <algorithm>

#include <fmt/format.h>

#include "queue_config/characters.h"

namespace bayplan::queue_tree {

using queue_config::kWildcard;
using queue_config::LimitConfig;

namespace {

bool names(const std::vector<queue_config::Text>& list, std::string_view name) {
    return std::ranges::find(list, name, &queue_config::Text::text) != list.end();
}

// The limit of the queue that names it, or none.
const LimitConfig* find(const Queue& queue, std::vector<queue_config::Text> LimitConfig::*list, std::string_view name) {
    for (const LimitConfig& limit : queue.limits) {
        if (names(limit.*list, name)) return &limit;
    }
    return nullptr;
}

}  // namespace

void UserLimits::clear() {
    ids_.clear();
    limits_.clear();
    amounts_ = AmountTables<2>({0, kUnlimited});
}

void UserLimits::fit() { amounts_.fit(end(), names_.size()); }

LimitIds UserLimits::resolve(QueueId leaf, const User& user) {
    LimitIds found;
    const std::string group = group_of(leaf, user);
    for (QueueId id = leaf; id != kNoQueue; id = queues_[id].parent) {
        const Queue& queue = queues_[id];
        if (queue.limits.empty()) continue;
        const LimitConfig* const named = find(queue, &LimitConfig::users, user.name);
        const LimitConfig* const of_user = named != nullptr ? named : find(queue, &LimitConfig::users, kWildcard);
        if (of_user != nullptr) add(id, false, user.name, *of_user, found);
        const LimitConfig* const of_group = group.empty() ? nullptr : find(queue, &LimitConfig::groups, group);
        if (of_group != nullptr) add(id, true, group, *of_group, found);
    }
    return found;
}

std::string UserLimits::group_of(QueueId leaf, const User& user) const {
    for (QueueId id = leaf; id != kNoQueue; id = queues_[id].parent) {
        for (const LimitConfig& limit : queues_[id].limits) {
            for (const queue_config::Text& group : limit.groups) {
                if (group.text == kWildcard || std::ranges::find(user.groups, group.text) != user.groups.end()) {
                    return group.text;
                }
            }
        }
    }
    return "";
}

void UserLimits::add(QueueId queue, bool group, const std::string& name, const LimitConfig& config, LimitIds& found) {
    const auto [place, is_new] = ids_.emplace(Key{queue, group, name}, LimitId{end()});
    if (is_new) {
        limits_.push_back({place->first, config.max_applications, 0});
        for (const auto& [resource, value] : config.max_resources.or_none()) names_.number_of(resource);
        fit();
        write_row(config.max_resources.or_none(), names_, amounts_(kMax, raw(place->second)));
    }
    found.push_back(place->second);
}

void UserLimits::charge(std::span<const LimitId> ids, Request request, int sign) {
    for (const LimitId id : ids) queue_tree::add(amounts_(kUsed, raw(id)), request, sign);
}

LimitId UserLimits::lacking(std::span<const LimitId> ids, Request request) const {
    for (const LimitId id : ids) {
        if (!fits(amounts_(kUsed, raw(id)), amounts_(kMax, raw(id)), request)) return id;
    }
    return kNoLimit;
}

void UserLimits::add_running(std::span<const LimitId> ids, int sign) {
    for (const LimitId id : ids) limits_[raw(id)].running += static_cast<std::uint32_t>(sign);
}

LimitId UserLimits::full(std::span<const LimitId> ids) const {
    for (const LimitId id : ids) {
        const Limit& limit = limits_[raw(id)];
        if (limit.max_applications != 0 && limit.running >= limit.max_applications) return id;
    }
    return kNoLimit;
}

std::string UserLimits::text(LimitId id) const {
    const Key& key = limits_[raw(id)].key;
    return fmt::format("{} {} in {}", key.group ? "group" : "user", key.name, queues_[key.queue].path);
}

}  // namespace bayplan::queue_tree
