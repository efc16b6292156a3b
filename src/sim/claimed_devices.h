// A pod's devices as reports print them: kinds counted by the node, and devices of its claims.
//
// Thread: any, pure functions. The text is of an `allocated` decision (R-DEVICE-24, R-CLAIM-20).
#pragma once

#include <string>
#include <string_view>

#include "sim/markup.h"

namespace bayplan::sim {

// The part without claims, as `KIND=N+N,KIND=N`.
std::string without_claims(std::string_view devices);

// "devices", and "claims" by "NAMESPACE/NAME" of the claim; neither if there is none.
void write_devices(Markup& out, std::string_view pod, std::string_view devices);

}  // namespace bayplan::sim
