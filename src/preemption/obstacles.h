// Pods that keep an ask off their node even if there is room: by its anti-affinity or theirs, or by a host port. Each pod
// does so by itself: the ask may run there once all of them are gone, so that victims can be found by sums of amounts
// (obstacle_search.h), and nodes without any are judged as if there were no such terms. Affinity, topology spread, volumes and
// claims are not of that kind: what they say may change either way when a pod goes.
//
// Thread: the engine's. Made for one attempt, while nothing changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "preemption/node_trial.h"

namespace bayplan {

class Obstacles {
public:
    // True if nothing but amounts and obstacles decides where the pod may run, of all that may change when pods go.
    static bool are_all(const TrialTables&, const Subject&);

    Obstacles(const TrialTables&, const Subject&, AskId);

    // The nodes of the block with obstacles, nominated pods included.
    std::uint64_t on(std::uint32_t block, std::uint64_t lanes) const;
    // Nodes where nominated pods are obstacles, in order.
    const NodeMask& barred() const { return barred_; }

    // Obstacles on a node, or in its domains.
    struct Kinds {
        bool ports = false;
        bool anti_affinity = false;
        bool of_others = false;  // their anti-affinity
        bool any() const { return ports || anti_affinity || of_others; }
    };
    // Of the node without these of its pods, nominated ones included.
    Kinds staying(Slot, std::span<const AskId> without) const;
    // A pod on the node is one.
    bool is_one(AskId pod, Slot) const;

    // Index of the predicate; only if it has obstacles.
    std::uint32_t ports_index() const { return ports_index_; }
    std::uint32_t affinity_index() const { return affinity_index_; }

private:
    static constexpr std::size_t kPeersMax = 64;
    // Of a spec: its pods are obstacles by ports, or by these of the peers if the node has their key.
    struct Marks {
        std::uint64_t peers = 0;
        bool ports = false;
        bool any() const { return peers != 0 || ports; }
    };
    struct Peer {
        SpecPlan::Peers peers;
        TermMatch match;
        Text topology_key = 0;
        std::uint32_t times = 0;  // of_others: a pod with the term so often counts
        bool of_others = false;
    };

    void take_peers();
    void take_nominated(AskId);
    Marks find_marks(const PodSpec&) const;
    const Marks& marks(AskId pod) const;
    bool matters(const Peer&, Slot) const;

    const TrialTables tables_;
    const Subject& subject_;
    bool by_ports_ = false;
    bool by_affinity_ = false;
    std::uint32_t ports_index_ = 0;
    std::uint32_t affinity_index_ = 0;
    std::vector<Peer> peers_;
    NodeMask barred_;
    boost::unordered_flat_map<Slot, Kinds> nominated_;
    mutable boost::unordered_flat_map<SpecId, Marks> marks_;
};

}  // namespace bayplan
