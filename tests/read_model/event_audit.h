// Sums over events, held against a version of the model: a client that began with nothing and heard every event knows the
// state. After a gap it begins with that.
//
// Thread: one. Errors: told as texts.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "events/event_store.h"
#include "read_model/version.h"

namespace bayplan::read_model {

class EventAudit {
public:
    // Takes in the news. A fault (a thing taken away that is not there), or "".
    std::string take(events::EventStore&);
    // The first thing in which the sums differ from the version, or "".
    std::string compare(const Version&);

    std::uint64_t events() const { return next_; }
    std::uint64_t gaps() const { return gaps_; }
    const std::map<int, std::uint64_t>& details() const { return details_; }  // how often each was met

private:
    using Sums = std::map<std::string, std::map<std::string, std::int64_t>>;
    struct Known {
        std::map<std::string, std::int64_t> held;  // things, and how many of each there are
        std::map<std::string, std::string> facts;  // by thing, as told last
        Sums usage;                                // of users in queues, by resource
        std::set<std::string> may_be;              // asks of pods that wait no more, if they ever did
    };

    std::string take(const events::Event&);
    std::string change(const std::string& thing, events::EventChange);
    static Known known_of(const Version&);
    static std::string first_difference(const Known& by_events, const Known& by_model);

    Known known_;
    std::set<std::string> twins_;  // applications of two shims by one name: their states are told apart by nobody
    std::map<int, std::uint64_t> details_;
    std::uint64_t next_ = 0;
    std::uint64_t gaps_ = 0;
    bool gap_ = false;
};

}  // namespace bayplan::read_model
