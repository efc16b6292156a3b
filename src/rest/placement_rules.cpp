// See placement_rules.h.
#include "rest/placement_rules.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "queue_config/characters.h"
#include "queue_config/placement_rules.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;
using namespace queue_config;

const char* word(bool flag) { return flag ? "true" : "false"; }

void add_names(json::object& object, const std::vector<Text>& names, const char* list, const char* expression) {
    if (names.empty()) return;
    if (names.size() == 1 && is_expression(names[0].text)) {
        object[expression] = names[0].text;
        return;
    }
    json::array array;
    for (const Text& name : names) array.emplace_back(name.text);
    object[list] = std::move(array);
}

json::object parameters_of(const std::string& name, const PlacementRuleConfig& rule) {
    json::object parameters{{"create", word(rule.create)}};
    const std::string value = lower_case(rule.value.text);
    if (name == "fixed") {
        parameters["queue"] = value;
        parameters["qualified"] = word(is_qualified(value));
    }
    if (name == "tag") parameters["tagName"] = value;
    return parameters;
}

json::object rule_object(const PlacementRuleConfig& rule) {
    const std::string name = lower_case(rule.name.text);
    json::object object{{"name", name}, {"parameters", parameters_of(name, rule)}};
    if (!rule.filter.users.empty() || !rule.filter.groups.empty()) {
        json::object filter{{"type", lower_case(rule.filter.type.text) == "deny" ? "deny" : "allow"}};
        add_names(filter, rule.filter.users, "userList", "userExp");
        add_names(filter, rule.filter.groups, "groupList", "groupExp");
        object["filter"] = std::move(filter);
    }
    for (const PlacementRuleConfig& parent : rule.parent) object["parentRule"] = rule_object(parent);
    return object;
}

}  // namespace

json::array placement_rules(const PartitionConfig& partition) {
    json::array rules;
    for (const PlacementRuleConfig& rule : partition.placement_rules) rules.push_back(rule_object(rule));
    if (rules.empty()) {  // an application says its queue
        PlacementRuleConfig provided;
        provided.name.text = "provided";
        rules.push_back(rule_object(provided));
    }
    const std::string recovery = std::string(kRootName) + "." + std::string(kRecoveryName);
    rules.push_back(json::object{{"name", "recovery"}, {"parameters", json::object{{"queue", recovery}}}});
    return rules;
}

}  // namespace bayplan::rest
