// Files that a command will write: tried before long work, so that it is not done in vain.
//
// Thread: main.
#pragma once

#include <string>

namespace bayplan::cli {

// "FILE: cannot be written: why", or nothing. Leaves a file that is there as it is, and none that was not.
std::string why_not_writable(const std::string& file);

}  // namespace bayplan::cli
