// The pools of devices that a node can reach, each with the slices that it sees (Kubernetes: GatherPools).
//
// Thread: the engine's. Points into ClaimObjects; good while that does not change. Source: Kubernetes 1.35.
#pragma once

#include <cstdint>
#include <vector>

#include "claims/claim_objects.h"
#include "cluster/node_facts.h"
#include "labels/known_texts.h"

namespace bayplan {

struct NodePool {
    PoolName name;
    std::vector<const KeptSlice*> slices;  // of one generation, by name
    bool complete = true;
    bool valid = true;  // no device's name is there twice
    bool usable() const { return complete && valid; }
};

// By driver and pool, in byte order. (In Kubernetes the order is left to chance.)
std::vector<NodePool> pools_of(const NodeFacts&, const ClaimObjects&, const KnownTexts&);

}  // namespace bayplan
