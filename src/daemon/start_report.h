// Findings of `baypland --check`, for people or as JSON for programs.
//
// Thread: main.
#pragma once

#include <string>
#include <vector>

namespace bayplan::daemon {

struct StartReport {
    std::string file;                   // the configuration
    std::vector<std::string> faults;    // it would not start
    std::vector<std::string> warnings;  // it would, and this should be known
};

// Lines "FILE: warning: ...", faults last.
std::string as_lines(const StartReport&);
// {"file":..,"starts":true,"faults":[..],"warnings":[..]}
std::string as_json(const StartReport&);

}  // namespace bayplan::daemon
