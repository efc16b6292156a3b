// Devices of nodes and claims of pods for a load (dynamic resources): each node has a pool of devices, each pod a claim of its
// own on one of them, by a selector. Some claims have a device when the run begins.
//
// Thread: the load's. Reads the book: a pod that is placed has its devices by the word of the daemon.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/client.h"
#include "cli/pod_book.h"

namespace bayplan::cli {

class LoadClaims {
public:
    // `devices` of each node; 0: there are none, and no pod has a claim.
    // `allocated`: share of the pods whose claim has one at first, of some node.
    LoadClaims(const PodBook& book, std::uint32_t devices, double allocated);

    bool any() const { return devices_ > 0; }
    // Of the pod, in the numbers of specs; a pod keeps its spec and its claim under a new key.
    SpecNumber spec_of(PodIndex pod) const { return pod + 1; }

    // From the start again, as the book has it then.
    void begin() { next_spec_ = next_object_ = 0; }
    // Some more of them; false: all are stated.
    bool state_specs(StateWriter&);
    bool state_objects(StateWriter&);

    // The daemon gives the claim back, NAMESPACE/NAME: what it had at first it has no more. Of which pod it is, if of any.
    std::optional<PodIndex> give_back(std::string_view claim);
    ObjectItem statement(PodIndex pod) { return {.object = claim(pod)}; }
    TextOf texts() const;

private:
    struct Held {
        NodeIndex node = kNoNode;
        std::uint32_t device = 0;
    };
    Text text(std::string_view);
    std::string claim_name(PodIndex) const;
    ClusterObject object(std::size_t number);
    DeviceClass device_class();
    ResourceSlice slice(NodeIndex);
    ResourceClaim claim(PodIndex);
    DeviceAllocation allocation(std::string_view told, NodeIndex);
    DeviceAllocation allocation(const Held&);
    std::vector<NodeTerm> only(NodeIndex);

    const PodBook& book_;
    const std::uint32_t devices_;
    boost::unordered_flat_map<PodIndex, Held> held_;  // of claims that have a device which no decision gave
    std::size_t next_spec_ = 0;
    std::size_t next_object_ = 0;  // the class, a slice a node, a claim a pod
    std::deque<std::string> texts_;
    boost::unordered_flat_map<std::string_view, Text> ids_;
};

}  // namespace bayplan::cli
