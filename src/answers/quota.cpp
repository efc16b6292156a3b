// See quota.h.
#include "answers/quota.h"

#include <algorithm>

#include "queue_config/characters.h"

namespace bayplan::answers {

using queue_config::LimitConfig;
using read_model::ApplicationFacts;

namespace {

bool names(const std::vector<queue_config::Text>& list, std::string_view name) {
    return std::ranges::find(list, name, &queue_config::Text::text) != list.end();
}

void lower(Resources& least, std::string_view resource, std::int64_t left) {
    const auto [place, is_new] = least.emplace(resource, left);
    place->second = is_new ? left : std::min(place->second, left);
}

std::int64_t amount_of(const Resources& resources, const std::string& name) {
    const auto found = resources.find(name);
    return found == resources.end() ? 0 : found->second;
}

// A resource that is not limited is there without end; what is overdrawn is nothing.
bool fits(const Resources& requests, const Resources& left) {
    return std::ranges::all_of(requests, [&](const auto& one) {
        const auto found = left.find(one.first);
        return found == left.end() || one.second <= std::max<std::int64_t>(found->second, 0);
    });
}

}  // namespace

const LimitConfig* limit_of(const queue_tree::Queue& queue, LimitNames list, std::string_view name) {
    const auto of = [&](std::string_view wanted) -> const LimitConfig* {
        const auto found =
            std::ranges::find_if(queue.limits, [&](const LimitConfig& limit) { return names(limit.*list, wanted); });
        return found == queue.limits.end() ? nullptr : &*found;
    };
    const LimitConfig* const named = of(name);
    return named != nullptr || list == &LimitConfig::groups ? named : of(queue_config::kWildcard);
}

std::string_view group_of(const QueueView& view, const ApplicationFacts& facts) {
    for (std::string_view path = queue_of(facts); !path.empty(); path = QueueView::parent(path)) {
        const QueueNode* const node = view.find(path);
        if (node == nullptr) continue;
        for (const LimitConfig& limit : node->facts->limits) {
            for (const queue_config::Text& group : limit.groups) {
                const bool is_in = std::ranges::find(facts.groups, group.text) != facts.groups.end();
                if (group.text == queue_config::kWildcard || is_in) return group.text;
            }
        }
    }
    return {};
}

template <typename Each>
void Quota::for_each_limit(const ApplicationFacts& facts, Each&& each) const {
    const std::string_view group = group_of(view_, facts);
    for (std::string_view path = queue_of(facts); !path.empty(); path = QueueView::parent(path)) {
        const QueueNode* const node = view_.find(path);
        if (node == nullptr || node->facts->limits.empty()) continue;
        const std::string_view queue = node->facts->path;
        if (const LimitConfig* const of_user = limit_of(*node->facts, &LimitConfig::users, facts.user)) {
            each(Key{queue, false, facts.user}, *of_user);
        }
        const LimitConfig* const of_group =
            group.empty() ? nullptr : limit_of(*node->facts, &LimitConfig::groups, group);
        if (of_group != nullptr) each(Key{queue, true, group}, *of_group);
    }
}

Quota::Quota(const read_model::Version& version, const QueueView& view)
    : view_(view), preempts_(version.partition != nullptr && version.partition->preemption_enabled) {
    view.for_each([&](std::string_view, const QueueNode& queue) { any_limits_ |= !queue.facts->limits.empty(); });
    if (!any_limits_) return;
    version.applications.for_each([&](std::uint32_t id, const read_model::Application& application) {
        const Resources used = sums(version, version.sums(id).used);
        for_each_limit(*application.facts,
                       [&](const Key& key, const LimitConfig&) { queue_config::add_to(used_[key], used); });
    });
}

// Root has no maximum: nodes alone say what there is room for (R-QUEUE-16).
Quota::Left Quota::left(const ApplicationFacts& facts) const {
    Left left;
    for (std::string_view path = queue_of(facts); !path.empty(); path = QueueView::parent(path)) {
        const QueueNode* const node = view_.find(path);
        if (node == nullptr || QueueView::parent(path).empty()) continue;
        for (const auto& [resource, max] : node->max) {
            lower(left.of_queue, resource, max - amount_of(node->allocated, resource));
        }
    }
    if (!any_limits_) return left;
    for_each_limit(facts, [&](const Key& key, const LimitConfig& limit) {
        const auto found = used_.find(key);
        for (const auto& [resource, max] : limit.max_resources.or_none()) {
            lower(left.of_user, resource, max - (found == used_.end() ? 0 : amount_of(found->second, resource)));
        }
    });
    return left;
}

std::string_view Quota::lacking(const Left& left, const Resources& requests) {
    if (!fits(requests, left.of_user)) return "Not enough user quota";
    if (!fits(requests, left.of_queue)) return kQueueQuota;
    return {};
}

// Of each kind the lowest queue that guarantees it counts.
bool Quota::is_guaranteed(const ApplicationFacts& facts, const Resources& requests) const {
    bool any = false;
    for (const auto& [resource, amount] : requests) {
        for (std::string_view path = queue_of(facts); !path.empty(); path = QueueView::parent(path)) {
            const QueueNode* const node = view_.find(path);
            if (node == nullptr || !node->facts->guaranteed.contains(resource)) continue;
            const std::int64_t holds = amount_of(node->allocated, resource) - amount_of(node->preempting, resource);
            if (amount > amount_of(node->facts->guaranteed, resource) - holds) return false;
            any = true;
            break;
        }
    }
    return any;
}

// An ask that is not guaranteed begins no wait (R-GUARANTEE-10), so no search for it is ever made. Of others the version does not
// say how long they have waited.
std::vector<std::string_view> Quota::reasons(const ApplicationFacts& facts, const Left& left,
                                             const Resources& requests) const {
    const std::string_view quota = lacking(left, requests);
    if (quota.empty()) return {};
    if (quota != kQueueQuota || !preempts_ || is_guaranteed(facts, requests)) return {quota};
    return {"Preemption preconditions failed", "Preemption queue guarantees check failed", "Preemption does not help",
            quota};
}

}  // namespace bayplan::answers
