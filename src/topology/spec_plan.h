// Plan of a spec for the predicates and scores that look beyond one node: which counters to read and how to use them.
// Made once per spec and shared by all its asks, nodes and attempts (Kubernetes computes this anew for every pod:
// PreFilter and PreScore).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "claims/claim_plan.h"
#include "labels/node_terms.h"
#include "topology/node_filters.h"
#include "topology/pod_counts.h"
#include "topology/signatures.h"
#include "topology/topology_keys.h"
#include "volumes/volume_plan.h"

namespace bayplan {

struct SpecPlan {
    // PodTopologySpread, DoNotSchedule.
    struct HardSpread {
        CounterId pods = kNone<CounterId>;  // kNone: the selector counts nothing
        EligibleId eligible = kNone<EligibleId>;
        KeyId key = kNone<KeyId>;
        std::int32_t max_skew = 1;
        std::int32_t min_domains = 1;
        std::int32_t self = 0;  // 1 if the pod would count itself
        // Found anew at the start of each attempt: a domain may have so many pods and no more.
        mutable std::int64_t pods_max = 0;
        bool operator==(const HardSpread& other) const {
            return pods == other.pods && eligible == other.eligible && key == other.key && max_skew == other.max_skew &&
                   min_domains == other.min_domains && self == other.self;
        }
    };
    std::vector<HardSpread> hard_spread;

    // InterPodAffinity: pods of a counter in the node's domain of a key.
    struct Peers {
        CounterId pods = kNone<CounterId>;
        KeyId key = kNone<KeyId>;
        bool operator==(const Peers&) const = default;
    };
    std::vector<Peers> affinity;        // pods that match all the required terms, by each term's key
    bool matches_own_affinity = false;  // the first pod of a group may go anywhere
    std::vector<Peers> anti_affinity;   // per required term
    std::vector<Peers> repelled_by;     // owners of anti-affinity terms that match this pod
    struct Preference {
        CounterId pods = kNone<CounterId>;
        KeyId key = kNone<KeyId>;
        std::int64_t weight = 0;  // negative for anti-affinity
        bool operator==(const Preference&) const = default;
    };
    std::vector<Preference> own_preferences;
    std::vector<Preference> others_preferences;  // terms of placed pods that match this one

    // PodTopologySpread, ScheduleAnyway or the default constraints.
    struct SoftSpread {
        CounterId pods = kNone<CounterId>;
        KeyId key = kNone<KeyId>;      // a node without its label gets no share
        KeyId domains = kNone<KeyId>;  // in which pods are counted; none for hostname: every node counts its own
        bool hostname = false;
        std::int32_t max_skew = 1;
        bool operator==(const SoftSpread&) const = default;
    };
    std::vector<SoftSpread> soft_spread;
    bool soft_needs_all_keys = false;  // nodes without one of the keys score 0

    SignatureId signature = kNone<SignatureId>;
    NodeNameSet names;
    // The names are few, and NodeAffinity is in force: these nodes are judged one by one (placement/named_nodes.h), and
    // the signature leaves the required terms out, so that pods for one node each share it.
    bool by_name = false;

    // Volumes; empty without any.
    VolumePlan volumes;
    std::uint64_t volumes_version = UINT64_MAX;

    // Claims on devices; null without any.
    std::shared_ptr<const ClaimPlan> claims;

    // Nothing to ask but the node's own amounts, labels and taints: most pods, and the shortest way.
    bool plain = false;
    std::uint64_t number = 0;  // no two plans that look at other things of pods have the same

    // Versions that it was made from, and sets and counters that it holds references on.
    std::uint64_t terms_version = 0;
    std::uint64_t sets_version = 0;
    std::uint64_t recounts = 0;
    std::uint64_t objects_version = 0;
    std::vector<SetId> sets;
    std::vector<CounterId> counters;
    std::vector<FilterId> filters;
    std::vector<EligibleId> eligibles;
    std::vector<KeyId> keys;

    // Counters and constraints are the same, in the same order, and count the same pods.
    bool looks_at_the_same(const SpecPlan& other) const {
        return hard_spread == other.hard_spread && affinity == other.affinity &&
               matches_own_affinity == other.matches_own_affinity && anti_affinity == other.anti_affinity &&
               repelled_by == other.repelled_by && own_preferences == other.own_preferences &&
               others_preferences == other.others_preferences && soft_spread == other.soft_spread &&
               soft_needs_all_keys == other.soft_needs_all_keys && signature == other.signature &&
               recounts == other.recounts;
    }
    bool couples_filters() const {
        return !hard_spread.empty() || !affinity.empty() || !anti_affinity.empty() || !repelled_by.empty();
    }
    bool couples_scores() const {
        return !soft_spread.empty() || !own_preferences.empty() || !others_preferences.empty();
    }
};

}  // namespace bayplan
