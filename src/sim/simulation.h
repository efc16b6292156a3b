// A cluster dump in an engine of its own: what would be decided of its pending pods.
//
// Time is the simulation's: when nothing can be tried any more it goes on to the end of the next backoff, so
// that a pod which failed and was woken by a later placement is tried again, as in a live cluster. It ends
// when nothing is left to try. Victims of a preemption are gone at once, without a grace period.
//
// Thread: one. The dump must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "kube/cluster_dump.h"
#include "options/engine_options.h"
#include "scheduler_config/scheduler_config.h"
#include "sim/cluster_use.h"
#include "sim/explained.h"
#include "sim/fit.h"
#include "sim/plugin_server.h"

namespace bayplan::sim {

struct SimulationOptions {
    Compat compat = Compat::bayplan;
    std::vector<std::string> predicates;  // white-list; empty = all
    CoschedulingOptions coscheduling = {};
    bool explain = false;             // every decision with its explanation
    bool full = false;                // of a node all failing predicates, not only the first
    DaemonsetOptions daemonset = {};  // but nothing expires
    std::string queues = {};          // the text of a sound queues.yaml; empty: none
    std::optional<scheduler_config::SchedulerConfig> scheduler = {};
    PluginHost plugin = {};  // which the pods need, by the dump's options
};

enum class Outcome : std::uint8_t {
    scheduled,
    nominated,
    unschedulable,
    gated,
    reserved,
    reservation_cleared,
    queued,
    waiting,   // holds its node until its pod group has its minimum
    rejected,  // gave that up
    error      // the attempt ended in an error, and no verdict of a node counts
};
std::string_view to_string(Outcome);

struct SimulatedDecision : Explained {
    std::string pod;  // "namespace/name"
    Outcome outcome = Outcome::unschedulable;
    std::string node;     // where, if scheduled; or which is, or was, reserved
    std::string devices;  // which of the node's the pod has then, as `KIND=N+N`; empty: none
    std::string message;  // why not, in Kubernetes' words
    // If nominated:
    std::string nominated_node;
    std::vector<std::string> victims;  // most important first
    std::int32_t budget_violations = 0;
    std::uint32_t attempt = 0;  // 1 = the pod's first; 0 = none was made
};

class Simulation {
public:
    using OnDecision = std::function<void(const SimulatedDecision&)>;

    // States the cluster and its pending pods; nothing is decided yet.
    Simulation(const kube::ClusterDump&, const SimulationOptions&);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    // Judges one pending pod against the state as given, and commits nothing. None if it is no pending pod.
    std::optional<SimulatedDecision> judge(std::string_view pod);

    // Schedules the pending pods in the order of the queue. Decisions are handed out as they are taken;
    // a further failure of a pod only if its message has changed. Gated pods come last, after pods that were never
    // tried, since their queues have no room. `go_on`, if given, is asked now and then; false: it ends here, and run
    // gives false. Throws PluginFault, as fit() does.
    bool run(const OnDecision&, const std::function<bool()>& go_on = {});

    // As they stand now; empty: there is one leaf.
    std::vector<QueueReport> queues() const;
    // How full the nodes were, and are now.
    UseReport use() const;
    // Outcome of the drains.
    std::vector<std::string> drained() const;
    // How many pods like this one fit after all that was placed, without preemption; it looks at `at_most`. The dump must know
    // the pod's texts and spec from before the simulation was made.
    FitReport fit(const kube::ConvertedPod&, std::size_t at_most);
    // Items of the dump that the engine rejected, as lines.
    const std::vector<std::string>& refused() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan::sim
