// See device_watch.h.
#include "port/device_watch.h"

#include <net/if.h>
#include <rte_ethdev.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "port/port_log.h"

namespace bayplan::dataplane {

bool interface_is_up(const std::string& interface) {
    ifreq request{};
    if (interface.size() >= sizeof request.ifr_name) return false;
    interface.copy(request.ifr_name, interface.size());
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return false;
    const bool known = ioctl(any, SIOCGIFFLAGS, &request) == 0;
    close(any);
    constexpr int kUp = IFF_UP | IFF_RUNNING;
    return known && (request.ifr_flags & kUp) == kUp;
}

void DeviceWatch::begin(std::uint16_t port_id, std::string name, std::string interface) {
    port_id_ = port_id;
    name_ = std::move(name);
    interface_ = std::move(interface);
}

void DeviceWatch::look() {
    std::vector<Counter> now = read();
    const std::lock_guard lock(seen_mutex_);
    seen_ = std::move(now);
    is_looked_at_ = true;
}

void DeviceWatch::append_to(std::vector<Counter>& out) {
    {
        const std::lock_guard lock(seen_mutex_);
        if (is_looked_at_) {
            out.insert(out.end(), seen_.begin(), seen_.end());
            return;
        }
    }
    const std::vector<Counter> now = read();
    out.insert(out.end(), now.begin(), now.end());
}

std::vector<Counter> DeviceWatch::read() {
    const std::lock_guard lock(reading_);
    std::vector<Counter> out;
    rte_eth_link link{};
    const bool told = rte_eth_link_get_nowait(port_id_, &link) == 0;
    const bool device_up = told && link.link_status == RTE_ETH_LINK_UP;
    note_link(interface_.empty() ? device_up : interface_is_up(interface_));
    const bool knows_speed = told && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
    rte_eth_stats stats{};
    const bool counted = rte_eth_stats_get(port_id_, &stats) == 0;
    out.emplace_back("link_up", up_ ? 1 : 0);
    out.emplace_back("link_mbps", knows_speed ? link.link_speed : 0);
    out.emplace_back("link_downs", downs_);
    out.emplace_back("link_ups", ups_);
    out.emplace_back("rx_missed", counted ? stats.imissed : 0);
    out.emplace_back("rx_no_buffer", counted ? stats.rx_nombuf : 0);
    append_extended(out);
    return out;
}

void DeviceWatch::note_link(bool up) {
    const bool first = !std::exchange(looked_, true);
    if (up_ == up && !first) return;
    up_ = up;
    if (first && up) return;  // as it should be
    if (!first) ++(up ? ups_ : downs_);
    log_of_port("the link of " + name_ + (up ? " is up again" : " is down"));
}

void DeviceWatch::append_extended(std::vector<Counter>& out) {
    if (names_.empty()) {
        const int count = rte_eth_xstats_get_names(port_id_, nullptr, 0);
        std::vector<rte_eth_xstat_name> names(count > 0 ? static_cast<std::size_t>(count) : 0);
        if (count <= 0 || rte_eth_xstats_get_names(port_id_, names.data(), names.size()) != count) return;
        for (const rte_eth_xstat_name& each : names) names_.push_back(std::string("nic_") + each.name);
    }
    std::vector<rte_eth_xstat> values(names_.size());
    const int count = rte_eth_xstats_get(port_id_, values.data(), static_cast<unsigned>(values.size()));
    std::size_t told = 0;
    for (int i = 0; i < count && told < kStatisticsMax; ++i) {
        const rte_eth_xstat& each = values[static_cast<std::size_t>(i)];
        if (each.value == 0 || each.id >= names_.size()) continue;
        out.emplace_back(names_[each.id], each.value);
        ++told;
    }
}

}  // namespace bayplan::dataplane
