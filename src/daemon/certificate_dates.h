// When own certificates end, for operators who are to be warned in time.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bayplan::daemon {

// The earliest end of the certificates in a PEM file, in seconds since 1970. None: it has none that can be read.
std::optional<std::int64_t> certificates_end_s(const std::string& file);

}  // namespace bayplan::daemon
