// The engine and the oracle, side by side through one history, compared after every event.
//
// Thread: one (the engine has its own workers). Owns both and the sink. Errors: a difference is a
// text.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "feed.h"
#include "oracle.h"
#include "recording_sink.h"

namespace bayplan::property {

class Lockstep {
public:
    // `wakes_in_slices`: asks that an event wakes leave their list a few at a time, as the daemon has it.
    explicit Lockstep(const EngineOptions&, bool wakes_in_slices = false);

    // Lets both take the event. Returns what differs afterwards, or "".
    std::string step(const Event&);
    // What can only be compared once: the digests.
    std::string finish();

    const oracle::Oracle& oracle() const { return oracle_; }
    std::uint64_t wakes_compared() const { return wakes_compared_; }
    Engine& engine() { return *engine_; }
    EngineCounters counters() const { return engine_->counters(); }

private:
    std::string run(std::uint64_t attempts_max);
    void apply_in_pieces(const StateEvent&, const Numbers&);
    std::string differences();
    std::string compare_log();
    std::string compare_connections();
    std::string compare_connection(ConnectionId, const oracle::ConnectionStory&);
    std::string compare_decisions(ConnectionId, const Delivered&, const oracle::ConnectionStory&);
    std::string compare_counters() const;
    std::string compare_asks();
    std::string compare_queues();
    std::string differing_explanation(const oracle::Ask&);
    std::string compare_explanation();
    std::string compare_refused();
    std::string compare_held();
    std::string compare_waiting_group();
    std::string differing_group(const oracle::Ask&);
    std::string compare_wakes();
    void watch_another();
    std::string audits() const;

    EngineOptions options_;
    const bool wakes_in_slices_;
    RecordingSink sink_;
    std::unique_ptr<Engine> engine_;
    oracle::Oracle oracle_;
    Connections connections_;
    std::uint64_t steps_ = 0;
    std::size_t log_compared_ = 0;
    struct Compared {
        std::size_t delivered = 0;
        std::size_t expected = 0;
    };
    std::map<ConnectionId, Compared> decisions_compared_;
    // An unschedulable ask, and what wakes it by the engine's words; no words: none is watched.
    std::string watched_;
    std::vector<std::string> woken_by_;
    std::uint64_t wakes_compared_ = 0;
    std::set<std::pair<std::string, std::string>> seen_;  // shim and key of every ask there was
};

// Runs a whole history; what differed first and at which event, if anything did.
struct Difference {
    std::string what;
    std::size_t event = 0;
};
std::optional<Difference> first_difference(const History&);

}  // namespace bayplan::property
