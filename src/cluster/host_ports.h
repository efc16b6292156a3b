// Ports of a node's own addresses that its pods use. Source: Kubernetes 1.35, HostPortInfo and NodePorts.
//
// Two uses conflict if port and protocol are equal and the addresses are, or one of them is 0.0.0.0 (text
// 0). No other address is a wildcard, "::" neither, as in Kubernetes. Ports 0 are no use.
//
// Thread: its owner's. A handful of ports per node: a sorted list is the quickest here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayplan/pod_spec.h"

namespace bayplan {

class HostPorts {
public:
    // Uses are counted: a port that two pods were forced to share is free only when both are gone.
    void add(std::span<const HostPort>);
    // Each must have been added.
    void remove(std::span<const HostPort>);
    // One of the wanted ports is in use. Equal ports among `wanted` do not conflict with each other.
    bool conflicts(std::span<const HostPort> wanted) const;
    bool empty() const { return uses_.empty(); }

    struct Use {
        HostPort port;
        std::uint32_t count = 0;
        bool operator==(const Use&) const = default;
    };
    const std::vector<Use>& uses() const { return uses_; }  // by port, protocol, address

    bool operator==(const HostPorts&) const = default;

private:
    std::vector<Use> uses_;
};

}  // namespace bayplan
