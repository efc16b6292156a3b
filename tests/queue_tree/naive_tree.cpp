// The rules read literally: sums over all asks, sorts of all queues and applications, for every question.
#include "naive_tree.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace bayplan::queue_tree {

using queue_config::LimitConfig;
using queue_config::Resources;

namespace {

std::string property(const queue_config::QueueConfig& queue, const char* name) {
    const auto found = queue.properties.find(name);
    return found == queue.properties.end() ? "" : found->second;
}

bool names(const std::vector<queue_config::Text>& list, const std::string& name) {
    return std::ranges::any_of(list, [&](const queue_config::Text& text) { return text.text == name; });
}

bool is_inside(const Resources& used, const Resources& ask, const std::optional<Resources>& max, bool missing_is_zero) {
    return std::ranges::all_of(ask, [&](const auto& part) {
        if (part.second == 0) return true;
        if (!max || !max->contains(part.first)) return !missing_is_zero;
        const auto has = used.find(part.first);
        return (has == used.end() ? 0 : has->second) + part.second <= max->at(part.first);
    });
}

double part_of(std::int64_t has, std::int64_t measure) {
    return measure == 0 ? 1.0 : static_cast<double>(has) / static_cast<double>(measure);
}

}  // namespace

std::vector<std::string> NaiveTree::path_of(std::string leaf) const {
    std::vector<std::string> path;
    for (; !leaf.empty(); leaf = queues.at(leaf).parent) path.push_back(leaf);
    return path;
}

Resources NaiveTree::sum(const std::string& path, bool charged) const {
    Resources all;
    for (const NaiveAsk& ask : asks) {
        if (!ask.exists || ask.charged != charged) continue;
        if (!is_below(applications[static_cast<std::size_t>(ask.application)].leaf, path)) continue;
        for (const auto& [name, value] : ask.resources) all[name] += value;
    }
    std::erase_if(all, [](const auto& part) { return part.second == 0; });
    return all;
}

Resources NaiveTree::measure(const std::string& path) const {
    Resources measure = total;
    std::vector<std::string> way = path_of(path);
    for (const std::string& at : std::vector<std::string>(way.rbegin() + 1, way.rend())) {
        for (const auto& [name, value] : queues.at(at).config.resources.max.or_none()) measure[name] = value;
    }
    for (const auto& [name, value] : queues.at(path).config.resources.guaranteed.or_none()) measure[name] = value;
    return measure;
}

double NaiveTree::share(const std::string& path) const {
    double largest = 0;
    const Resources parts = measure(path);
    for (const auto& [name, value] : allocated(path)) {
        const auto found = parts.find(name);
        if (found != parts.end()) largest = std::max(largest, part_of(value, found->second));
    }
    return largest;
}

std::vector<double> NaiveTree::shares(int application) const {
    const Resources parts = measure(applications[static_cast<std::size_t>(application)].leaf);
    Resources has;
    for (const NaiveAsk& ask : asks) {
        if (!ask.exists || !ask.charged || ask.application != application) continue;
        for (const auto& [name, value] : ask.resources) has[name] += value;
    }
    std::vector<double> all(resources.size(), 0.0);
    std::size_t at = 0;
    for (const auto& [name, value] : has) {
        const auto found = parts.find(name);
        if (found != parts.end() && value > 0) all.at(at++) = part_of(value, found->second);
    }
    std::ranges::sort(all, std::greater());
    return all;
}

std::optional<int> NaiveTree::application_priority(int application) const {
    std::optional<int> highest;
    for (const NaiveAsk& ask : asks) {
        if (!ask.exists || ask.charged || ask.application != application) continue;
        highest = std::max(highest.value_or(ask.priority), ask.priority);
    }
    return highest;
}

std::optional<int> NaiveTree::priority(const std::string& path) const {
    std::optional<int> highest;
    const auto raise = [&](std::optional<int> other) {
        if (other) highest = std::max(highest.value_or(*other), *other);
    };
    for (int at = 0; at < static_cast<int>(applications.size()); ++at) {
        const NaiveApplication& application = applications[static_cast<std::size_t>(at)];
        if (application.exists && application.leaf == path) raise(application_priority(at));
    }
    for (const auto& [child, queue] : queues) {
        if (queue.parent == path) raise(priority(child));
    }
    if (!highest) return highest;
    const queue_config::QueueConfig& config = queues.at(path).config;
    const std::string offset = property(config, "priority.offset");
    const std::int64_t own = property(config, "priority.policy") == "fence" ? 0 : *highest;
    return static_cast<int>(
        std::clamp<std::int64_t>(own + (offset.empty() ? 0 : std::stoi(offset)), -2147483647, 2147483647));
}

int NaiveTree::running(const std::string& path) const {
    return static_cast<int>(std::ranges::count_if(applications, [&](const NaiveApplication& application) {
        return application.exists && application.running && is_below(application.leaf, path);
    }));
}

long NaiveTree::submission_time(int application) const {
    long oldest = applications[static_cast<std::size_t>(application)].oldest;
    for (const NaiveAsk& ask : asks) {
        if (ask.application == application) oldest = std::min(oldest, ask.created);
    }
    return oldest;
}

std::string NaiveTree::group(int application) const {
    const NaiveApplication& who = applications[static_cast<std::size_t>(application)];
    for (const std::string& path : path_of(who.leaf)) {
        for (const LimitConfig& limit : queues.at(path).config.limits) {
            for (const queue_config::Text& name : limit.groups) {
                if (name.text == "*" || std::ranges::find(who.groups, name.text) != who.groups.end()) return name.text;
            }
        }
    }
    return "";
}

namespace {

const LimitConfig* limit_of(const std::vector<LimitConfig>& limits, std::vector<queue_config::Text> LimitConfig::*list,
                            const std::string& name) {
    const auto found = std::ranges::find_if(limits, [&](const LimitConfig& limit) { return names(limit.*list, name); });
    return found == limits.end() ? nullptr : &*found;
}

const LimitConfig* user_limit(const std::vector<LimitConfig>& limits, const std::string& user) {
    const LimitConfig* const named = limit_of(limits, &LimitConfig::users, user);
    return named != nullptr ? named : limit_of(limits, &LimitConfig::users, "*");
}

}  // namespace

bool NaiveTree::may_run(int application) const {
    const NaiveApplication& who = applications[static_cast<std::size_t>(application)];
    if (who.running) return true;
    for (const std::string& path : path_of(who.leaf)) {
        const queue_config::QueueConfig& config = queues.at(path).config;
        if (config.max_applications != 0 && running(path) >= static_cast<int>(config.max_applications)) return false;
        const auto count = [&](const auto& is_counted) {
            int running_there = 0;
            for (int at = 0; at < static_cast<int>(applications.size()); ++at) {
                const NaiveApplication& other = applications[static_cast<std::size_t>(at)];
                if (other.exists && other.running && is_below(other.leaf, path) && is_counted(at)) ++running_there;
            }
            return running_there;
        };
        const LimitConfig* const of_user = user_limit(config.limits, who.user);
        if (of_user != nullptr && of_user->max_applications != 0 &&
            count([&](int at) { return applications[static_cast<std::size_t>(at)].user == who.user; }) >=
                static_cast<int>(of_user->max_applications)) {
            return false;
        }
        const std::string group_name = group(application);
        const LimitConfig* const of_group = limit_of(config.limits, &LimitConfig::groups, group_name);
        if (of_group != nullptr && of_group->max_applications != 0 &&
            count([&](int at) { return group(at) == group_name; }) >= static_cast<int>(of_group->max_applications)) {
            return false;
        }
    }
    return true;
}

// With all that are taken together with it.
Resources NaiveTree::wanted(const NaiveAsk& ask) const {
    if (ask.element == 0) return ask.resources;
    Resources all;
    for (const NaiveAsk& other : asks) {
        if (!other.exists || other.element != ask.element) continue;
        for (const auto& [name, value] : other.resources) all[name] += value;
    }
    return all;
}

bool NaiveTree::is_first(const NaiveAsk& ask) const {
    return ask.element == 0 || std::ranges::none_of(asks, [&](const NaiveAsk& other) {
               return other.exists && other.element == ask.element && other.position < ask.position;
           });
}

bool NaiveTree::fits(const NaiveAsk& ask) const {
    const Resources wants = wanted(ask);
    const NaiveApplication& who = applications[static_cast<std::size_t>(ask.application)];
    const auto used = [&](const std::string& path, const auto& is_counted) {
        Resources all;
        for (const NaiveAsk& other : asks) {
            if (!other.exists || !other.charged || !is_counted(other.application)) continue;
            if (!is_below(applications[static_cast<std::size_t>(other.application)].leaf, path)) continue;
            for (const auto& [name, value] : other.resources) all[name] += value;
        }
        return all;
    };
    const std::string group_name = group(ask.application);
    for (const std::string& path : path_of(who.leaf)) {
        const queue_config::QueueConfig& config = queues.at(path).config;
        const bool root = queues.at(path).parent.empty();
        const bool limited = !root || usable.has_value();
        const std::optional<Resources>& max = root ? usable : config.resources.max.amounts;
        if (limited && !is_inside(allocated(path), wants, max, root)) return false;
        const LimitConfig* const of_user = user_limit(config.limits, who.user);
        if (of_user != nullptr) {
            const Resources has =
                used(path, [&](int at) { return applications[static_cast<std::size_t>(at)].user == who.user; });
            if (!is_inside(has, wants, of_user->max_resources.amounts, false)) return false;
        }
        const LimitConfig* const of_group = limit_of(config.limits, &LimitConfig::groups, group_name);
        if (of_group != nullptr) {
            const Resources has = used(path, [&](int at) { return group(at) == group_name; });
            if (!is_inside(has, wants, of_group->max_resources.amounts, false)) return false;
        }
    }
    return true;
}

bool NaiveTree::comes_before(const std::string& a, const std::string& b) const {
    const bool priority_first =
        property(queues.at(queues.at(a).parent).config, "application.sort.priority") != "disabled";
    const std::optional<int> priority_a = priority(a);
    const std::optional<int> priority_b = priority(b);
    if (priority_first && priority_a != priority_b) return priority_a > priority_b;
    if (share(a) != share(b)) return share(a) < share(b);
    if (priority_a != priority_b) return priority_a > priority_b;
    const Resources pending_a = pending(a);
    const Resources pending_b = pending(b);
    for (const std::string& name : resources) {
        const auto in_a = pending_a.find(name);
        const auto in_b = pending_b.find(name);
        const std::int64_t value_a = in_a == pending_a.end() ? 0 : in_a->second;
        const std::int64_t value_b = in_b == pending_b.end() ? 0 : in_b->second;
        if (value_a != value_b) return value_a > value_b;
    }
    return a < b;
}

bool NaiveTree::application_before(int a, int b) const {
    const queue_config::QueueConfig& leaf = queues.at(applications[static_cast<std::size_t>(a)].leaf).config;
    const bool priority_first = property(leaf, "application.sort.priority") != "disabled";
    const bool fair = property(leaf, "application.sort.policy") == "fair";
    const std::optional<int> priority_a = application_priority(a);
    const std::optional<int> priority_b = application_priority(b);
    if (priority_first && priority_a != priority_b) return priority_a > priority_b;
    if (fair && shares(a) != shares(b)) return shares(a) < shares(b);
    if (!fair && submission_time(a) != submission_time(b)) return submission_time(a) < submission_time(b);
    if (priority_a != priority_b) return priority_a > priority_b;
    return submission_time(a) != submission_time(b) ? submission_time(a) < submission_time(b) : a < b;
}

std::optional<std::size_t> NaiveTree::next_of(int application) const {
    if (!applications[static_cast<std::size_t>(application)].allowed || !may_run(application)) return std::nullopt;
    std::optional<std::size_t> best;
    for (std::size_t at = 0; at < asks.size(); ++at) {
        const NaiveAsk& ask = asks[at];
        if (!ask.exists || !ask.inside || ask.application != application || !is_first(ask) || !fits(ask)) continue;
        const auto key = [&](std::size_t of) {
            return std::tuple(-std::int64_t{asks[of].priority}, asks[of].created, asks[of].group, asks[of].number, of);
        };
        if (!best || key(at) < key(*best)) best = at;
    }
    return best;
}

std::optional<std::size_t> NaiveTree::next_below(const std::string& path) const {
    std::vector<std::string> children;
    for (const auto& [child, queue] : queues) {
        if (queue.parent == path) children.push_back(child);
    }
    std::ranges::sort(children, [&](const std::string& a, const std::string& b) { return comes_before(a, b); });
    for (const std::string& child : children) {
        if (const std::optional<std::size_t> found = next_below(child)) return found;
    }
    std::vector<int> own;
    for (int at = 0; at < static_cast<int>(applications.size()); ++at) {
        const NaiveApplication& application = applications[static_cast<std::size_t>(at)];
        if (application.exists && application.leaf == path) own.push_back(at);
    }
    std::ranges::sort(own, [&](int a, int b) { return application_before(a, b); });
    for (const int application : own) {
        if (const std::optional<std::size_t> found = next_of(application)) return found;
    }
    return std::nullopt;
}

bool NaiveTree::has_room(const NaiveAsk& ask) const {
    return applications[static_cast<std::size_t>(ask.application)].allowed && may_run(ask.application) && fits(ask);
}

std::optional<std::size_t> NaiveTree::next() const { return next_below("root"); }

}  // namespace bayplan::queue_tree
