// See scheduler_config.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "scheduler_config/scheduler_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "kube/document_reader.h"
#include "options/predicate_rows.h"
#include "scheduler_config/notes.h"
#include "scheduler_config/profile_reader.h"

namespace bayplan::scheduler_config {

namespace {

using kube::Value;

bool same_weights(const ScoreWeights& one, const ScoreWeights& other) {
    return std::ranges::all_of(kScoreRows, [&](const ScoreRow& row) { return one[row.id] == other[row.id]; });
}

bool same_shape(const std::vector<ScorePoint>& one, const std::vector<ScorePoint>& other) {
    return std::ranges::equal(one, other, [](const ScorePoint& left, const ScorePoint& right) {
        return left.utilization == right.utilization && left.score == right.score;
    });
}

// The field of settings that one engine has once, in which they differ; empty: none.
std::string difference(const Profile& one, const Profile& other) {
    if (one.predicates != other.predicates) {
        return "plugins.filter";
    }
    if (!same_weights(one.weights, other.weights)) {
        return "plugins.score";
    }
    return one.score == other.score && same_shape(one.score_shape, other.score_shape) &&
                   one.score_resources == other.score_resources
               ? ""
               : "pluginConfig.NodeResourcesFit.scoringStrategy";
}

std::optional<std::int64_t> nanoseconds(const Value& root, std::string_view name, Notes& notes) {
    if (!root[name].present()) {
        return std::nullopt;
    }
    const auto number = whole(root[name]);
    if (!number || *number < 1 || *number > 86'400) {
        notes.fault(root[name], std::string(name), "must be a number of seconds, 1 to 86400");
        return std::nullopt;
    }
    return *number * 1'000'000'000;
}

const Value& arguments_of(const Value& profile, std::string_view plugin) {
    static const Value kNone;
    for (const Value& one : profile["pluginConfig"].items()) {
        if (one["name"].text() == plugin) {
            return one["args"];
        }
    }
    return kNone;
}

// Parts that are not the engine's are for who knows the profile of a pod.
void check_pods_part(const Value& value, const Profile& profile, ConfigUse use, Notes& notes) {
    if (use == ConfigUse::shim) {
        return;
    }
    const bool daemon = use == ConfigUse::daemon;
    if (profile.added_affinity.any()) {
        notes.fault(arguments_of(value, row_of(PredicateId::node_affinity).name)["addedAffinity"],
                    "pluginConfig.NodeAffinity.addedAffinity",
                    daemon
                        ? "a daemon does not know the profiles of pods: leave it out here, and give it to bayplan-kube"
                        : "is not possible in a simulation");
    }
    if (daemon) {
        notes.ignored(arguments_of(value, row_of(PredicateId::volume_binding).name)["bindTimeoutSeconds"],
                      "pluginConfig.VolumeBinding.bindTimeoutSeconds", "shims bind volumes");
    }
}

void check_alike(const SchedulerConfig& config, const std::vector<const Value*>& read, ConfigUse use, Notes& notes) {
    const Profile& first = config.profiles.front();
    for (std::size_t at = 0; at < config.profiles.size(); ++at) {
        const Profile& one = config.profiles[at];
        std::string what = difference(first, one);
        if (what.empty() && use == ConfigUse::daemon && one.preemption != first.preemption) {
            what = "plugins.postFilter";
        }
        if (!what.empty()) {
            notes.fault(*read[at], what,
                        fmt::format("the profiles `{}` and `{}` differ in it, and one engine has one for all pods",
                                    first.scheduler, one.scheduler));
        }
        if (config.profile_of(one.scheduler) != &one) {
            notes.fault(*read[at], "profiles", fmt::format("there are two of the scheduler `{}`", one.scheduler));
        }
    }
}

void read_profiles(const Value& list, const std::string& scheduler, ConfigUse use, SchedulerConfig& config,
                   Notes& notes) {
    const auto items = list.items();
    if (items.empty() && (scheduler.empty() || scheduler == config.profiles.front().scheduler)) {
        return;
    }
    config.profiles.clear();
    std::vector<const Value*> read;
    Names names;
    for (const Value& one : items) {
        const std::string_view given = one["schedulerName"].text();
        names.push_back(given.empty() ? "default-scheduler" : given);
        if (scheduler.empty() || names.back() == scheduler) {
            config.profiles.push_back(read_profile(one, notes));
            check_pods_part(one, config.profiles.back(), use, notes);
            read.push_back(&one);
        }
    }
    if (config.profiles.empty()) {
        notes.fault(list, "profiles", "none is of the scheduler `" + scheduler + "`" + did_you_mean(scheduler, names));
        return;
    }
    check_alike(config, read, use, notes);
}

void read_document(const Value& root, const std::string& scheduler, ConfigUse use, SchedulerConfig& config,
                   Notes& notes) {
    notes.only(
        root, "",
        {"apiVersion", "kind", "profiles", "percentageOfNodesToScore", "podInitialBackoffSeconds",
         "podMaxBackoffSeconds", "extenders", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
         "enableContentionProfiling", "delayCacheUntilActive", "healthzBindAddress", "metricsBindAddress"});
    if (use == ConfigUse::shim) {
        config.extenders = read_extenders(root["extenders"], notes);
    } else if (!root["extenders"].items().empty()) {
        notes.fault(root["extenders"], "extenders",
                    use == ConfigUse::daemon ? "shims ask them: leave them out here, and give them to bayplan-kube"
                                             : "are not possible in a simulation, which takes a program (--plugin)");
    }
    notes.ignored(root["percentageOfNodesToScore"], "percentageOfNodesToScore", "every node is looked at");
    notes.ignored(root["parallelism"], "parallelism", "threads are the profile's to say (tuning)");
    notes.ignored(root["delayCacheUntilActive"], "delayCacheUntilActive", "nothing is kept before it is asked for");
    notes.ignored(root["clientConnection"], "clientConnection", "a kubeconfig says how to reach the API server");
    for (const char* const name :
         {"enableProfiling", "enableContentionProfiling", "healthzBindAddress", "metricsBindAddress"}) {
        notes.ignored(root[name], name, "the daemon's settings have addresses and counters of their own");
    }
    if (root["leaderElection"]["leaderElect"].text() == "true") {
        notes.ignored(root["leaderElection"], "leaderElection", "bayplan-kube has options of its own for it");
    }
    config.backoff_initial_ns = nanoseconds(root, "podInitialBackoffSeconds", notes);
    config.backoff_max_ns = nanoseconds(root, "podMaxBackoffSeconds", notes);
    read_profiles(root["profiles"], scheduler, use, config, notes);
}

}  // namespace

bool SchedulerConfig::preemption() const { return std::ranges::any_of(profiles, &Profile::preemption); }

bool SchedulerConfig::leaves_engine_alone() const {
    return difference(profiles.front(), Profile()).empty() && preemption() && !backoff_initial_ns && !backoff_max_ns;
}

void SchedulerConfig::apply(EngineOptions& options) const {
    const Profile& any = profiles.front();  // in what is read here all are alike
    if (!any.predicates.empty()) {
        options.predicates = any.predicates;
    }
    options.weights = any.weights;
    options.score = any.score;
    if (!any.score_shape.empty()) {
        options.score_shape = any.score_shape;
    }
    if (!any.score_resources.empty()) {
        options.score_resources = any.score_resources;
    }
    options.preemption.enabled = options.preemption.enabled && preemption();
    options.backoff_initial_ns = backoff_initial_ns.value_or(options.backoff_initial_ns);
    options.backoff_max_ns = std::max(options.backoff_initial_ns, backoff_max_ns.value_or(options.backoff_max_ns));
}

const Profile* SchedulerConfig::profile_of(const std::string& scheduler) const {
    const auto found = std::ranges::find(profiles, scheduler, &Profile::scheduler);
    return found == profiles.end() ? nullptr : &*found;
}

std::vector<std::string> SchedulerConfig::schedulers() const {
    std::vector<std::string> names;
    for (const Profile& one : profiles) {
        names.push_back(one.scheduler);
    }
    return names;
}

SchedulerConfigReading read_scheduler_config(std::string text, const std::string& file, const std::string& scheduler,
                                             ConfigUse use) {
    text.reserve(text.size() + kube::kTextPadding);
    Notes notes(file, text);
    SchedulerConfig config;
    std::vector<kube::ObjectFault> faults;
    std::size_t documents = 0;
    kube::read_objects(
        text, file,
        [&](const kube::ReadObject& object) {
            if (++documents > 1) {
                return;
            }
            notes.begin(object.value);
            const std::string_view version = object.value["apiVersion"].text();
            if (object.kind != "KubeSchedulerConfiguration") {
                notes.fault(object.value["kind"], "kind",
                            fmt::format("`{}` is no KubeSchedulerConfiguration", object.kind));
            } else if (version != "kubescheduler.config.k8s.io/v1") {
                notes.fault(object.value["apiVersion"], "apiVersion",
                            fmt::format("`{}` is not kubescheduler.config.k8s.io/v1", version));
            } else {
                read_document(object.value, scheduler, use, config, notes);
            }
        },
        faults);
    for (const kube::ObjectFault& fault : faults) {
        notes.faults.push_back(fault.to_string());
    }
    if (documents > 1 || (documents == 0 && notes.faults.empty())) {
        notes.faults.push_back(file + ": one KubeSchedulerConfiguration is wanted");
    }
    SchedulerConfigReading read{std::nullopt, std::move(notes.faults), std::move(notes.remarks)};
    if (read.faults.empty()) {
        read.config = std::move(config);
    }
    return read;
}

}  // namespace bayplan::scheduler_config
