// An ethdev as its driver tells of it: whether its link is up, and all that its driver counts.
//
//   link_up                 1 or 0, now; of a device on an interface of the kernel, what the kernel says of that
//   link_mbps               its speed, if the device knows it
//   link_downs, link_ups    how often it was seen to change
//   rx_missed, rx_no_buffer frames that the device, or the pool, had no room for, if the driver tells
//   nic_NAME                its extended statistics, as far as they are not 0
//
// A change is a line of the port's log. Drivers' statistics are not made for several threads at once, and may take long: once
// somebody looks, nobody else reads them. Others are told the numbers seen last, and wait for no driver.
//
// Thread: append_to() any, look() one. Owner: the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {

class DeviceWatch {
public:
    static constexpr std::size_t kStatisticsMax = 64;  // extended ones that are told

    // `interface`: of the kernel, below the device; empty: none.
    void begin(std::uint16_t port_id, std::string name, std::string interface);
    // Reads the driver's statistics, for append_to() from now on.
    void look();
    // Appends the numbers seen last; before the first look() it reads for itself.
    void append_to(std::vector<Counter>&);

private:
    std::vector<Counter> read();
    void note_link(bool up);
    void append_extended(std::vector<Counter>&);

    std::mutex seen_mutex_;  // of the two below it
    std::vector<Counter> seen_;
    bool is_looked_at_ = false;
    std::mutex reading_;  // of all below it
    std::uint16_t port_id_ = 0;
    std::string name_;
    std::string interface_;
    bool looked_ = false;
    bool up_ = false;
    std::uint64_t downs_ = 0;
    std::uint64_t ups_ = 0;
    std::vector<std::string> names_;  // of extended statistics; the driver's order
};

// Whether an interface of the kernel has a carrier; false too if it is not there.
bool interface_is_up(const std::string& interface);

}  // namespace bayplan::dataplane
