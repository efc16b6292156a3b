// See plugin_arguments.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "scheduler_config/plugin_arguments.h"

#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "kube/converter.h"
#include "scheduler_config/plugin_names.h"

namespace bayplan::scheduler_config {

namespace {

using kube::Value;

constexpr std::int64_t kBindTimeoutMax = 86'400;

// Cpu and memory, alike: the default.
void plain_resources(const Value& list, const std::string& where, Notes& notes) {
    if (list.items().empty()) {
        return;
    }
    std::set<std::string_view> names;
    bool alike = true;
    for (const Value& one : list.items()) {
        names.insert(one["name"].text());
        alike = alike && whole(one["weight"]).value_or(1) == whole(list.items().front()["weight"]).value_or(1);
    }
    if (names != std::set<std::string_view>{"cpu", "memory"} || !alike) {
        notes.fault(where, "cpu and memory alike are scored here, no other resources and no other weights");
    }
}

void shape(const Value& list, const std::string& where, Profile& profile, Notes& notes) {
    for (const Value& point : list.items()) {
        const auto utilization = whole(point["utilization"]);
        const auto score = whole(point["score"]);
        const bool rises =
            profile.score_shape.empty() || !utilization || *utilization > profile.score_shape.back().utilization;
        if (!utilization || !score || *utilization < 0 || *utilization > 100 || *score < 0 || *score > 10 || !rises) {
            notes.fault(where, "points have a utilization of 0 to 100, rising, and a score of 0 to 10");
            return;
        }
        profile.score_shape.push_back({static_cast<std::int32_t>(*utilization), static_cast<std::int32_t>(*score)});
    }
}

void fit(const Value& args, const std::string& where, Profile& profile, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy"});
    for (const char* const name : {"ignoredResources", "ignoredResourceGroups"}) {
        if (!args[name].items().empty()) {
            notes.fault(where + "." + name, "every resource counts here");
        }
    }
    const Value& strategy = args["scoringStrategy"];
    const std::string below = where + ".scoringStrategy";
    notes.only(strategy, below, {"type", "resources", "requestedToCapacityRatio"});
    const std::string_view type = strategy["type"].text();
    if (type == "MostAllocated") {
        profile.score = ScorePolicy::most_allocated;
    } else if (type == "RequestedToCapacityRatio") {
        profile.score = ScorePolicy::requested_to_capacity_ratio;
        shape(strategy["requestedToCapacityRatio"]["shape"], below + ".requestedToCapacityRatio.shape", profile, notes);
    } else if (!type.empty() && type != "LeastAllocated") {
        notes.fault(below + ".type",
                    fmt::format("`{}` is none{}", type,
                                did_you_mean(type, {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"})));
    }
    plain_resources(strategy["resources"], below + ".resources", notes);
}

void inter_pod_affinity(const Value& args, const std::string& where, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"});
    if (whole(args["hardPodAffinityWeight"]).value_or(1) != 1) {
        notes.fault(where + ".hardPodAffinityWeight", "is always 1 here");
    }
    if (args["ignorePreferredTermsOfExistingPods"].text() == "true") {
        notes.fault(where + ".ignorePreferredTermsOfExistingPods", "they always count here");
    }
}

void topology_spread(const Value& args, const std::string& where, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "defaultingType", "defaultConstraints"});
    const std::string_view type = args["defaultingType"].text();
    if ((!type.empty() && type != "System") || !args["defaultConstraints"].items().empty()) {
        notes.fault(where, "constraints of one's own are not possible here: defaultingType System");
    }
}

void node_affinity(const Value& args, const std::string& where, Profile& profile, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "addedAffinity"});
    AddedAffinity& made = profile.added_affinity;
    kube::Reader reader(args, where, "NodeAffinityArgs");
    kube::Converter convert(reader, *made.texts);
    const Value& added = args["addedAffinity"];
    notes.only(added, where + ".addedAffinity",
               {"requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"});
    const Value& required = added["requiredDuringSchedulingIgnoredDuringExecution"];
    if (required.present()) {
        made.required = convert.node_terms(required["nodeSelectorTerms"]);
    }
    for (const Value& one : reader.items(added["preferredDuringSchedulingIgnoredDuringExecution"])) {
        const std::int64_t weight = reader.integer(one["weight"], 0, 0, std::numeric_limits<std::int32_t>::max());
        made.preferred.push_back({static_cast<std::int32_t>(weight), convert.node_term(one["preference"])});
    }
    for (const kube::ObjectFault& fault : reader.take_faults()) {
        notes.fault(where + "." + fault.path, fault.what);
    }
}

void volume_binding(const Value& args, const std::string& where, Profile& profile, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "bindTimeoutSeconds", "shape"});
    if (!args["shape"].items().empty()) {
        notes.fault(where + ".shape", "capacities of storage are not scored here");
    }
    if (!args["bindTimeoutSeconds"].present()) {
        return;
    }
    const auto seconds = whole(args["bindTimeoutSeconds"]);
    if (!seconds || *seconds < 0 || *seconds > kBindTimeoutMax) {
        notes.fault(where + ".bindTimeoutSeconds", "must be a number of seconds, 0 to 86400");
        return;
    }
    profile.bind_timeout_s = *seconds;
}

}  // namespace

void read_arguments(std::string_view plugin, const Value& args, Profile& profile, Notes& notes) {
    const std::string where = "pluginConfig." + std::string(plugin);
    if (plugin == row_of(PredicateId::node_resources_fit).name) {
        fit(args, where, profile, notes);
    } else if (plugin == row_of(ScoreId::balanced_allocation).name) {
        notes.only(args, where, {"apiVersion", "kind", "resources"});
        plain_resources(args["resources"], where + ".resources", notes);
    } else if (plugin == row_of(PredicateId::inter_pod_affinity).name) {
        inter_pod_affinity(args, where, notes);
    } else if (plugin == row_of(PredicateId::pod_topology_spread).name) {
        topology_spread(args, where, notes);
    } else if (plugin == row_of(PredicateId::node_affinity).name) {
        node_affinity(args, where, profile, notes);
    } else if (plugin == row_of(PredicateId::volume_binding).name) {
        volume_binding(args, where, profile, notes);
    } else if (plugin == kPreemption) {
        notes.ignored(args, where, "every candidate is looked at");
    } else if (is_plugin(plugin)) {
        notes.ignored(args, where, "it has no arguments here");
    } else {
        notes.fault(where, fmt::format("there is no plugin `{}` here", plugin));
    }
}

}  // namespace bayplan::scheduler_config
