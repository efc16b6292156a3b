// One input of a record as a line for people and scripts: what it is, of which connection, how
// much.
//
// Thread: any, pure.
#pragma once

#include <string>

#include "bayplan/messages.h"

namespace bayplan::cli {

// `tick 1200000000`, `connect 1 shim-a`, `state 1 7 asks 64` (connection, sequence, kind, items)...
std::string input_text(const Input&);

}  // namespace bayplan::cli
