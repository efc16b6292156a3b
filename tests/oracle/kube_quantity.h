// Kubernetes quantities ("0.50", "500m", "5e-1", "1.5Gi", "+3") and the sums that requests of pods
// are made of, exactly: everything is counted in nano-units until the end.
//
// Thread: pure functions. Errors: std::invalid_argument for a text that is no quantity.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bayplan::oracle {

__extension__ typedef __int128 Nano;
using NanoAmounts = std::map<std::string, Nano>;

Nano parse_quantity(std::string_view);

// Rounded up: cpu in milli-cores, everything else in whole units.
std::int64_t to_units(const std::string& kind, Nano);

void add_to(NanoAmounts& sum, const NanoAmounts& more);
void raise_to(NanoAmounts& most, const NanoAmounts& other);  // the larger, kind by kind

}  // namespace bayplan::oracle
