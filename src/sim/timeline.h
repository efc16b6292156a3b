// A cluster in virtual time: the dump is its state at 0, a file of events changes it, and an engine decides as it
// would of a live cluster. The simulation is its shim: it states every change, deletes the victims that the engine
// names, and says when they are gone. Its order of things within one instant is that of README.md.
//
// Thread: one. The dump must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "kube/cluster_dump.h"
#include "options/engine_options.h"
#include "sim/events.h"
#include "sim/explained.h"
#include "sim/live_cluster.h"
#include "sim/virtual_time.h"

namespace bayplan::sim {

struct TimelineOptions {
    Compat compat = Compat::bayplan;
    std::vector<std::string> predicates;  // white-list; empty = all
    CoschedulingOptions coscheduling = {};
    std::int64_t until_ms = kNever;  // the last instant; kNever: until nothing more can happen
    DaemonsetOptions daemonset = {};
    std::string queues = {};  // the text of a sound queues.yaml; empty: none
    bool explain = false;     // every decision with its explanation
    bool full = false;        // of a node all failing predicates, not only the first
    PluginHost plugin = {};   // which the pods need, by the dump's options
};

enum class TimelineOutcome : std::uint8_t {
    scheduled,
    nominated,
    unschedulable,
    nomination_cleared,
    gated,
    reserved,
    reservation_cleared,
    claim_given_back,
    waiting,   // holds its node until its pod group has its minimum
    rejected,  // gave that up
    preempted  // for the maximum of a queue, for no pod's sake
};

struct TimelineDecision {
    std::int64_t at_ms = 0;
    std::string pod;    // "namespace/name"
    std::string group;  // the same of its pod group; empty: none
    TimelineOutcome outcome = TimelineOutcome::unschedulable;
    std::string node;                  // where, if scheduled; or which is, or was, reserved
    std::string nominated_node;        // if the pod has one after this
    std::vector<std::string> victims;  // most important first
    std::string devices;               // if scheduled: its devices, its claims' too (R-DEVICE-24, R-CLAIM-20)
    std::string message;               // why not, in Kubernetes' words; why a nomination ended; or the claim on devices
    Explained explained = {};          // if explanations were asked for; causes are the engine's alone
};
std::string_view to_string(TimelineOutcome);

struct TimelineSummary {
    struct Pending {
        std::string pod;
        std::string group;
        std::string message;  // of its last attempt, or of its gates; empty: there was none
        std::string nominated_node;
        std::string reserved_node;
    };
    std::int64_t until_ms = 0;      // the last instant there was, or the one that was asked for
    bool interrupted = false;       // it was not to be the last one
    std::uint64_t placed = 0;       // placements in the run
    std::vector<Pending> pending;   // at its end, by name
    std::uint64_t gone = 0;         // pods that were deleted, preempted, or lost their node
    std::uint64_t preemptions = 0;  // nominations
    std::uint64_t victims = 0;      // pods that some preemption chose
    // Of groups with pods: whose minimum run, some of whom run, none of whom runs.
    struct Groups {
        std::uint64_t complete = 0;
        std::uint64_t partial = 0;
        std::uint64_t pending = 0;
    };
    std::optional<Groups> groups;               // none: they are off
    std::vector<QueueReport> queues;            // as they stand then; empty: there is one leaf
    std::map<std::string, double> utilisation;  // by resource: share of what all nodes have that is asked for
};

class Timeline {
public:
    using OnDecision = std::function<void(const TimelineDecision&)>;
    // Called at every instant: its time, and how many events have happened. False: the run ends there.
    using OnInstant = std::function<bool(std::int64_t now_ms, std::size_t events)>;

    // `events` were read with the dump's converter.
    Timeline(kube::ClusterDump&, std::vector<Event> events, const TimelineOptions&);
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    // Called before the first instant with everything there is, then at the end of each with what changed in it.
    using OnChanges = std::function<void(std::int64_t now_ms, const LiveCluster&, const LiveCluster::Changes&)>;
    void watch(OnChanges);

    // Throws PluginFault.
    TimelineSummary run(const OnDecision&, const OnInstant& = {});

    // Items that the engine rejected, as lines.
    const std::vector<std::string>& refused() const;
    // Parts of the events that had no effect, or another effect than it seems.
    std::vector<kube::ObjectFault> take_remarks();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan::sim
