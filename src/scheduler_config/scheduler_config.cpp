// See scheduler_config.h. Source of the fields: Kubernetes 1.35, kubescheduler.config.k8s.io/v1.
#include "scheduler_config/scheduler_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/document_reader.h"
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
    return one.score == other.score && same_shape(one.score_shape, other.score_shape)
               ? ""
               : "pluginConfig.NodeResourcesFit.scoringStrategy";
}

std::optional<std::int64_t> nanoseconds(const Value& root, std::string_view name, Notes& notes) {
    if (!root[name].present()) {
        return std::nullopt;
    }
    const auto number = whole(root[name]);
    if (!number || *number < 1 || *number > 86'400) {
        notes.fault(std::string(name), "must be a number of seconds, 1 to 86400");
        return std::nullopt;
    }
    return *number * 1'000'000'000;
}

void read_profiles(const Value& list, const std::string& scheduler, SchedulerConfig& config, Notes& notes) {
    const auto items = list.items();
    if (items.empty()) {
        return;
    }
    config.profiles.clear();
    for (const Value& one : items) {
        const std::string_view name = one["schedulerName"].text();
        if (scheduler.empty() || (name.empty() ? "default-scheduler" : name) == scheduler) {
            config.profiles.push_back(read_profile(one, notes));
        }
    }
    if (config.profiles.empty()) {
        notes.fault("profiles", "none is of the scheduler `" + scheduler + "`");
        return;
    }
    for (const Profile& one : config.profiles) {
        const std::string what = difference(config.profiles.front(), one);
        if (!what.empty()) {
            notes.fault(what,
                        fmt::format("the profiles `{}` and `{}` differ in it, and one engine has one for all pods",
                                    config.profiles.front().scheduler, one.scheduler));
        }
        if (config.profile_of(one.scheduler) != &one) {
            notes.fault("profiles", fmt::format("there are two of the scheduler `{}`", one.scheduler));
        }
    }
}

void read_document(const Value& root, const std::string& scheduler, SchedulerConfig& config, Notes& notes) {
    notes.only(
        root, "",
        {"apiVersion", "kind", "profiles", "percentageOfNodesToScore", "podInitialBackoffSeconds",
         "podMaxBackoffSeconds", "extenders", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
         "enableContentionProfiling", "delayCacheUntilActive", "healthzBindAddress", "metricsBindAddress"});
    if (!root["extenders"].items().empty()) {
        notes.fault("extenders", "there are none here");
    }
    notes.ignored(root["percentageOfNodesToScore"], "percentageOfNodesToScore", "every node is looked at");
    if (root["leaderElection"]["leaderElect"].text() == "true") {
        notes.ignored(root["leaderElection"], "leaderElection", "bayplan-kube has options of its own for it");
    }
    config.backoff_initial_ns = nanoseconds(root, "podInitialBackoffSeconds", notes);
    config.backoff_max_ns = nanoseconds(root, "podMaxBackoffSeconds", notes);
    read_profiles(root["profiles"], scheduler, config, notes);
}

}  // namespace

bool SchedulerConfig::preemption() const { return std::ranges::any_of(profiles, &Profile::preemption); }

bool SchedulerConfig::adds_affinity() const {
    return std::ranges::any_of(profiles, [](const Profile& one) { return one.added_affinity.any(); });
}

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

SchedulerConfigReading read_scheduler_config(std::string text, const std::string& file, const std::string& scheduler) {
    text.reserve(text.size() + kube::kTextPadding);
    Notes notes(file);
    SchedulerConfig config;
    std::vector<kube::ObjectFault> faults;
    std::size_t documents = 0;
    kube::read_objects(
        text, file,
        [&](const kube::ReadObject& object) {
            ++documents;
            const std::string_view version = object.value["apiVersion"].text();
            if (object.kind != "KubeSchedulerConfiguration") {
                notes.fault("kind", fmt::format("`{}` is no KubeSchedulerConfiguration", object.kind));
            } else if (version != "kubescheduler.config.k8s.io/v1") {
                notes.fault("apiVersion", fmt::format("`{}` is not kubescheduler.config.k8s.io/v1", version));
            } else {
                read_document(object.value, scheduler, config, notes);
            }
        },
        faults);
    for (const kube::ObjectFault& fault : faults) {
        notes.faults.push_back(fault.to_string());
    }
    if (documents != 1 && notes.faults.empty()) {
        notes.faults.push_back(file + ": one KubeSchedulerConfiguration is wanted");
    }
    SchedulerConfigReading read{std::nullopt, std::move(notes.faults), std::move(notes.remarks)};
    if (read.faults.empty()) {
        read.config = std::move(config);
    }
    return read;
}

}  // namespace bayplan::scheduler_config
