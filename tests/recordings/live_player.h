// Plays a random history to a daemon that runs, over the wire. An oracle follows with the same inputs and the same
// clock: what it shows is what the generator chooses the next event by. The daemon's ticks and attempts come when
// they come, so the two may drift apart; that makes events odd, not wrong.
//
// Thread: one. Owner: the caller. Errors: std::runtime_error when the daemon does not answer.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "feed.h"
#include "live_shim.h"

namespace bayplan::recordings {

class LivePlayer {
public:
    LivePlayer(const EngineOptions&, const Daemon&);

    using Next = std::function<property::Event(const oracle::Oracle&)>;
    void play(const Next&, std::uint64_t events);

private:
    using Clock = std::chrono::steady_clock;

    struct Known {  // of a shim, over its connections
        std::unique_ptr<LiveShim> shim;
        std::uint64_t sequence = 0;  // of its last state message
    };

    void play_one(const property::TickEvent&);
    void play_one(const property::ConnectEvent&);
    void play_one(const property::DisconnectEvent&);
    void play_one(const property::StateEvent&);
    void play_one(const property::AcknowledgeEvent&);
    void play_one(const property::RunEvent&);
    void play_one(const property::SinkEvent&);
    // Operators' holds have no message.
    void play_one(const property::HoldEvent&) {}
    void play_one(const property::DropEvent&) {}
    void play_one(const property::QueuesEvent&) {}

    bool greet(const property::ConnectEvent&);
    LiveShim* connected(const std::string& shim);
    void follow(const property::Event&);
    void note_closed();
    void turn();
    void wait(
        std::chrono::milliseconds, const std::function<bool()>& until = [] { return false; });

    EngineOptions options_;
    Daemon daemon_;
    oracle::Oracle oracle_;
    property::Connections connections_;
    std::map<std::string, Known> shims_;
    std::int64_t virtual_ns_ = 0;
    const Clock::time_point started_ = Clock::now();
};

}  // namespace bayplan::recordings
