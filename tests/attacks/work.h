// Work that is counted, not timed: the pieces of straight code that were entered in the sources which the build compiles
// to count them (-fsanitize-coverage=trace-pc), and each 64 bytes that they move in memory. The same program does the same
// work on every machine.
//
// Thread: any; all of them are counted together.
#pragma once

#include <cstdint>

namespace bayplan::attacks {

std::uint64_t work();

}  // namespace bayplan::attacks
