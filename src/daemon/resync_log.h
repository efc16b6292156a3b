// Says in the log which shims state themselves anew, and for whom all others wait.
//
// Thread: the engine's. Owner: the engine thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/log.h"
#include "engine/engine.h"

namespace bayplan::daemon {

class ResyncLog {
public:
    ResyncLog(std::string partition, Log& log) : partition_(std::move(partition)), log_(log) {}

    // Once a turn; costs a comparison while nothing has changed. A resync that begins and ends within a turn is not
    // logged: it held nobody up.
    void look(const Engine&);

private:
    void compare(const OpenResync* before, const OpenResync* now);

    const std::string partition_;
    Log& log_;
    std::uint64_t changes_ = 0;
    std::vector<OpenResync> known_;
};

}  // namespace bayplan::daemon
