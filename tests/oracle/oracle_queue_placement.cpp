// Which queue an application goes to: rules one after the other, access, queues that rules make, quotas of namespaces.
// rules/queues.md.
//
// Thread and errors: see oracle.h.
#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "oracle_queues.h"

namespace bayplan::oracle {

namespace {

using queue_config::PlacementRuleConfig;
using queue_config::QueueConfig;
using queue_config::Resources;
using StatedTags = std::map<std::string, std::string>;

const std::string kRecovery = "root.@recovery@";

std::string small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// As one name of a queue.
std::string one_name(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '.' ? "_dot_" : std::string(1, c);
    }
    return out;
}

std::string path_above(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string value_of_tag(const StatedTags& tags, const std::string& wanted) {
    if (tags.contains(wanted)) {
        return tags.at(wanted);
    }
    for (const auto& [key, value] : tags) {
        if (small_letters(key) == wanted) {
            return value;
        }
    }
    return "";
}

bool says_forced(const StatedTags& tags) {
    return std::set<std::string>{"1", "t", "T", "TRUE", "true", "True"}.contains(
        value_of_tag(tags, "application.create.force"));
}

bool is_named(const std::vector<queue_config::Text>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const queue_config::Text& one) { return one.text == name; });
}

// Histories have no patterns in filters.
bool passes(const queue_config::FilterConfig& filter, const std::string& user, const std::vector<std::string>& groups) {
    const bool any = !filter.users.empty() || !filter.groups.empty();
    const bool named = is_named(filter.users, user) ||
                       std::any_of(groups.begin(), groups.end(),
                                   [&](const std::string& group) { return is_named(filter.groups, group); });
    return (small_letters(filter.type.text) != "deny") == (named || !any);
}

// "users groups", each with commas.
bool allows(const std::string& list, const std::string& user, const std::vector<std::string>& groups) {
    const std::size_t blank = std::min(list.find(' '), list.size());
    const auto has = [](const std::string& part, const std::string& name) {
        std::istringstream in(part);
        for (std::string one; std::getline(in, one, ',');) {
            if (one == name) {
                return true;
            }
        }
        return false;
    };
    const std::string users = list.substr(0, blank);
    const std::string of_groups = blank < list.size() ? list.substr(blank + 1) : "";
    return users == "*" || of_groups == "*" || has(users, user) ||
           std::any_of(groups.begin(), groups.end(), [&](const std::string& group) { return has(of_groups, group); });
}

// R-QUEUE-34; none: it is not stated.
std::optional<Resources> quota_of(const StatedTags& tags, const std::string& tag) {
    using simdjson::dom::element;
    simdjson::dom::parser parser;
    element root;
    simdjson::dom::object amounts;
    if (!tags.contains(tag) || parser.parse(tags.at(tag)).get(root) != simdjson::SUCCESS ||
        root["resources"].get(amounts) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    Resources out;
    for (const auto& [name, given] : amounts) {
        std::int64_t value = 0;
        element stated;
        if (given["value"].get(stated) == simdjson::SUCCESS && stated.get(value) != simdjson::SUCCESS) {
            return std::nullopt;
        }
        if (value < 0) {
            return std::nullopt;
        }
        out[std::string(name)] = value;
    }
    const bool any = std::any_of(out.begin(), out.end(), [](const auto& one) { return one.second > 0; });
    return any ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string OracleQueues::path_of(const PlacementRuleConfig& rule, const Stated& stated, std::string& fault) const {
    const std::string kind = small_letters(rule.name.text);
    if (!passes(rule.filter, stated.user, stated.groups)) {
        saw("a filter keeps a rule from an application");
        return "";
    }
    std::string name = kind == "user"    ? one_name(stated.user)
                       : kind == "fixed" ? rule.value.text
                       : kind == "tag"   ? value_of_tag(stated.tags, small_letters(rule.value.text))
                                         : stated.queue;
    if (name.empty()) {
        return "";
    }
    const bool whole = kind != "user" && name.starts_with("root.");
    if (!whole) {
        name = kind == "fixed" ? name : one_name(name);
        std::string parent = "root";
        if (!rule.parent.empty()) {
            parent = path_of(rule.parent[0], stated, fault);
            if (parent.empty()) {
                return "";
            }
            if (standing_.contains(parent) && standing_.at(parent).leaf) {
                fault = "the parent rule gave " + parent + ", which is a leaf";
                return "";
            }
        }
        name = parent + "." + name;
    }
    name = small_letters(name);
    return rule.create || standing_.contains(name) ? name : "";
}

std::string OracleQueues::lowest(std::string path) const {
    while (!path.empty() && !standing_.contains(path)) {
        path = path_above(path);
    }
    return path;
}

bool OracleQueues::may_submit(std::string path, const Stated& stated) const {
    for (; !path.empty(); path = path_above(path)) {
        const QueueConfig& config = tree.queues.at(path).config;
        if (allows(config.submit_acl.text, stated.user, stated.groups) ||
            allows(config.admin_acl.text, stated.user, stated.groups)) {
            return true;
        }
    }
    saw("an application may not go to a queue");
    return false;
}

bool OracleQueues::accepts(const std::string& path, const Stated& stated, bool forced) const {
    const std::string there = lowest(path);
    if (there.empty() || (!forced && (path == kRecovery || path.starts_with(kRecovery + ".")))) {
        return false;
    }
    const Standing& standing = standing_.at(there);
    const bool open = there == path ? standing.leaf && !standing.draining : standing.leaf || !standing.draining;
    return open && ((forced && path == kRecovery) || may_submit(there, stated));
}

bool OracleQueues::may_make(const std::string& path, const std::string& maker, std::uint64_t most) const {
    std::uint64_t made = 0;
    for (const auto& [there, standing] : standing_) {
        made += standing.maker == maker;
    }
    for (std::string missing = path; !standing_.contains(missing); missing = path_above(missing)) {
        ++made;
    }
    return made <= most;
}

void OracleQueues::make(const std::string& path, const std::string& maker) {
    if (standing_.contains(path)) {
        return;
    }
    make(path_above(path), maker);
    tree.queues[path].parent = path_above(path);
    standing_[path].child_template = standing_.at(path_above(path)).child_template;
    standing_[path].maker = maker;
}

std::string OracleQueues::make_leaf(const std::string& path, const std::string& maker, std::uint64_t most) {
    const std::string there = lowest(path);
    if (standing_.at(there).leaf) {
        return "queue " + path + " cannot be made below " + there + ", which is a leaf";
    }
    if (!may_make(path, maker, most)) {
        return "more than " + std::to_string(most) + " queues made";
    }
    make(path, maker);
    Standing& made = standing_.at(path);
    made.leaf = true;
    if (made.child_template && path != kRecovery) {
        QueueConfig& config = tree.queues.at(path).config;
        config.properties = made.child_template->properties;
        config.resources = made.child_template->resources;
        config.max_applications = made.child_template->max_applications;
    }
    return "";
}

// Which queue; or the fault.
std::string OracleQueues::choose(const Stated& stated, bool forced, std::string& path) const {
    for (const PlacementRuleConfig& rule : rules_) {
        std::string fault;
        const std::string found = path_of(rule, stated, fault);
        if (!fault.empty()) {
            return fault;
        }
        if (!found.empty() && accepts(found, stated, forced)) {
            if (small_letters(rule.name.text) == "tag") {
                saw("an application goes where its tag says");
            }
            path = found;
            return "";
        }
    }
    if (forced) {
        saw("a forced application goes to the recovery queue");
        path = kRecovery;
    } else if (standing_.contains("root.default") && accepts("root.default", stated, false)) {
        path = "root.default";
    }
    return path.empty() ? "no placement rule matched" : "";
}

void OracleQueues::take_quota(const std::string& path, const StatedTags& tags) {
    if (standing_.at(path).managed) {
        return;
    }
    QueueConfig& config = tree.queues.at(path).config;
    const std::optional<Resources> max = quota_of(tags, "namespace.resourcequota");
    const std::optional<Resources> guaranteed = quota_of(tags, "namespace.resourceguaranteed");
    if (max || guaranteed) {
        if (config.resources.guaranteed.or_none() != guaranteed.value_or(Resources())) {
            saw("tags change what a queue is guaranteed");
            guarantee_changed = true;
        }
        config.resources.max.amounts = max;
        config.resources.guaranteed.amounts = guaranteed;
    }
    const std::string count = tags.contains("namespace.resourcemaxapps") ? tags.at("namespace.resourcemaxapps") : "";
    if (!count.empty() && std::all_of(count.begin(), count.end(), [](unsigned char c) { return std::isdigit(c); })) {
        config.max_applications = std::stoull(count);
    }
}

std::string OracleQueues::add_application(const ApplicationName& name, const Stated& stated, std::uint64_t made_max) {
    std::string fault = loaded_ ? place(name, stated, made_max) : "no queues are configured yet";
    if (!fault.empty() && !stated.may_force && says_forced(stated.tags)) {
        saw("an application is not forced, as its shim may not");
        fault += "; its shim may not force it";
    }
    return fault;
}

std::string OracleQueues::place(const ApplicationName& name, Stated stated, std::uint64_t made_max) {
    const bool forced = stated.may_force && says_forced(stated.tags);
    if (stated.user.empty()) {
        if (!forced) {
            return "the application has no user";
        }
        stated.user = "nobody";
        stated.groups.clear();
    }
    if (stated.groups.empty()) {
        stated.groups = {stated.user};
    }
    std::string path;
    std::string fault = choose(stated, forced, path);
    if (fault.empty() && !standing_.contains(path)) {
        fault = make_leaf(path, name.first, made_max);
    }
    if (fault.empty()) {
        fault = gang_fault(path, stated.placeholder_ask);
    }
    if (!fault.empty()) {
        return fault;
    }
    take_quota(path, stated.tags);
    QueuedApplication& application = applications[name] = {};
    application.leaf = path;
    application.user = stated.user;
    application.groups = stated.groups;
    application.number = ++last_number_;
    application.placeholder_ask = stated.placeholder_ask;
    return "";
}

}  // namespace bayplan::oracle
