// See live_player.h.
#include "live_player.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace bayplan::recordings {

using property::AcknowledgeEvent;
using property::ConnectEvent;
using property::DisconnectEvent;
using property::Event;
using property::Received;
using property::RunEvent;
using property::SinkEvent;
using property::StateEvent;
using property::TickEvent;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAnswer{5'000};
constexpr milliseconds kApplied{60};
constexpr milliseconds kAttempts{3};
constexpr std::int64_t kTickMax_ns = 120'000'000;  // the longest wait for a jump of the history's clock

std::uint64_t received(const ConnectEvent& event, const LiveShim* former) {
    if (former == nullptr) {
        return 0;
    }
    const std::uint64_t last = former->decisions_received;
    switch (event.received) {
        case Received::last: return last;
        case Received::between: return former->acknowledged + (last - former->acknowledged) * event.permille / 1'000;
        case Received::before_acknowledged: return former->acknowledged == 0 ? 0 : former->acknowledged - 1;
        case Received::beyond: return last + 1'000'000;
    }
    return 0;
}

// Nobody waits for half a minute of grace.
Event hurried(Event event) {
    auto* state = std::get_if<StateEvent>(&event);
    auto* message = state == nullptr ? nullptr : std::get_if<oracle::OwnedAsks>(&state->body);
    for (std::size_t i = 0; message != nullptr && i < message->asks.size(); ++i) {
        message->asks[i].grace_period_s = message->asks[i].key.size() % 3 == 0 ? 1 : 0;
    }
    return event;
}

}  // namespace

LivePlayer::LivePlayer(const EngineOptions& options, const Daemon& daemon)
    : options_(options), daemon_(daemon), oracle_(options) {}

void LivePlayer::play(const Next& next, std::uint64_t events) {
    for (std::uint64_t i = 0; i < events; ++i) {
        note_closed();
        const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_);
        oracle_.apply(Tick{since.count()});
        oracle_.run(1'000);
        const Event event = hurried(next(oracle_));
        std::visit([this](const auto& one) { play_one(one); }, event);
        turn();
    }
    wait(milliseconds(300));
}

// Feeds the oracle with an event that was played.
void LivePlayer::follow(const Event& event) {
    property::feed(oracle_, event, property::resolve(event, oracle_, connections_), options_);
}

LiveShim* LivePlayer::connected(const std::string& name) {
    const auto found = shims_.find(name);
    const bool there = found != shims_.end() && found->second.shim != nullptr && !found->second.shim->closed;
    return there ? found->second.shim.get() : nullptr;
}

void LivePlayer::note_closed() {
    for (auto& [name, known] : shims_) {
        const auto found = oracle_.shims().find(name);
        const bool counts = found != oracle_.shims().end() && found->second.connection.has_value();
        if (known.shim != nullptr && known.shim->closed && counts) {
            follow(DisconnectEvent{name, false});
        }
    }
}

void LivePlayer::turn() {
    for (auto& [name, known] : shims_) {
        if (known.shim != nullptr) {
            known.shim->turn();
        }
    }
}

void LivePlayer::wait(milliseconds most, const std::function<bool()>& until) {
    const auto end = Clock::now() + most;
    while (!until() && Clock::now() < end) {
        turn();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

void LivePlayer::play_one(const TickEvent& event) {
    const std::int64_t jump = std::clamp<std::int64_t>(event.now_ns - virtual_ns_, 0, kTickMax_ns);
    virtual_ns_ = std::max(virtual_ns_, event.now_ns);
    wait(milliseconds(jump / 1'000'000));
}

void LivePlayer::play_one(const RunEvent&) { wait(kAttempts); }

// False: the daemon and the oracle do not agree on what follows.
bool LivePlayer::greet(const ConnectEvent& event) {
    Known& known = shims_[event.shim];
    const std::uint64_t daemon_instance =
        known.shim == nullptr ? 0 : known.shim->reply.daemon_instance + (event.knows_daemon ? 0 : 1);
    const std::uint64_t received_before = received(event, known.shim.get());
    known.shim = std::make_unique<LiveShim>(event.shim, daemon_);
    LiveShim& shim = *known.shim;
    wait(kAnswer, [&] { return shim.open || shim.closed; });
    shim.hello(event.instance, daemon_instance, received_before);
    wait(kAnswer, [&] { return shim.greeted || shim.closed; });
    if (!shim.greeted) {
        throw std::runtime_error("no answer to the hello of " + event.shim);
    }
    known.sequence = shim.state_applied;
    follow(event);
    const oracle::Shim& there = oracle_.shims().at(event.shim);
    const bool resumed = shim.reply.outcome == HelloOutcome::resume;
    return resumed != (there.resync_open && !there.resync_begun) && there.applied == shim.state_applied;
}

void LivePlayer::play_one(const ConnectEvent& event) {
    if (!greet(event)) {
        ConnectEvent anew = event;
        anew.instance = event.instance + 1'000'000;
        greet(anew);
    }
}

void LivePlayer::play_one(const DisconnectEvent& event) {
    if (LiveShim* shim = connected(event.shim); shim != nullptr && !event.former) {
        shim->hang_up();
        wait(kAttempts);
        follow(event);
    }
}

void LivePlayer::play_one(const StateEvent& event) {
    LiveShim* shim = connected(event.shim);
    if (shim == nullptr || event.former) {
        return;
    }
    Known& known = shims_.at(event.shim);
    const std::int64_t number = static_cast<std::int64_t>(known.sequence) + 1 + event.offset;
    const oracle::Borrowed borrowed(event.body);
    shim->state(static_cast<std::uint64_t>(std::max<std::int64_t>(0, number)), borrowed.body());
    known.sequence += event.offset == 0;
    wait(kApplied, [&] { return shim->closed || shim->state_applied >= known.sequence; });
    follow(event);
}

void LivePlayer::play_one(const AcknowledgeEvent& event) {
    LiveShim* shim = connected(event.shim);
    if (shim == nullptr || event.former) {
        return;
    }
    const std::uint64_t open = shim->decisions_received - shim->acknowledged;
    shim->acknowledge(event.beyond > 0 ? shim->decisions_received + 1'000'000 + event.beyond
                                       : shim->acknowledged + open * event.permille / 1'000);
    wait(kAttempts);
    follow(event);
}

void LivePlayer::play_one(const SinkEvent& event) {
    for (auto& [name, known] : shims_) {
        if (known.shim != nullptr) {
            known.shim->set_reading(!event.refuses);
        }
    }
}

}  // namespace bayplan::recordings
