// Placement rules: names, filters, and whether the queues that fixed rules name can be there. YuniKorn finds some of
// these only when it starts, and then places nothing: here they are faults of the file.
//
// Thread: any.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/checks.h"
#include "queue_config/expression.h"
#include "queue_config/placement_rules.h"

namespace bayplan::queue_config {
namespace {

constexpr std::array<std::string_view, 4> kRuleNames = {"provided", "user", "fixed", "tag"};

void check_filter_list(const std::vector<Text>& names, bool (*is_name)(std::string_view), const std::string& title,
                       FaultList& faults) {
    if (names.size() != 1 || (is_name(names[0].text) && !is_expression(names[0].text))) return;
    std::string why = "has no sign of an expression";
    if (is_expression(names[0].text) && Expression::compile(names[0].text, why)) return;
    faults.add(
        names[0].position,
        fmt::format("'{}' in the filter of {} is neither a name nor an expression: it {}", names[0].text, title, why),
        "give a name, several names, or one regular expression");
}

void check_filter(const FilterConfig& filter, const std::string& title, FaultList& faults) {
    const std::string type = lower_case(filter.type.text);
    if (!type.empty() && type != "allow" && type != "deny") {
        faults.add(filter.type.position, fmt::format("the filter of {} has type '{}'", title, filter.type.text),
                   "give allow or deny");
    }
    check_filter_list(filter.users, is_user_name, title + " (users)", faults);
    check_filter_list(filter.groups, is_group_name, title + " (groups)", faults);
}

void check_fixed_value(const PlacementRuleConfig& rule, const std::string& title, FaultList& faults) {
    const std::string value = lower_case(rule.value.text);
    const Position place = rule.value.text.empty() ? rule.position : rule.value.position;
    const bool qualified = is_qualified(value);
    if (value.empty()) {
        faults.add(place, title + " has no value", "give the queue");
    } else if (!qualified && value.starts_with(kRootName)) {
        faults.add(place, fmt::format("'{}' of {} starts with 'root', and is not below root", rule.value.text, title),
                   "write root. and the rest");
    } else if (qualified && !rule.parent.empty()) {
        faults.add(place, fmt::format("{} has the whole path '{}' and a parent rule", title, rule.value.text),
                   "remove one of them");
    } else if (!std::ranges::all_of(parts_of(value), is_queue_name)) {
        faults.add(place, fmt::format("'{}' of {} is no path of queues", rule.value.text, title),
                   "give names with dots between them");
    }
}

void check_rule(const PlacementRuleConfig& rule, const std::string& title, FaultList& faults) {
    const std::string name = lower_case(rule.name.text);
    if (!is_identifier(name)) {
        faults.add(rule.name.position, fmt::format("'{}' of {} is no name of a rule", rule.name.text, title),
                   "known are provided, user, fixed, tag");
    } else if (std::ranges::find(kRuleNames, name) == kRuleNames.end()) {
        const std::string_view near = config::nearest_name(name, kRuleNames);
        faults.add(rule.name.position,
                   fmt::format("{} is '{}', which is no rule that a file may have", title, rule.name.text),
                   near.empty() ? "known are provided, user, fixed, tag" : fmt::format("did you mean '{}'?", near));
    } else if (name == "fixed") {
        check_fixed_value(rule, title, faults);
    } else if (name == "tag" && rule.value.text.empty()) {
        faults.add(rule.position, title + " has no value", "name the tag");
    }
    check_filter(rule.filter, title, faults);
    if (!rule.parent.empty()) check_rule(rule.parent[0], "the parent of " + title, faults);
}

// The queues at the front of a chain of rules that are known from the file alone, below root.
struct FixedPath {
    std::vector<std::string> names;
    bool goes_on = false;  // with a rule that depends on the application
};

FixedPath fixed_path(const PlacementRuleConfig& rule) {
    FixedPath path;
    if (!rule.parent.empty()) path = fixed_path(rule.parent[0]);
    if (path.goes_on || lower_case(rule.name.text) != "fixed") {
        path.goes_on = true;
        return path;
    }
    const std::string value = lower_case(rule.value.text);
    std::vector<std::string> names = parts_of(value);
    names.erase(names.begin(), names.begin() + (is_qualified(value) ? 1 : 0));
    path.names.insert(path.names.end(), names.begin(), names.end());
    return path;
}

const QueueConfig* find_child(const QueueConfig& queue, const std::string& name) {
    if (!queue.queues) return nullptr;
    const auto found = std::ranges::find_if(
        *queue.queues, [&](const QueueConfig& child) { return lower_case(child.name.text) == name; });
    return found == queue.queues->end() ? nullptr : &*found;
}

void check_path(const PlacementRuleConfig& rule, const QueueConfig& root, const std::string& title, FaultList& faults) {
    const FixedPath path = fixed_path(rule);
    if (path.goes_on && path.names.empty()) return;
    const QueueConfig* queue = &root;
    std::string text(kRootName);
    for (const std::string& name : path.names) {
        if (!queue->is_parent()) {
            faults.add(rule.position, fmt::format("{} names a queue below {}, which is a leaf", title, text),
                       "name a parent, or the leaf itself");
            return;
        }
        text += "." + name;
        queue = find_child(*queue, name);
        if (queue == nullptr) {
            if (!rule.create) {
                faults.add(rule.position, fmt::format("{} names queue {}, which does not exist", title, text),
                           "add the queue, or say create: true");
            }
            return;
        }
    }
    if (queue->is_parent() != path.goes_on) {
        faults.add(rule.position,
                   fmt::format("{} leads to queue {}, which is {}", title, text,
                               path.goes_on ? "a leaf and can have no queue below" : "no leaf"),
                   path.goes_on ? "name a parent" : "name a leaf");
    }
}

}  // namespace

void check_placement_rules(const PartitionConfig& partition, FaultList& faults) {
    for (std::size_t at = 0; at < partition.placement_rules.size(); ++at) {
        const PlacementRuleConfig& rule = partition.placement_rules[at];
        const std::string title =
            fmt::format("placement rule {} ({}) of partition {}", at, rule.name.text, partition.name.text);
        const std::size_t before = faults.all().size();
        check_rule(rule, title, faults);
        // The path of a faulty rule means nothing.
        if (faults.all().size() == before) check_path(rule, partition.root(), title, faults);
    }
}

}  // namespace bayplan::queue_config
