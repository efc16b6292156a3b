// See output_file.h.
#include "cli/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace bayplan::cli {

std::string why_not_writable(const std::string& file) {
    const bool was_there = access(file.c_str(), F_OK) == 0;
    std::FILE* const opened = std::fopen(file.c_str(), "ab");
    if (opened == nullptr) {
        return fmt::format("{}: cannot be written: {}", file, std::strerror(errno));
    }
    std::fclose(opened);
    if (!was_there) {
        std::remove(file.c_str());
    }
    return {};
}

}  // namespace bayplan::cli
