// See profile_reader.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "scheduler_config/profile_reader.h"

#include <set>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "scheduler_config/plugin_arguments.h"
#include "scheduler_config/plugin_names.h"

namespace bayplan::scheduler_config {

namespace {

using kube::Member;
using kube::Value;

constexpr std::string_view kPoints[] = {"queueSort", "preEnqueue", "preFilter", "filter", "postFilter",
                                        "preScore",  "score",      "reserve",   "permit", "preBind",
                                        "bind",      "postBind",   "multiPoint"};

class Plugins {
public:
    Plugins(Profile& profile, Notes& notes) : profile_(profile), notes_(notes) {
        for (const std::string_view name : kPredicateNames) {
            filters_.insert(name);
        }
    }

    void read(const Value& plugins) {
        // Of all points together first, so that a point's own word stands above it.
        points(plugins, true);
        points(plugins, false);
        if (filters_.empty()) {
            filters_.insert(row_of(PredicateId::node_name).name);  // which refuses no pod that has no node yet
        }
        for (const std::string_view name : kPredicateNames) {
            if (filters_.size() < kPredicates && filters_.contains(name)) {
                profile_.predicates.emplace_back(name);
            }
        }
    }

private:
    void points(const Value& plugins, bool together) {
        for (const Member& member : plugins.members()) {
            const bool known = std::ranges::find(kPoints, member.name) != std::end(kPoints);
            if (!known && together) {
                notes_.fault(
                    member.value, "plugins." + std::string(member.name),
                    "is no extension point" + did_you_mean(member.name, Names(std::begin(kPoints), std::end(kPoints))));
            }
            if (!known || (member.name == "multiPoint") != together) {
                continue;
            }
            for (const Value& one : member.value["disabled"].items()) {
                change(member.name, one, false);
            }
            for (const Value& one : member.value["enabled"].items()) {
                change(member.name, one, true);
            }
        }
    }

    void change(std::string_view point, const Value& entry, bool on) {
        const std::string_view name = entry["name"].text();
        const std::string where = fmt::format("plugins.{}.{}", point, on ? "enabled" : "disabled");
        if (name == "*" && !on) {
            for (const std::string_view one : kPredicateNames) {
                set(point, one, false, entry, where);
            }
            for (const ScoreRow& row : kScoreRows) {
                set(point, row.name, false, entry, where);
            }
            set(point, kPreemption, false, entry, where);
            return;
        }
        if (!is_plugin(name)) {
            Names names(kPredicateNames.begin(), kPredicateNames.end());
            for (const ScoreRow& row : kScoreRows) {
                names.push_back(row.name);
            }
            names.insert(names.end(), std::begin(kOthers), std::end(kOthers));
            notes_.fault(entry, where, fmt::format("there is no plugin `{}` here{}", name, did_you_mean(name, names)));
            return;
        }
        set(point, name, on, entry, where);
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
            if (weight < 0 || weight > 100) {
                notes_.fault(entry["weight"], where, fmt::format("{}: a weight is 0 to 100", name));
            }
            profile_.weights[row->id] = !on ? 0 : weight > 0 ? static_cast<std::int32_t>(weight) : row->weight;
        }
        if (name == kPreemption && (all || point == "postFilter")) {
            profile_.preemption = on;
        }
        const bool fixed = (point == "queueSort" || point == "preEnqueue" || point == "bind") && !on;
        if (fixed && std::ranges::find(kOthers, name) != std::end(kOthers) && name != kPreemption) {
            notes_.fault(entry, where, fmt::format("{} cannot be switched off here", name));
        }
    }

    Profile& profile_;
    Notes& notes_;
    std::set<std::string_view> filters_;
};

}  // namespace

Profile read_profile(const Value& value, Notes& notes) {
    Profile profile;
    notes.only(value, "profiles[]", {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"});
    if (!value["schedulerName"].text().empty()) {
        profile.scheduler = value["schedulerName"].text();
    }
    notes.ignored(value["percentageOfNodesToScore"], "profiles[].percentageOfNodesToScore", "every node is looked at");
    Plugins(profile, notes).read(value["plugins"]);
    for (const Value& one : value["pluginConfig"].items()) {
        read_arguments(one, profile, notes);
    }
    return profile;
}

}  // namespace bayplan::scheduler_config
