// Round trips to a daemon and what it counts: an observer's connection, which needs no partition and takes no
// shim's place.
//
// Thread: the data plane's, which is the caller's. Owner: the caller reads the result once run() is over.
// Errors: in `fault`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/data_plane.h"
#include "wire/codec.h"

namespace bayplan::cli {

struct PingResult {
    std::string fault;  // empty: every question was answered
    dataplane::Peer daemon;
    std::string version;
    std::uint64_t uptime_ms = 0;
    double connect_ms = -1;  // from the first packet to the daemon's confirmation; -1: not connected
    std::vector<double> round_trips_ms;
    // As of the last answer: of all lcores together, and of each if there are several.
    std::vector<std::pair<std::string, std::uint64_t>> counters;
    std::vector<std::map<std::string, std::uint64_t, std::less<>>> lcores;
};

class Ping final : public dataplane::FrameHandler {
public:
    struct Plan {
        std::uint32_t count = 4;
        std::chrono::nanoseconds interval{};
        std::chrono::nanoseconds timeout{};  // for the connection, and for each answer
    };

    explicit Ping(const Plan& plan) : plan_(plan) {}

    // Runs the data plane until all is told or something fails.
    PingResult run(dataplane::DataPlane&, const std::string& address, std::uint16_t udp_port);

    void on_open(dataplane::DataPlane&, dataplane::ConnectionId, const dataplane::Peer&) override;
    bool on_frame(dataplane::DataPlane&, dataplane::ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, dataplane::ConnectionId, std::string_view why) override;
    void on_refused(std::string_view address, std::string_view why) override;
    std::size_t on_turn(dataplane::DataPlane&) override;

private:
    using Clock = std::chrono::steady_clock;

    bool ask(dataplane::DataPlane&);
    void take(dataplane::DataPlane&, const wire::CountersFrame&);
    void take_counter(std::string_view name, std::uint64_t value);
    void end(dataplane::DataPlane&, std::string_view fault);

    const Plan plan_;
    PingResult result_;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
    dataplane::ConnectionId connection_ = 0;
    Clock::time_point begun_{};  // connecting
    Clock::time_point asked_{};  // the question under way
    Clock::time_point next_{};   // no question before
    std::uint64_t token_ = 0;    // of the last question
    bool open_ = false;
    bool waiting_ = false;
    bool over_ = false;
};

}  // namespace bayplan::cli
