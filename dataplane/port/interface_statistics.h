// The kernel's counters of a network interface, seen from this thread's network namespace. Drivers
// that sit on a kernel interface (af_packet, af_xdp) do not report what they lose; the kernel's own
// count of arrivals tells.
//
// Thread: any. Errors: false when the interface is not there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bayplan::dataplane {

struct InterfaceStatistics {
    std::uint64_t rx_packets = 0;
    std::uint64_t rx_dropped = 0;
};

// From /proc/thread-self/net/dev: unlike /sys/class/net it follows the namespace without a new
// mount.
bool read_interface_statistics(std::string_view interface, InterfaceStatistics& out);

// The same from the text of such a file.
bool parse_interface_statistics(std::string_view text, std::string_view interface, InterfaceStatistics& out);

}  // namespace bayplan::dataplane
