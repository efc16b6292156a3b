// See scheduler_config.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "sim/scheduler_config.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "kube/document_reader.h"
#include "options/predicate_rows.h"

namespace bayplan::sim {

namespace {

using kube::Member;
using kube::Value;
using Names = std::vector<std::string_view>;

constexpr std::string_view kPreemption = "DefaultPreemption";
// Plugins that decide nothing which could be otherwise here.
constexpr std::string_view kOthers[] = {kPreemption,     "PrioritySort", "SchedulingGates", "DefaultBinder",
                                        "EBSLimits",     "GCEPDLimits",  "AzureDiskLimits", "NodeDeclaredFeatures",
                                        "GangScheduling"};
constexpr std::string_view kPoints[] = {"queueSort", "preEnqueue", "preFilter", "filter", "postFilter",
                                        "preScore",  "score",      "reserve",   "permit", "preBind",
                                        "bind",      "postBind",   "multiPoint"};

std::optional<std::int64_t> whole(const Value& value) {
    std::int64_t number = 0;
    const std::string_view text = value.text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool sound = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return sound ? std::optional(number) : std::nullopt;
}

const ScoreRow* score_of(std::string_view name) {
    const auto found = std::ranges::find(kScoreRows, name, &ScoreRow::name);
    return found == kScoreRows.end() ? nullptr : &*found;
}

class Reading {
public:
    Reading(const std::string& file, const std::string& scheduler) : file_(file), scheduler_(scheduler) {
        for (const std::string_view name : kPredicateNames) filters_.insert(name);
    }

    void document(const Value& root) {
        only(root, "",
             {"apiVersion", "kind", "profiles", "percentageOfNodesToScore", "podInitialBackoffSeconds",
              "podMaxBackoffSeconds", "extenders", "parallelism", "leaderElection", "clientConnection",
              "enableProfiling", "enableContentionProfiling", "delayCacheUntilActive", "healthzBindAddress",
              "metricsBindAddress"});
        if (!root["extenders"].items().empty()) fault("extenders", "there are none here");
        ignored(root["percentageOfNodesToScore"], "percentageOfNodesToScore", "every node is looked at");
        config_.backoff_initial_ns = seconds(root, "podInitialBackoffSeconds");
        config_.backoff_max_ns = seconds(root, "podMaxBackoffSeconds");
        if (const Value* const chosen = profile(root["profiles"])) read_profile(*chosen);
    }

    SchedulerConfigReading take() {
        if (filters_.empty())
            fault("plugins.filter", "without any filter every pod fits everywhere, which is not possible here");
        for (const std::string_view name : kPredicateNames) {
            if (filters_.size() < kPredicates && filters_.contains(name)) config_.predicates.emplace_back(name);
        }
        if (reading_.faults.empty()) reading_.config = config_;
        return std::move(reading_);
    }

    void fault(const std::string& where, const std::string& what) {
        reading_.faults.push_back(fmt::format("{}: {}: {}", file_, where, what));
    }

private:
    void ignored(const Value& value, const std::string& where, const char* why) {
        if (value.present()) reading_.remarks.push_back(fmt::format("{}: {}: is not looked at: {}", file_, where, why));
    }

    void only(const Value& value, const std::string& where, std::initializer_list<std::string_view> names) {
        for (const Member& member : value.members()) {
            if (std::ranges::find(names, member.name) != names.end()) continue;
            fault(where + (where.empty() ? "" : ".") + std::string(member.name),
                  "is not known" + did_you_mean(member.name, Names(names)));
        }
    }

    std::optional<std::int64_t> seconds(const Value& root, std::string_view name) {
        if (!root[name].present()) return std::nullopt;
        const auto number = whole(root[name]);
        if (!number || *number < 1 || *number > 86'400) {
            fault(std::string(name), "must be a number of seconds, 1 to 86400");
            return std::nullopt;
        }
        return *number * 1'000'000'000;
    }

    const Value* profile(const Value& profiles) {
        const auto items = profiles.items();
        if (items.empty()) return nullptr;
        for (const Value& one : items) {
            const std::string_view name = one["schedulerName"].text();
            if ((name.empty() ? "default-scheduler" : name) == scheduler_) return &one;
        }
        if (items.size() == 1 && scheduler_.empty()) return &items.front();
        fault("profiles", scheduler_.empty() ? "there are several: --scheduler-name says which"
                                             : "none is of the scheduler `" + scheduler_ + "`");
        return nullptr;
    }

    void read_profile(const Value& profile) {
        only(profile, "profiles[]", {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"});
        if (!profile["schedulerName"].text().empty()) config_.scheduler = profile["schedulerName"].text();
        ignored(profile["percentageOfNodesToScore"], "profiles[].percentageOfNodesToScore", "every node is looked at");
        // Of all points together first, so that a point's own word stands above it.
        points(profile["plugins"], true);
        points(profile["plugins"], false);
        for (const Value& one : profile["pluginConfig"].items()) arguments(one["name"].text(), one["args"]);
    }

    void points(const Value& plugins, bool together) {
        for (const Member& member : plugins.members()) {
            const bool known = std::ranges::find(kPoints, member.name) != std::end(kPoints);
            if (!known && together) {
                fault(
                    "plugins." + std::string(member.name),
                    "is no extension point" + did_you_mean(member.name, Names(std::begin(kPoints), std::end(kPoints))));
            }
            if (!known || (member.name == "multiPoint") != together) continue;
            for (const Value& one : member.value["disabled"].items()) change(member.name, one, false);
            for (const Value& one : member.value["enabled"].items()) change(member.name, one, true);
        }
    }

    void change(std::string_view point, const Value& entry, bool on) {
        const std::string_view name = entry["name"].text();
        const std::string where = fmt::format("plugins.{}.{}", point, on ? "enabled" : "disabled");
        if (name == "*" && !on) {
            for (const std::string_view one : kPredicateNames) set(point, one, false, entry, where);
            for (const ScoreRow& row : kScoreRows) set(point, row.name, false, entry, where);
            set(point, kPreemption, false, entry, where);
            return;
        }
        if (!known(name)) {
            Names names(kPredicateNames.begin(), kPredicateNames.end());
            for (const ScoreRow& row : kScoreRows) names.push_back(row.name);
            names.insert(names.end(), std::begin(kOthers), std::end(kOthers));
            fault(where, fmt::format("there is no plugin `{}` here{}", name, did_you_mean(name, names)));
            return;
        }
        set(point, name, on, entry, where);
    }

    static bool known(std::string_view name) {
        return is_predicate(name) || score_of(name) != nullptr || std::ranges::find(kOthers, name) != std::end(kOthers);
    }

    void set(std::string_view point, std::string_view name, bool on, const Value& entry, const std::string& where) {
        const bool all = point == "multiPoint";
        if ((all || point == "filter") && is_predicate(name)) {
            if (on) {
                filters_.insert(name);
            } else {
                filters_.erase(name);
            }
        }
        if (const ScoreRow* const row = score_of(name); row != nullptr && (all || point == "score")) {
            const std::int64_t weight = whole(entry["weight"]).value_or(0);
            if (weight < 0 || weight > 100) fault(where, fmt::format("{}: a weight is 0 to 100", name));
            config_.weights[row->id] = !on ? 0 : weight > 0 ? static_cast<std::int32_t>(weight) : row->weight;
        }
        if (name == kPreemption && (all || point == "postFilter")) config_.preemption = on;
        const bool fixed = (point == "queueSort" || point == "preEnqueue" || point == "bind") && !on;
        if (fixed && std::ranges::find(kOthers, name) != std::end(kOthers) && name != kPreemption) {
            fault(where, fmt::format("{} cannot be switched off here", name));
        }
    }

    void arguments(std::string_view name, const Value& args) {
        const std::string where = "pluginConfig." + std::string(name);
        if (name == row_of(PredicateId::node_resources_fit).name) return fit(args, where);
        if (name == row_of(ScoreId::balanced_allocation).name) {
            only(args, where, {"apiVersion", "kind", "resources"});
            return plain_resources(args["resources"], where + ".resources");
        }
        if (name == row_of(PredicateId::inter_pod_affinity).name) {
            only(args, where, {"apiVersion", "kind", "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"});
            if (whole(args["hardPodAffinityWeight"]).value_or(1) != 1)
                fault(where + ".hardPodAffinityWeight", "is always 1 here");
            if (args["ignorePreferredTermsOfExistingPods"].text() == "true") {
                fault(where + ".ignorePreferredTermsOfExistingPods", "they always count here");
            }
            return;
        }
        if (name == row_of(PredicateId::pod_topology_spread).name) {
            only(args, where, {"apiVersion", "kind", "defaultingType", "defaultConstraints"});
            const std::string_view type = args["defaultingType"].text();
            if ((!type.empty() && type != "System") || !args["defaultConstraints"].items().empty()) {
                fault(where, "constraints of one's own are not possible here: defaultingType System");
            }
            return;
        }
        if (name == row_of(PredicateId::node_affinity).name) {
            if (args["addedAffinity"].present()) fault(where + ".addedAffinity", "is not possible here");
            return;
        }
        if (name == kPreemption) return ignored(args, where, "every candidate is looked at");
        if (known(name)) return ignored(args, where, "it has no arguments here");
        fault(where, fmt::format("there is no plugin `{}` here", name));
    }

    void fit(const Value& args, const std::string& where) {
        only(args, where, {"apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy"});
        for (const char* const name : {"ignoredResources", "ignoredResourceGroups"}) {
            if (!args[name].items().empty()) fault(where + "." + name, "every resource counts here");
        }
        const Value& strategy = args["scoringStrategy"];
        if (!strategy.present()) return;
        only(strategy, where + ".scoringStrategy", {"type", "resources", "requestedToCapacityRatio"});
        const std::string_view type = strategy["type"].text();
        if (type == "MostAllocated") {
            config_.score = ScorePolicy::most_allocated;
        } else if (type == "RequestedToCapacityRatio") {
            config_.score = ScorePolicy::requested_to_capacity_ratio;
            shape(strategy["requestedToCapacityRatio"]["shape"],
                  where + ".scoringStrategy.requestedToCapacityRatio.shape");
        } else if (!type.empty() && type != "LeastAllocated") {
            fault(where + ".scoringStrategy.type",
                  fmt::format("`{}` is none{}", type,
                              did_you_mean(type, {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"})));
        }
        plain_resources(strategy["resources"], where + ".scoringStrategy.resources");
    }

    void shape(const Value& list, const std::string& where) {
        for (const Value& point : list.items()) {
            const auto utilization = whole(point["utilization"]);
            const auto score = whole(point["score"]);
            const bool rises =
                config_.score_shape.empty() || !utilization || *utilization > config_.score_shape.back().utilization;
            if (!utilization || !score || *utilization < 0 || *utilization > 100 || *score < 0 || *score > 10 ||
                !rises) {
                fault(where, "points have a utilization of 0 to 100, rising, and a score of 0 to 10");
                return;
            }
            config_.score_shape.push_back({static_cast<std::int32_t>(*utilization), static_cast<std::int32_t>(*score)});
        }
    }

    // Cpu and memory, alike: the default.
    void plain_resources(const Value& list, const std::string& where) {
        if (list.items().empty()) return;
        std::set<std::string_view> names;
        bool alike = true;
        for (const Value& one : list.items()) {
            names.insert(one["name"].text());
            alike = alike && whole(one["weight"]).value_or(1) == whole(list.items().front()["weight"]).value_or(1);
        }
        if (names != std::set<std::string_view>{"cpu", "memory"} || !alike) {
            fault(where, "cpu and memory alike are scored here, no other resources and no other weights");
        }
    }

    const std::string& file_;
    const std::string& scheduler_;
    SchedulerConfig config_;
    std::set<std::string_view> filters_;
    SchedulerConfigReading reading_;
};

}  // namespace

void SchedulerConfig::apply(EngineOptions& options) const {
    if (!predicates.empty()) options.predicates = predicates;
    options.weights = weights;
    options.score = score;
    if (!score_shape.empty()) options.score_shape = score_shape;
    options.preemption.enabled = options.preemption.enabled && preemption;
    options.backoff_initial_ns = backoff_initial_ns.value_or(options.backoff_initial_ns);
    options.backoff_max_ns = std::max(options.backoff_initial_ns, backoff_max_ns.value_or(options.backoff_max_ns));
}

SchedulerConfigReading read_scheduler_config(std::string text, const std::string& file, const std::string& scheduler) {
    text.reserve(text.size() + kube::kTextPadding);
    Reading reading(file, scheduler);
    std::vector<kube::ObjectFault> faults;
    std::size_t documents = 0;
    kube::read_objects(
        text, file,
        [&](const kube::ReadObject& object) {
            ++documents;
            const std::string_view version = object.value["apiVersion"].text();
            if (object.kind != "KubeSchedulerConfiguration") {
                reading.fault("kind", fmt::format("`{}` is no KubeSchedulerConfiguration", object.kind));
            } else if (version != "kubescheduler.config.k8s.io/v1") {
                reading.fault("apiVersion", fmt::format("`{}` is not kubescheduler.config.k8s.io/v1", version));
            } else {
                reading.document(object.value);
            }
        },
        faults);
    SchedulerConfigReading read = reading.take();
    for (const kube::ObjectFault& fault : faults) read.faults.push_back(fault.to_string());
    if (documents != 1 && read.faults.empty())
        read.faults.push_back(file + ": one KubeSchedulerConfiguration is wanted");
    if (!read.faults.empty()) read.config.reset();
    return read;
}

}  // namespace bayplan::sim
