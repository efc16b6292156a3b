// A trial: may an ask run on one node once some of its pods are gone? Pods are taken off and put back one
// by one, and the predicates are asked as ever, twice where others are nominated to the node: as if those
// ran there, and without them (R-ATTEMPT-7, R-PREEMPT-9).
//
// Amounts are tried on a copy of the node's lane; counts of pods over the cluster (topology, ports, volumes)
// as deltas on the tables themselves (topology/pod_trial.h), undone when the trial ends. So nobody else may
// read those tables meanwhile; a trial inside another ends before it.
//
// Thread: the engine's.
#pragma once

#include <vector>

#include "predicates/predicate_set.h"
#include "preemption/nominations.h"
#include "topology/cluster_view.h"
#include "topology/pod_trial.h"

namespace bayplan {

// The tables that a trial reads and, for its time, changes. Owned by the engine.
struct TrialTables : ClusterView {
    const Nominations& nominations;
    const PredicateSet& predicates;
    bool as_kubernetes_1_35 = false;  // with its oddities (R-PREDICATE-14)
};

class NodeTrial {
public:
    // The ask's own nomination must be suspended.
    NodeTrial(const TrialTables&, AskId, Slot);
    // With these holds instead of the node's, and reckoning with nobody who is nominated to it.
    NodeTrial(const TrialTables&, AskId, Slot, HoldList);
    NodeTrial(const NodeTrial&) = delete;
    NodeTrial& operator=(const NodeTrial&) = delete;

    void take_off(AskId pod);
    void take_off_elsewhere(AskId pod);  // of any node; until the end of the trial
    void put_back(AskId pod);            // that take_off took
    // The first predicate that fails, in the first pass that fails; verdict feasible if none does.
    PredicateSet::Failure judge();
    // All predicates that fail.
    std::vector<PredicateSet::Failure> failures() const;
    bool passes() { return judge().refusal.verdict == Verdict::feasible; }

private:
    void copy_lane();
    void add_devices(AskId pod, int sign);
    void show_devices();
    void add_amounts(AskId pod, int sign);
    bool counts_as_terminating(const Ask&) const;
    PredicateSet::Failure ask_predicates() const;
    std::uint32_t left_out_by_kubernetes() const;

    const TrialTables tables_;  // callers give temporaries
    const AskId ask_;
    const Slot slot_;
    const std::uint32_t skipped_;     // predicates, by index
    NodeBlock lane_;                  // only the node's lane counts
    std::vector<DeviceUse> devices_;  // of the node, as tried
    std::vector<AskId> others_;       // nominated to the node, of no lower priority
    PodTrial counts_;                 // last: undone first
};

// All predicates that fail the class on the node as it is shown, the first first.
std::vector<PredicateSet::Failure> failures_on(const TrialTables&, ClassId, const NodeView&);

// Asks other than this one that are nominated to the node and must be reckoned with.
std::vector<AskId> reckoned_with(const TrialTables&, AskId, Slot);

// True if more than amounts on a node may decide on the ask: ports, volumes, other pods.
bool looks_beyond_amounts(const TrialTables&, const Subject&);

}  // namespace bayplan
