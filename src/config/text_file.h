// A whole file as text.
//
// Thread: any. Errors: as a fault of the file as a whole.
#pragma once

#include <string>

#include "config/fault.h"

namespace bayplan::config {

bool read_text_file(const std::string& file, std::string& text, Faults&);

}  // namespace bayplan::config
