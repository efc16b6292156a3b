// Counters of the data plane and the gateway, told to shims and observers on their control stream.
//
// Thread: the lcore.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/gateway.h"
#include "daemon/lcore_threads.h"

namespace bayplan::daemon {
namespace {

// Reading costs tens of microseconds (drivers, the kernel's files): so often and no more, however
// often somebody asks.
constexpr std::chrono::milliseconds kCountersStay{10};
}  // namespace

bool Gateway::take_counters_request(dataplane::DataPlane& plane, ConnectionId id, Connection& connection,
                                    const wire::CountersRequest& request) {
    const std::string& name = connection.peer.common_name;
    const bool may_look = std::any_of(partitions_.begin(), partitions_.end(),
                                      [&](const config::PartitionConfig& each) { return each.allows(name); });
    if (!may_look) {
        refuse(plane, id, connection, fmt::format("'{}' may not use any partition", name));
        return true;
    }
    if (connection.phase == Phase::fresh) {
        const std::string full = lack_of_room_for_observer(connection);
        if (!full.empty()) {
            refuse(plane, id, connection, full);
            return true;
        }
    }
    read_counters(plane);
    std::vector<wire::NamedCounter> named;
    named.reserve(counters_told_.size());
    for (const auto& [counter, value] : counters_told_) named.push_back({counter, value});
    const auto uptime = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
    const wire::CountersFrame answer{request.token, BAYPLAN_VERSION, static_cast<std::uint64_t>(uptime.count()), named};
    if (!plane.send(id, dataplane::Stream::control, encoder_.encode(answer))) return false;
    if (connection.phase == Phase::fresh) {
        connection.phase = Phase::observer;
        --waiting_;
        log_.info("observer connected", {{"connection", id}, {"shim", name}, {"address", connection.peer.address}});
    }
    return true;
}

// The sums by their names, then each lcore's share, if there are several: lcore.0.rx_packets. Shares that are zero are
// left out.
void Gateway::read_counters(dataplane::DataPlane& plane) {
    const Clock::time_point now = Clock::now();
    if (now - counters_read_ < kCountersStay) return;
    counters_read_ = now;
    if (!counters_of_lcores_) {
        counters_told_ = plane.counters();
        counters().append_to(counters_told_);
        return;
    }
    const auto lcores = counters_of_lcores_();
    counters_told_ = sum_of(lcores);
    for (std::size_t lcore = 0; lcore < lcores.size() && lcores.size() > 1; ++lcore) {
        for (const auto& [name, value] : lcores[lcore]) {
            if (value != 0) counters_told_.emplace_back(fmt::format("{}{}.{}", wire::kLcorePrefix, lcore, name), value);
        }
    }
}

void GatewayCounters::append_to(std::vector<dataplane::Counter>& out) const {
    out.emplace_back("shims_connections", connections);
    out.emplace_back("shims_hellos", hellos);
    out.emplace_back("shims_hellos_refused", hellos_refused);
    out.emplace_back("shims_handshakes_refused", handshakes_refused);
    out.emplace_back("shims_broken", broken);
    out.emplace_back("shims_frames_in", frames_in);
    out.emplace_back("shims_frames_out", frames_out);
    out.emplace_back("shims_pushed_back", pushed_back);
    out.emplace_back("shims_cuts", cuts);
    out.emplace_back("shims_displaced", displaced);
}

}  // namespace bayplan::daemon
