// Memory that the program holds: what it has allocated and not freed, and what is resident.
//
// Thread: any. Units: bytes; 0 if it cannot be told.
#pragma once

#include <cstdint>

namespace bayplan::measure {

std::int64_t live_bytes();
std::int64_t resident_bytes();

}  // namespace bayplan::measure
