// Counts calls of operator new in this program, for tests which say that a path does not allocate.
//
// Thread: any; all of them are counted together.
#pragma once

#include <cstdint>

namespace bayplan::wire {

std::uint64_t allocations();

}  // namespace bayplan::wire
