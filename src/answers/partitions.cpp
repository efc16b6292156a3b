// Partitions, clusters, placement rules. See answers.h.

#include <map>

#include <fmt/format.h>

#include "answers/amounts.h"
#include "answers/answers.h"
#include "answers/queue_view.h"
#include "queue_config/placement_rules.h"

namespace bayplan::answers {

using queue_config::PlacementRuleConfig;
using read_model::Pod;
using read_model::Version;

namespace {

void put_capacity(JsonText& json, const Version& version) {
    read_model::AmountList used;
    version.applications.for_each(
        [&](std::uint32_t id, const read_model::Application&) { add(used, version.sums(id).used); });
    const Resources capacity = stated(version, version.capacity());
    const Resources used_by_name = sums(version, used);
    json.name("capacity");
    json.begin_object();
    put_if(json, "capacity", capacity);
    put_if(json, "usedCapacity", used_by_name);
    put_if(json, "utilization", percent(used_by_name, capacity));
    json.end_object();
}

void put_node_sorting(JsonText& json, const queue_config::NodeSortPolicyConfig& policy) {
    json.name("nodeSortingPolicy");
    json.begin_object();
    json.member("type", std::string_view(policy.type.text.empty() ? "fair" : policy.type.text));
    if (!policy.resource_weights.empty()) {
        json.name("resourceWeights");
        json.begin_object();
        for (const auto& [resource, weight] : policy.resource_weights) {
            json.name(resource).value_real(weight);
        }
        json.end_object();
    }
    json.end_object();
}

// Of the applications that there are: completed and rejected ones are not kept.
void put_applications(JsonText& json, const Version& version) {
    std::map<std::string_view, std::int64_t> counts;
    version.applications.for_each([&](std::uint32_t, const read_model::Application& application) {
        const std::string_view state = state_of(application);
        counts["total"] += 1;
        counts[state] += state.empty() ? 0 : 1;
    });
    counts.erase("");
    if (counts.empty()) {
        return;
    }
    json.name("applications");
    json.begin_object();
    for (const auto& [state, count] : counts) {
        json.member(state, count);
    }
    json.end_object();
}

void put_partition(JsonText& json, const Version& version, const Place& place) {
    static const queue_config::PartitionConfig kDefaults;
    const queue_config::PartitionConfig& config = version.partition == nullptr ? kDefaults : *version.partition;
    std::int64_t containers = 0;
    version.applications.for_each(
        [&](std::uint32_t, const read_model::Application& application) { containers += application.placed; });
    json.begin_object();
    json.member("clusterId", std::string_view(place.cluster));
    json.member("name", std::string_view(place.partition));
    put_capacity(json, version);
    put_node_sorting(json, config.node_sort_policy);
    json.member("preemptionEnabled", config.preemption_enabled);
    json.member("quotaPreemptionEnabled", config.quota_preemption_enabled);
    json.member_if("totalNodes", std::int64_t{version.node_count});
    put_applications(json, version);
    json.member_if("totalContainers", containers);
    json.member("state", std::string_view("Active"));  // a partition of ours has no other state
    json.end_object();
}

void put_list(JsonText& json, std::string_view name, const std::vector<queue_config::Text>& list) {
    if (list.empty()) {
        return;
    }
    json.name(name);
    json.begin_array();
    for (const queue_config::Text& one : list) {
        json.value(std::string_view(one.text));
    }
    json.end_array();
}

void put_names(JsonText& json, const std::string& kind, const std::vector<queue_config::Text>& list) {
    if (list.size() == 1 && queue_config::is_expression(list.front().text)) {
        json.member(kind + "Exp", std::string_view(list.front().text));
    } else {
        put_list(json, kind + "List", list);
    }
}

void put_filter(JsonText& json, const queue_config::FilterConfig& filter) {
    if (filter.users.empty() && filter.groups.empty()) {
        return;
    }
    json.name("filter");
    json.begin_object();
    json.member("type", std::string_view(filter.type.text.empty() ? "allow" : filter.type.text));
    put_names(json, "user", filter.users);
    put_names(json, "group", filter.groups);
    json.end_object();
}

void put_rule(JsonText& json, const PlacementRuleConfig& rule) {
    json.begin_object();
    json.member("name", std::string_view(rule.name.text));
    json.name("parameters");
    json.begin_object();
    json.member("create", std::string_view(rule.create ? "true" : "false"));
    if (rule.name.text == "fixed") {
        json.member("qualified", std::string_view(rule.value.text.starts_with("root.") ? "true" : "false"));
        json.member("queue", std::string_view(rule.value.text));
    } else if (rule.name.text == "tag") {
        json.member("tagName", std::string_view(rule.value.text));
    }
    json.end_object();
    put_filter(json, rule.filter);
    if (!rule.parent.empty()) {
        json.name("parentRule");
        put_rule(json, rule.parent.front());
    }
    json.end_object();
}

}  // namespace

std::string partitions(const std::vector<std::pair<VersionPtr, Place>>& all) {
    JsonText json;
    json.begin_array();
    for (const auto& [version, place] : all) {
        put_partition(json, *version, place);
    }
    json.end_array();
    return json.take();
}

std::string clusters(const std::vector<std::pair<VersionPtr, Place>>& all) {
    JsonText json;
    json.begin_array();
    for (const auto& [version, place] : all) {
        json.begin_object();
        json.member_if("startTime", place.started_ns);
        if (!version->shims.empty()) {
            json.name("rmBuildInformation");
            json.begin_array();
            for (const std::string& shim : version->shims) {
                json.begin_object();
                json.member("rmId", std::string_view(shim));
                json.end_object();
            }
            json.end_array();
        }
        json.member("partition", std::string_view(place.partition));
        json.member("clusterName", std::string_view("kubernetes"));
        json.end_object();
    }
    json.end_array();
    return json.take();
}

// The rules of the file, in its order, and YuniKorn's last rule. Without rules it is `provided`.
std::string placement_rules(const VersionPtr& version) {
    JsonText json;
    json.begin_array();
    if (version->partition != nullptr && !version->partition->placement_rules.empty()) {
        for (const PlacementRuleConfig& rule : version->partition->placement_rules) {
            put_rule(json, rule);
        }
    } else {
        PlacementRuleConfig provided;
        provided.name.text = "provided";
        put_rule(json, provided);
    }
    json.begin_object();
    json.member("name", std::string_view("recovery"));
    json.name("parameters");
    json.begin_object();
    json.member("queue", std::string_view("root.@recovery@"));
    json.end_object();
    json.end_object();
    json.end_array();
    return json.take();
}

}  // namespace bayplan::answers
