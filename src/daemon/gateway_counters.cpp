// What the data plane and the gateway count, told to shims and observers on their control stream.
//
// Thread: the lcore.
#include <algorithm>

#include "daemon/gateway.h"

namespace bayplan::daemon {
namespace {

// Reading costs tens of microseconds (drivers, the kernel's files): so often and no more, however
// often somebody asks.
constexpr std::chrono::milliseconds kCountersStay{10};

}  // namespace

bool Gateway::take_counters_request(dataplane::DataPlane& plane, ConnectionId id,
                                    Connection& connection, const wire::CountersRequest& request) {
    const std::string& name = connection.peer.common_name;
    const bool may_look =
        std::any_of(partitions_.begin(), partitions_.end(),
                    [&](const config::PartitionConfig& each) { return each.allows(name); });
    if (!may_look) {
        refuse(plane, id, connection, fmt::format("'{}' may not use any partition", name));
        return true;
    }
    read_counters(plane);
    std::vector<wire::NamedCounter> named;
    named.reserve(counters_told_.size());
    for (const auto& [counter, value] : counters_told_) named.push_back({counter, value});
    const auto uptime =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
    const wire::CountersFrame answer{request.token, BAYPLAN_VERSION,
                                     static_cast<std::uint64_t>(uptime.count()), named};
    if (!plane.send(id, dataplane::Stream::control, encoder_.encode(answer))) return false;
    if (connection.phase == Phase::fresh) {
        connection.phase = Phase::observer;
        --waiting_;
        log_.info("observer connected",
                  {{"connection", id}, {"shim", name}, {"address", connection.peer.address}});
    }
    return true;
}

void Gateway::read_counters(dataplane::DataPlane& plane) {
    const Clock::time_point now = Clock::now();
    if (now - counters_read_ < kCountersStay) return;
    counters_read_ = now;
    counters_told_ = plane.counters();
    const GatewayCounters own = counters();
    counters_told_.emplace_back("shims_hellos", own.hellos);
    counters_told_.emplace_back("shims_hellos_refused", own.hellos_refused);
    counters_told_.emplace_back("shims_handshakes_refused", own.handshakes_refused);
    counters_told_.emplace_back("shims_broken", own.broken);
    counters_told_.emplace_back("shims_frames_in", own.frames_in);
    counters_told_.emplace_back("shims_frames_out", own.frames_out);
    counters_told_.emplace_back("shims_pushed_back", own.pushed_back);
    counters_told_.emplace_back("shims_cuts", own.cuts);
}

}  // namespace bayplan::daemon
