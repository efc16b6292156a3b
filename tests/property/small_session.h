// The session of a shim, for small histories that are written down: engine and oracle side by side, a difference is a failure.
//
// Thread: one. Owns engine and oracle.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep.h"

namespace bayplan::property {

class SmallSession {
public:
    explicit SmallSession(EngineOptions options) : lockstep_(without_threads(std::move(options))) {}

    void step(const Event& event) { ASSERT_EQ(lockstep_.step(event), ""); }
    void send(oracle::OwnedBody body) { step(StateEvent{"s", 0, false, std::move(body)}); }
    // Connects, and states what there is in a resync; `application` is one of the names.
    void begin(std::vector<std::pair<DictId, std::string>> names, DictId application,
               std::vector<oracle::OwnedBody> there) {
        step(ConnectEvent{"s", 1, true, Received::last, 0});
        send(oracle::OwnedDefine{std::move(names)});
        send(oracle::OwnedResyncBegin{});
        send(oracle::OwnedApplications{{{application, 0, 0}}, {}});
        for (oracle::OwnedBody& one : there) send(std::move(one));
        send(oracle::OwnedResyncEnd{});
    }
    const std::string& last_line() const { return lockstep_.oracle().log().back(); }

private:
    static EngineOptions without_threads(EngineOptions options) {
        options.executor = ExecutorKind::inline_;
        options.victim_workers = 0;
        return options;
    }
    Lockstep lockstep_;
};

}  // namespace bayplan::property
