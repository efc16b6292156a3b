// Faults that a start would trip over, found without it: certificates and keys, addresses, ports, files, the user. Everything is
// looked at, so that an operator hears of all of it at once.
//
// Thread: main. Nothing is left behind; a port or an address that can be tried is opened and closed again.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bayplan::daemon {

struct StartFinding {
    bool fault = false;  // it would not start, or no shim would come in; else it would, and this should be known
    std::string what;
};

// `status_file`: empty: none.
std::vector<StartFinding> try_start(const config::Config&, const std::string& status_file);

}  // namespace bayplan::daemon
