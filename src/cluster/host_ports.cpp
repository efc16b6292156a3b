// Ports of a node's own addresses. See host_ports.h.

#include "cluster/host_ports.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace bayplan {

namespace {

auto order_of(const HostPort& port) { return std::tuple(port.port, port.protocol, port.address); }

bool before(const HostPorts::Use& use, const HostPort& port) { return order_of(use.port) < order_of(port); }

constexpr Text kEveryAddress = 0;

}  // namespace

void HostPorts::add(std::span<const HostPort> ports) {
    for (const HostPort& port : ports) {
        if (port.port == 0) {
            continue;
        }
        const auto at = std::lower_bound(uses_.begin(), uses_.end(), port, before);
        if (at != uses_.end() && at->port == port) {
            ++at->count;
        } else {
            uses_.insert(at, {.port = port, .count = 1});
        }
    }
}

void HostPorts::remove(std::span<const HostPort> ports) {
    for (const HostPort& port : ports) {
        if (port.port == 0) {
            continue;
        }
        const auto at = std::lower_bound(uses_.begin(), uses_.end(), port, before);
        BP_CHECK(at != uses_.end() && at->port == port);
        if (--at->count == 0) {
            uses_.erase(at);
        }
    }
}

bool HostPorts::conflicts(std::span<const HostPort> wanted) const {
    for (const HostPort& port : wanted) {
        if (port.port == 0) {
            continue;
        }
        // Every address of this port and protocol, in their order; 0.0.0.0 comes first.
        const HostPort first{.port = port.port, .protocol = port.protocol, .address = kEveryAddress};
        for (auto at = std::lower_bound(uses_.begin(), uses_.end(), first, before);
             at != uses_.end() && at->port.port == port.port && at->port.protocol == port.protocol; ++at) {
            if (port.address == kEveryAddress || at->port.address == kEveryAddress ||
                at->port.address == port.address) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace bayplan
