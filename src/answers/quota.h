// Amounts that queues, and limits of users and groups, leave in a version: which of them holds an ask back, in YuniKorn's words.
// The same rules as queue_tree/user_limits.h, from sums of the version.
//
// Thread: its owner's; built once, then read. The version and the view outlive it.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "answers/queue_view.h"

namespace bayplan::answers {

using LimitNames = std::vector<queue_config::Text> queue_config::LimitConfig::*;  // users or groups

// The limit of the queue that binds the user or group of this name; null: none.
const queue_config::LimitConfig* limit_of(const queue_tree::Queue&, LimitNames, std::string_view name);
// The group for which an application counts; empty: none.
std::string_view group_of(const QueueView&, const read_model::ApplicationFacts&);

inline constexpr std::string_view kQueueQuota = "Not enough queue quota";

class Quota {
public:
    Quota(const read_model::Version&, const QueueView&);

    // Amounts that one application finds.
    struct Left {
        Resources of_user;  // and of its group: the least of all limits on the path
        Resources of_queue;
    };
    Left left(const read_model::ApplicationFacts&) const;
    // Empty: there is room for it.
    static std::string_view lacking(const Left&, const Resources& requests);
    // The same, and before a queue's quota why nobody goes for the ask. Empty: there is room for it.
    std::vector<std::string_view> reasons(const read_model::ApplicationFacts&, const Left&,
                                          const Resources& requests) const;

private:
    using Key = std::tuple<std::string_view, bool, std::string_view>;  // queue, is of a group, name

    // each(key, limit), for limits of the path that bind the application.
    template <typename Each>
    void for_each_limit(const read_model::ApplicationFacts&, Each&& each) const;

    // R-GUARANTEE-4, by sums of the version: it has no nominations.
    bool is_guaranteed(const read_model::ApplicationFacts&, const Resources& requests) const;

    const QueueView& view_;
    bool preempts_;  // the partition's queues say so
    bool any_limits_ = false;
    std::map<Key, Resources> used_;
};

}  // namespace bayplan::answers
