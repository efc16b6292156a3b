// Rules one after the other; what each makes of an application.
//
// Thread: the engine's.
#include "queue_tree/placement.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/placement_rules.h"

namespace bayplan::queue_tree {

using queue_config::kRecoveryName;
using queue_config::kRootName;
using queue_config::lower_case;

namespace {

const std::string kRecoveryPath = fmt::format("{}.{}", kRootName, kRecoveryName);
const std::string kDefaultPath = fmt::format("{}.default", kRootName);
constexpr std::string_view kForceTag = "application.create.force";
constexpr std::string_view kNobody = "nobody";

bool names_recovery(std::string_view path) {
    return path.starts_with(kRecoveryPath) &&
           (path.size() == kRecoveryPath.size() || path[kRecoveryPath.size()] == '.');
}

// Tags are found in any case; of several matches the first by name.
std::string_view tag_of(const Tags& tags, std::string_view name) {
    const auto exact = tags.find(std::string(name));
    if (exact != tags.end()) return exact->second;
    const std::string wanted = lower_case(name);
    for (const auto& [tag, value] : tags) {
        if (lower_case(tag) == wanted) return value;
    }
    return {};
}

bool is_forced(const Submission& submission) {
    return submission.forced || (submission.may_force && says_forced(submission.tags));
}

std::string without_dots(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == '.') {
            text += "_dot_";
        } else {
            text += c;
        }
    }
    return text;
}

Placed refused(Refusal refusal, std::string why) { return {kNoQueue, {}, refusal, std::move(why)}; }

// Number of names in a path below another that it begins with.
std::uint64_t parts_after(std::string_view path, std::string_view above) {
    return static_cast<std::uint64_t>(std::ranges::count(path.substr(above.size()), '.'));
}

bool is_whole_path(std::string_view name) { return name.starts_with("root."); }

}  // namespace

// Result of a rule: a path, nothing (the next rule), or a refusal for good.
struct PlacementRules::Path {
    std::string path;
    Refusal refusal = Refusal::none;
    std::string why;
};

PlacementRules::PlacementRules(const std::vector<queue_config::PlacementRuleConfig>& rules) {
    for (const queue_config::PlacementRuleConfig& rule : rules) rules_.push_back(compile(rule));
    if (rules_.empty()) rules_.emplace_back();  // provided, and nothing is made
}

PlacementRules::Compiled PlacementRules::compile(const queue_config::PlacementRuleConfig& config) {
    Compiled compiled;
    const std::string name = lower_case(config.name.text);
    compiled.rule = name == "user"    ? Rule::user
                    : name == "fixed" ? Rule::fixed
                    : name == "tag"   ? Rule::tag
                                      : Rule::provided;
    compiled.create = config.create;
    compiled.value = lower_case(config.value.text);
    compiled.filter = compile(config.filter);
    if (!config.parent.empty()) compiled.parent = std::make_unique<Compiled>(compile(config.parent[0]));
    return compiled;
}

PlacementRules::Filter PlacementRules::compile(const queue_config::FilterConfig& config) {
    Filter filter;
    filter.allow = lower_case(config.type.text) != "deny";
    filter.empty = config.users.empty() && config.groups.empty();
    const auto compile_list = [](const std::vector<queue_config::Text>& names, bool (*is_name)(std::string_view),
                                 std::vector<std::string>& list, std::optional<queue_config::Expression>& expression) {
        std::string why;
        if (names.size() == 1 && queue_config::is_expression(names[0].text)) {
            expression = queue_config::Expression::compile(names[0].text, why);
            return;
        }
        for (const queue_config::Text& name : names) {
            if (is_name(name.text)) list.push_back(name.text);
        }
    };
    compile_list(config.users, queue_config::is_user_name, filter.users, filter.user_expression);
    compile_list(config.groups, queue_config::is_group_name, filter.groups, filter.group_expression);
    return filter;
}

bool PlacementRules::Filter::lets_pass(const User& user) const {
    if (empty) return allow;
    const auto is_among = [](const std::vector<std::string>& list, const std::string& name) {
        return std::ranges::find(list, name) != list.end();
    };
    if (is_among(users, user.name) || (user_expression && user_expression->matches(user.name))) return allow;
    const bool by_group = std::ranges::any_of(user.groups, [&](const std::string& group) {
        return is_among(groups, group) || (group_expression && group_expression->matches(group));
    });
    return by_group ? allow : !allow;
}

PlacementRules::Path PlacementRules::path_of(const Compiled& rule, const Submission& submission, const User& user,
                                             const QueueTable& queues) {
    if (!rule.filter.lets_pass(user)) return {};
    std::string name;
    switch (rule.rule) {
        case Rule::provided: name = submission.queue; break;
        case Rule::user: name = without_dots(user.name); break;
        case Rule::fixed: name = rule.value; break;
        case Rule::tag: name = tag_of(submission.tags, rule.value); break;
    }
    if (name.empty()) return {};
    const bool fixed = rule.rule == Rule::fixed;
    const bool whole = rule.rule != Rule::user && is_whole_path(name);
    if (!whole && !fixed) name = without_dots(name);
    for (const std::string& part : queue_config::parts_of(name)) {
        if (!queue_config::is_queue_name(part)) {
            return {{}, Refusal::bad_queue_name, fmt::format("'{}' is no name of a queue", part)};
        }
    }
    if (!whole) {
        std::string parent(kRootName);
        if (rule.parent != nullptr) {
            const Path above = path_of(*rule.parent, submission, user, queues);
            if (above.path.empty()) return above;
            const QueueId there = queues.find(above.path);
            if (there != kNoQueue && queues[there].leaf) {
                return {
                    {}, Refusal::parent_is_leaf, fmt::format("the parent rule gave {}, which is a leaf", above.path)};
            }
            parent = above.path;
        }
        name = fmt::format("{}.{}", parent, name);
    }
    name = lower_case(name);
    if (!rule.create && queues.find(name) == kNoQueue) return {};
    return {std::move(name), Refusal::none, {}};
}

Placed PlacementRules::choose(const Submission& submission, const User& user, bool forced, QueueTable& queues) const {
    const auto accepts = [&](const std::string& path) {
        const QueueId lowest = queues.find_lowest(path);
        if (lowest == kNoQueue || (!forced && names_recovery(path))) return false;
        const Queue& queue = queues[lowest];
        const bool whole = queue.path == path;
        if (whole && !queue.leaf) return false;
        // Below a draining parent nothing is made; a leaf that stands in the way is a refusal of its own.
        if (queue.status == QueueStatus::draining && (whole || !queue.leaf)) return false;
        return (forced && path == kRecoveryPath) || queues.may_submit(lowest, user);
    };
    std::string path;
    for (const Compiled& rule : rules_) {
        Path found = path_of(rule, submission, user, queues);
        if (found.refusal != Refusal::none) return refused(found.refusal, std::move(found.why));
        if (!found.path.empty() && accepts(found.path)) {
            path = std::move(found.path);
            break;
        }
    }
    if (path.empty() && forced) path = kRecoveryPath;
    if (path.empty() && queues.find(kDefaultPath) != kNoQueue && accepts(kDefaultPath)) path = kDefaultPath;
    if (path.empty()) return refused(Refusal::no_rule, "no placement rule matched");
    Placed placed{queues.find(path), user, Refusal::none, {}};
    if (placed.queue == kNoQueue) {
        const QueueId above = queues.find_lowest(path);
        const std::uint64_t more = parts_after(path, queues[above].path);
        if (!queues[above].leaf && queues.made_for(submission.maker) + more > submission.queues_max) {
            return refused(Refusal::too_many_queues, fmt::format("more than {} queues made", submission.queues_max));
        }
        placed.queue = queues.create_dynamic(path, placed.why, submission.maker);
        if (placed.queue == kNoQueue) placed.refusal = Refusal::above_is_leaf;
    }
    return placed;
}

bool says_forced(const Tags& tags) {
    constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
    return std::ranges::find(kTrue, tag_of(tags, kForceTag)) != kTrue.end();
}

Placed PlacementRules::place(const Submission& submission, QueueTable& queues) const {
    const bool forced = is_forced(submission);
    User user = submission.user.value_or(User());
    if (user.name.empty()) {
        if (!forced) return refused(Refusal::no_user, "the application has no user");
        user = {std::string(kNobody), {std::string(kNobody)}};
    }
    if (!queue_config::is_user_name(user.name)) {
        return refused(Refusal::bad_user_name, fmt::format("'{}' is no name of a user", user.name));
    }
    if (user.groups.empty()) user.groups = {user.name};
    Placed placed = choose(submission, user, forced, queues);
    if (placed.refusal != Refusal::none) return placed;
    if (!submission.placeholder_ask.empty()) {
        if (queues[placed.queue].settings.sort_policy != SortPolicy::fifo) {
            return refused(Refusal::sort_policy, fmt::format("queue {} sorts by shares, which gangs cannot be in",
                                                             queues[placed.queue].path));
        }
        for (QueueId id = placed.queue; id != kNoQueue; id = queues[id].parent) {
            if (!queue_config::fits_in(submission.placeholder_ask, queues[id].max, queue_config::Missing::unlimited)) {
                return refused(Refusal::gang_too_large,
                               fmt::format("the gang asks for {}, more than max {} of queue {}",
                                           queue_config::to_text(submission.placeholder_ask),
                                           queue_config::to_text(queues[id].max), queues[id].path));
            }
        }
    }
    placed.guarantee_changed = apply_quota_tags(submission.tags, placed.queue, queues);
    return placed;
}

}  // namespace bayplan::queue_tree
