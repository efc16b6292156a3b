// Which devices of which node each pod has (rules/devices.md), and what follows for the columns that
// predicates read: how far the devices of a node reach.
//
// Thread: the engine's. Owner: World. Keeps the node state's reaches in step; holds are told by the caller.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_class.h"
#include "cluster/device_use.h"
#include "cluster/node_state.h"
#include "cluster/resources.h"

namespace bayplan {

// A pod's devices of one resource.
struct DeviceShare {
    ResourceId resource = kNone<ResourceId>;
    std::int64_t amount = 0;
    std::vector<std::uint32_t> devices;
};
using DeviceShares = std::vector<DeviceShare>;

// A node's resources that are devices, and how many of each.
struct DeclaredDevices {
    ResourceId resource = kNone<ResourceId>;
    std::uint32_t count = 0;
};

class Devices {
public:
    Devices(NodeState& state, const ResourceTable& resources, DeviceChoice choice)
        : state_(state), resources_(resources), choice_(choice) {}

    DeviceChoice choice() const { return choice_; }
    // Of the node; empty if it has none.
    const std::vector<DeviceUse>& at(Slot) const;
    // Null: the pod has none.
    const DeviceShares* of(AskId) const;
    // True if any node has any resource as devices that the class asks for.
    bool concern(const AskClass&) const;
    // As decisions and shims write it; empty if the pod has none.
    std::string text_of(AskId) const;

    // The devices that a pod of the class would be given there now, and the amount that each device has left for it:
    // both in the form of text_of(), the latter with amounts in place of numbers. Empty if nothing it asks for is
    // devices there.
    std::string would_give(const AskClass&, Slot) const;
    std::string left_for(const AskClass&, Slot) const;

    // Gives the pod devices on the node of all resources it asks for. `stated`: what its shim says that it has,
    // followed where it makes sense; else chosen, beside what holds keep from the pod.
    void give(AskId, const AskClass&, Slot, std::string_view stated);
    // Takes back what the pod has there, and returns it.
    DeviceShares take_back(AskId, Slot);
    // Gives the pod just this, which take_back() returned.
    void give_again(AskId, Slot, DeviceShares);
    // Keeps the stated devices of a pod whose node is not there yet; expected() takes them once, when the node comes or
    // the pod goes.
    void expect(AskId, std::string_view stated);
    std::string expected(AskId);
    // The same, and it stays.
    std::string_view expects(AskId id) const {
        const auto found = expected_.find(id);
        return found == expected_.end() ? std::string_view() : std::string_view(found->second);
    }

    // The node's resources that are devices from now on. Resources that were none before are returned: the pods on the
    // node that ask for them have no devices of them yet; give_more() is to be called for each of these pods.
    std::vector<ResourceId> declare(Slot, const std::vector<DeclaredDevices>&, const std::vector<AskId>& pods);
    void give_more(AskId, const AskClass&, Slot, const std::vector<ResourceId>&);

private:
    DeviceUse beside_holds(const DeviceUse&, const AskClass&, Slot) const;
    template <typename Numbers>
    std::string text_of_resources(const AskClass&, Slot, Numbers&&) const;
    DeviceShare share(const DeviceUse&, const AskClass&, std::int64_t amount, Slot, std::string_view stated) const;
    void count(Slot, const DeviceShares&, int sign);
    void show(Slot, const DeviceUse&);

    NodeState& state_;
    const ResourceTable& resources_;
    const DeviceChoice choice_;
    boost::unordered_flat_map<Slot, std::vector<DeviceUse>> nodes_;
    boost::unordered_flat_map<AskId, DeviceShares> pods_;
    boost::unordered_flat_map<AskId, std::string> expected_;
    std::map<ResourceId, std::uint32_t> nodes_with_;  // by resource: how many nodes have it as devices
};

}  // namespace bayplan
