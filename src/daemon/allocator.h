// Which allocator serves this process.
//
// Thread: any.
#pragma once

#include <string>

namespace bayplan::daemon {

// "jemalloc 5.3.0-..." or, in builds that a sanitizer must watch, "the C library's".
std::string allocator_name();

}  // namespace bayplan::daemon
