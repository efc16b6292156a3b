// See plugin_arguments.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "scheduler_config/plugin_arguments.h"

#include <algorithm>
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
constexpr std::int64_t kScoreWeightMax = 100;

// Kubernetes scores kinds of these names, and passes over any other without a word.
bool is_scored(std::string_view name) {
    return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-") ||
           name.starts_with("attachable-volumes-") || name.find('/') != std::string_view::npos;
}

// Cpu and memory alike, however that is said, is the default: profiles that mean the same do not differ.
void scored_resources(const Value& list, const std::string& where, Profile& profile, Notes& notes) {
    std::vector<ScoredResource> made;
    for (const Value& one : list.items()) {
        const std::string_view name = one["name"].text();
        const std::int64_t weight = whole(one["weight"]).value_or(one["weight"].present() ? -1 : 1);
        notes.only(one, where, {"name", "weight"});
        if (!is_scored(name)) {
            notes.fault(one, where, fmt::format("`{}` is no kind that is scored", name));
        } else if (weight < 0 || weight > kScoreWeightMax) {
            notes.fault(one, where, fmt::format("`{}` has no weight of 1 to {}", name, kScoreWeightMax));
        } else if (std::ranges::find(made, name, &ScoredResource::name) != made.end()) {
            notes.fault(one, where, fmt::format("`{}` is there twice", name));
        } else {
            made.push_back({std::string(name), weight == 0 ? 1 : static_cast<std::int32_t>(weight)});
        }
    }
    if (made.size() > kScoredResourcesMax) {
        notes.fault(list, where, fmt::format("more than {} kinds", kScoredResourcesMax));
    }
    std::ranges::sort(made, {}, &ScoredResource::name);
    const bool alike =
        made.size() == 2 && made[0].name == "cpu" && made[1].name == "memory" && made[0].weight == made[1].weight;
    if (!alike) {
        profile.score_resources = std::move(made);
    }
}

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
        notes.fault(list, where, "cpu and memory alike are balanced here, no other resources and no other weights");
    }
}

void shape(const Value& list, const std::string& where, Profile& profile, Notes& notes) {
    for (const Value& point : list.items()) {
        const auto utilization = whole(point["utilization"]);
        const auto score = whole(point["score"]);
        const bool rises =
            profile.score_shape.empty() || !utilization || *utilization > profile.score_shape.back().utilization;
        if (!utilization || !score || *utilization < 0 || *utilization > 100 || *score < 0 || *score > 10 || !rises) {
            notes.fault(point, where, "points have a utilization of 0 to 100, rising, and a score of 0 to 10");
            return;
        }
        profile.score_shape.push_back({static_cast<std::int32_t>(*utilization), static_cast<std::int32_t>(*score)});
    }
}

void fit(const Value& args, const std::string& where, Profile& profile, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy"});
    for (const char* const name : {"ignoredResources", "ignoredResourceGroups"}) {
        if (!args[name].items().empty()) {
            notes.fault(args[name], where + "." + name, "every resource counts here");
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
        notes.fault(strategy["type"], below + ".type",
                    fmt::format("`{}` is none{}", type,
                                did_you_mean(type, {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"})));
    }
    scored_resources(strategy["resources"], below + ".resources", profile, notes);
}

void inter_pod_affinity(const Value& args, const std::string& where, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"});
    if (whole(args["hardPodAffinityWeight"]).value_or(1) != 1) {
        notes.fault(args["hardPodAffinityWeight"], where + ".hardPodAffinityWeight", "is always 1 here");
    }
    if (args["ignorePreferredTermsOfExistingPods"].text() == "true") {
        notes.fault(args["ignorePreferredTermsOfExistingPods"], where + ".ignorePreferredTermsOfExistingPods",
                    "they always count here");
    }
}

void topology_spread(const Value& args, const std::string& where, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "defaultingType", "defaultConstraints"});
    const std::string_view type = args["defaultingType"].text();
    if ((!type.empty() && type != "System") || !args["defaultConstraints"].items().empty()) {
        notes.fault(args, where, "constraints of one's own are not possible here: defaultingType System");
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
        notes.fault(added, where + "." + fault.path, fault.what);
    }
}

void volume_binding(const Value& args, const std::string& where, Profile& profile, Notes& notes) {
    notes.only(args, where, {"apiVersion", "kind", "bindTimeoutSeconds", "shape"});
    if (!args["shape"].items().empty()) {
        notes.fault(args["shape"], where + ".shape", "capacities of storage are not scored here");
    }
    if (!args["bindTimeoutSeconds"].present()) {
        return;
    }
    const auto seconds = whole(args["bindTimeoutSeconds"]);
    if (!seconds || *seconds < 0 || *seconds > kBindTimeoutMax) {
        notes.fault(args["bindTimeoutSeconds"], where + ".bindTimeoutSeconds",
                    "must be a number of seconds, 0 to 86400");
        return;
    }
    profile.bind_timeout_s = *seconds;
}

}  // namespace

void read_arguments(const Value& entry, Profile& profile, Notes& notes) {
    const std::string_view plugin = entry["name"].text();
    const Value& args = entry["args"];
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
        notes.fault(entry, where, fmt::format("there is no plugin `{}` here", plugin));
    }
}

}  // namespace bayplan::scheduler_config
