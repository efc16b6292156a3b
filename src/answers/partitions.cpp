// Partitions and clusters. See answers.h.

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>

#include "answers/amounts.h"
#include "answers/answers.h"
#include "answers/queue_view.h"
#include "base/lines.h"

namespace bayplan::answers {

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

// Live ones, and ended ones as long as they are kept.
void put_applications(JsonText& json, const Version& version) {
    std::map<std::string_view, std::int64_t> counts;
    version.applications.for_each([&](std::uint32_t, const read_model::Application& application) {
        if (is_complete(application)) {
            return;  // it is among the completed ones
        }
        const std::string_view state = state_of(application);
        counts["total"] += 1;
        counts[state] += state.empty() ? 0 : 1;
    });
    for (const auto& [state, ended] : {std::pair("Completed", version.completed), {"Rejected", version.rejected}}) {
        if (!ended->empty()) {
            counts[state] = static_cast<std::int64_t>(ended->size());
            counts["total"] += counts[state];
        }
    }
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
    json.member("state", std::string_view("Active"));  // since the start: a partition of ours has no other state
    json.member_if("lastStateTransitionTime", place.started_ns);
    json.end_object();
}

// Of a fact that was told twice, what was told last.
void put_build(JsonText& json, const Place& place, const std::string& shim) {
    std::map<std::string, std::string, std::less<>> facts;
    for_each_line(place.build_of ? place.build_of(shim) : std::string(), [&](std::string_view line) {
        const std::size_t end = std::min(line.find('='), line.size());
        facts[std::string(line.substr(0, end))] = line.substr(std::min(end + 1, line.size()));
    });
    facts["rmId"] = shim;
    json.begin_object();
    for (const auto& [name, value] : facts) {
        json.member(name, std::string_view(value));
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
                put_build(json, place, shim);
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

}  // namespace bayplan::answers
